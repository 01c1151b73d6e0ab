# SPDX-License-Identifier: MIT
"""fake_torch.py -- as much of torch as vramscope.py touches, without a GPU; copied to torch.py."""

import contextlib
import json
import os
import types


class OutOfMemoryError(RuntimeError):
    pass


calls = []  # of _record_memory_history
observers = []
state = types.SimpleNamespace(initialized=False, dumps=0, refuse=(), dump_seconds=0.0, fail_dump=None)
_queued = []


def _record_memory_history(enabled="all", **options):
    for name in state.refuse:
        if name in options:
            raise TypeError("f() got an unexpected keyword argument '%s'" % name)
    calls.append((enabled, options))


def _dump_snapshot(path):
    if state.fail_dump:
        raise state.fail_dump
    state.dumps += 1
    with open(path, "w") as f:
        json.dump({"dump": state.dumps}, f)


def _lazy_call(function):
    if state.initialized:
        function()
    else:
        _queued.append(function)


def init():
    """What the first use of the GPU does."""
    state.initialized = True
    while _queued:
        _queued.pop(0)()


def run_out(device=0, alloc=512, device_alloc=80, device_free=3):
    """What PyTorch's allocator does when memory runs out, but for the exception."""
    for observer in observers:
        observer(device, alloc, device_alloc, device_free)


cuda = types.SimpleNamespace(
    is_available=lambda: not os.environ.get("FAKE_NO_CUDA"),
    memory=types.SimpleNamespace(
        _record_memory_history=_record_memory_history, _dump_snapshot=_dump_snapshot
    ),
    OutOfMemoryError=OutOfMemoryError,
    _lazy_call=_lazy_call,
)
_C = types.SimpleNamespace(_cuda_attach_out_of_memory_observer=observers.append)
distributed = types.SimpleNamespace(is_available=lambda: False, is_initialized=lambda: False)
ranges = []


@contextlib.contextmanager
def _record_function(name):
    ranges.append(name)
    yield


profiler = types.SimpleNamespace(record_function=_record_function)
