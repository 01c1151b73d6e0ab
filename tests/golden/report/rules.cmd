# Rules of a file hold for what the page explains, too.
cat >rules.xml <<'X'
<rules>
	<owner id="mine" category="OPTIMIZER_STATE" path="scen2\.py$" function="^f$"/>
</rules>
X
"$VRAMSCOPE" report --rules rules.xml -o a.html "$TESTDATA/oom_activation_batch.pickle.zst" || exit
sed 's/<[^>]*>/ /g; s/  */ /g' a.html | grep -o 'in use, what for [A-Z_]* [0-9.]* [KMGiB]*'
