cat >rules.xml <<'EOT'
<!DOCTYPE rules [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<rules>&x;</rules>
EOT
"$VRAMSCOPE" categories --rules rules.xml "$TESTDATA/oom_split_pinned.pickle.zst"
