cat >rules.xml <<'EOT'
<rules>
	<owner id="mine" category="UNKNOWN" detail="CACHE" path="scen\.py$" function="^oom_split_pinned$"/>
	<category name="survivors" path="scen\.py$"/>
</rules>
EOT
"$VRAMSCOPE" categories --rules rules.xml --at 30 --json "$TESTDATA/oom_split_pinned.pickle.zst"
