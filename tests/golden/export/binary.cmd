"$VRAMSCOPE" export "$TESTDATA/good-container.pickle" -o t.pb.gz && "$VRAMSCOPE" export "$TESTDATA/good-container.pickle" -o t.pftrace && gzip -dc t.pb.gz | cksum && cksum < t.pftrace
