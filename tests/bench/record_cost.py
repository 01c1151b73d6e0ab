# SPDX-License-Identifier: MIT
"""Nanoseconds of the processor for a call of the driver, DEPTH Python frames deep: as record_cost.c.

    record_cost.py LIBCUDA PAIRS DEPTH [thread]     in the main thread or another
"""
import ctypes
import sys
import threading
import time

cuda = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
alloc, free = cuda.cuMemAllocAsync, cuda.cuMemFreeAsync
free.argtypes = [ctypes.c_uint64, ctypes.c_void_p]


def pairs(count):
    at = ctypes.c_uint64()
    there = ctypes.byref(at)
    start = time.thread_time()
    for _ in range(count):
        alloc(there, 4096, None)
        free(at, None)
    return (time.thread_time() - start) / count / 2 * 1e9


def deeper(depth, count):
    return deeper(depth - 1, count) if depth > 1 else pairs(count)


def measure():
    depth = int(sys.argv[3])
    deeper(depth, 1000)
    print("%.1f" % min(deeper(depth, int(sys.argv[2])) for _ in range(5)))


cuda.cuInit(0)
if sys.argv[4:]:
    thread = threading.Thread(target=measure)
    thread.start()
    thread.join()
else:
    measure()
