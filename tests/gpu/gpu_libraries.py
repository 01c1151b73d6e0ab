# SPDX-License-Identifier: MIT
"""gpu_libraries.py -- CuPy, JAX or Numba for tests/gpu/run.sh, and what each says of its memory."""

import ctypes
import os
import sys


def dump():
    """The recorder's snapshot of this moment; at exit Python has freed much."""
    library = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
    library.vramscope_capture_dump(os.environ["GPU_DUMP"].encode())


def cupy_program():
    import cupy

    kept = [cupy.ones(n * 100_000, dtype=cupy.float32) for n in range(1, 15)]
    del kept[::3]
    cupy.cuda.Device().synchronize()
    dump()
    print("pool_bytes", cupy.get_default_memory_pool().total_bytes())


def jax_program():
    import jax
    import jax.numpy as jnp

    a = jnp.ones((2048, 2048))
    b = (a @ a).block_until_ready()
    dump()
    stats = jax.devices()[0].memory_stats()
    print("jax_bytes", stats["bytes_in_use"])
    print("jax_pool_bytes", stats["pool_bytes"])
    del b


def numba_program():
    import numba.cuda
    import numpy

    kept = [numba.cuda.device_array(n * 100_000, dtype=numpy.float32) for n in range(1, 15)]
    dump()
    print("pool_bytes", sum(k.nbytes for k in kept))


{"cupy": cupy_program, "jax": jax_program, "numba": numba_program}[sys.argv[1]]()
