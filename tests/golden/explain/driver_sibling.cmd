"$VRAMSCOPE" explain "$TESTDATA/driver/ddp.pickle.zst" | sed -n '4,30p'; "$VRAMSCOPE" explain --json "$TESTDATA/driver/ddp.pickle.zst" | sed -n '/"driver": {/,/^      },/p'
