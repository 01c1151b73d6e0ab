"$VRAMSCOPE" timeline -x event "$VRAMSCOPE_SHARED/data/runs/hf_gpt2_step_3.pickle.zst"
