# Folders with side files, other data, a damaged snapshot, a list and a pattern; then all is known.
mkdir -p in/deep
cp "$TESTDATA"/oom_split_pinned.pickle.zst in/rank0_Dec_01_02_10_36.pickle.zst
cp "$TESTDATA"/leak_graph_step_*.pickle.zst in/deep
head -c 3000 "$TESTDATA"/oom_split_pinned.pickle.zst >in/cut.pickle.zst
echo 'about these files' >in/README.md
echo '{"some": "settings"}' >in/conf.json
: >in/empty.pickle
echo 'in/deep/*_10.pickle.zst' >list
"$VRAMSCOPE" batch -o out -j 1 @list in
cut -d, -f1,2,3,8-11 out/summary.csv
"$VRAMSCOPE" batch -o out -j 1 in @list >/dev/null
