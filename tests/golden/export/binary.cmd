# The file's name is in both, so it must be the same on every machine.
cp "$TESTDATA/good-container.pickle" g.pickle && "$VRAMSCOPE" export g.pickle -o t.pb.gz && "$VRAMSCOPE" export g.pickle -o t.pftrace && gzip -dc t.pb.gz | cksum && cksum < t.pftrace
