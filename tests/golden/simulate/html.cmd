"$VRAMSCOPE" simulate -c "" -c expandable_segments:True -o s.html "$TESTDATA/good-container.pickle" && tail -n 30 s.html
