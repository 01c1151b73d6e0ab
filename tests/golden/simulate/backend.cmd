"$VRAMSCOPE" simulate -c backend:cudaMallocAsync "$TESTDATA/good-container.pickle"
