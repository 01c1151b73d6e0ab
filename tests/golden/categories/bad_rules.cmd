cat >rules.xml <<'EOT'
<rules>
	<owner id="mine" category="CACHE" path="scen"/>
</rules>
EOT
"$VRAMSCOPE" categories --rules rules.xml "$TESTDATA/oom_split_pinned.pickle.zst"
