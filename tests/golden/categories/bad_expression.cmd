echo '<rules><site is="library" path="("/></rules>' >rules.xml
"$VRAMSCOPE" categories --rules rules.xml "$TESTDATA/oom_split_pinned.pickle.zst"
