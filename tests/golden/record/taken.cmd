CUDA_INJECTION64_PATH=/other.so "$VRAMSCOPE" record -- true
