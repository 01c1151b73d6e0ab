# The questions of the manual page, as it has them.
"$VRAMSCOPE" export "$TESTDATA/oom_split_pinned.pickle.zst" -o t.sqlite || exit
"$VRAMSCOPE" help export | sed -n '/^ *SELECT/,/^ *$/p' | sed 's/^ *//' | awk -v RS= '{ print > ("q" NR ".sql") }'
for q in q1 q2 q3; do "$VRAMSCOPE" query t.sqlite "$(cat $q.sql)" || exit; done
ls
