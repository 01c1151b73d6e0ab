# SPDX-License-Identifier: MIT
"""vramscope.py -- record GPU memory history of a PyTorch program, and dump it when it matters.

One file, standard library only (and PyTorch at run time). Put it beside your program, or install it:

    import vramscope

    vramscope.start("snapshots", max_entries=200_000)    # before the model is made
    for batch in loader:
        with vramscope.step():                           # one training step
            train(batch)
    vramscope.stop()

It dumps HOST_TIME_rankR.pickle when memory runs out (with the state as it was before Python unwinds
the stack), on a signal, every N steps, and at exit. Beside an out-of-memory dump lie

    x.observer.json   what PyTorch told: {"device", "alloc", "device_alloc", "device_free"}
    x.message.txt     the text of the exception

which `vramscope explain x.pickle` picks up. Nothing here can fail the program: trouble of its own
is one line of logging.

Without touching the program: `vramscope record --torch -- python train.py`. Settings then come from
VRAMSCOPE_TORCH_* (see start).
"""

import atexit
import contextlib
import json
import logging
import os
import signal as _signal
import socket
import sys
import threading
import time
from datetime import datetime

__all__ = ["start", "stop", "dump", "step", "watch", "status"]

logger = logging.getLogger("vramscope")

# As the PyTorch examples name their files: %b_%d_%H_%M_%S.
TIME_FORMAT = "%b_%d_%H_%M_%S"
# Out-of-memory events of one failure follow each other quickly (a library that tries smaller
# workspaces makes dozens): dumps of a burst replace each other, and take at most this share of time.
BURST_SECONDS = 10.0
DUMP_SHARE = 0.2


class _Recording:
    """What start() set up. All state of the module is in one of these, behind one lock."""

    def __init__(self, torch, options):
        self.torch = torch
        self.options = options
        self.lock = threading.RLock()
        self.steps = 0
        self.files = []  # regular dumps, oldest first
        self.oom_files = []
        self.last_oom_time = None  # monotonic seconds of the last OOM dump
        self.last_dump_seconds = 0.0
        self.ooms = 0
        self.undumped_oom = None  # the observer's facts of an OOM that was not dumped
        self.message_for = None  # base name of the OOM dump whose message is not known yet
        self.hooks = []  # functions that undo what start() did
        self.active = True


_current = None


def _rank(torch):
    for name in ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "LOCAL_RANK"):
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    try:
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            return torch.distributed.get_rank()
    except Exception:  # a broken process group is not ours to report
        pass
    return 0


def _start_history(torch, options):
    """_record_memory_history with as many of the wanted arguments as this PyTorch knows."""
    wanted = {"max_entries": options["max_entries"], "stacks": options["stacks"]}
    if options["annotations"]:
        wanted["global_record_annotations"] = True
    while True:
        try:
            torch.cuda.memory._record_memory_history(**wanted)
            return
        except TypeError as error:
            unknown = [name for name in wanted if "'%s'" % name in str(error)]
            if not unknown:
                raise
            for name in unknown:
                del wanted[name]


def start(
    directory=None,
    *,
    max_entries=None,
    stacks=None,
    annotations=True,
    on_oom=True,
    on_exit=True,
    on_signal=None,
    every=None,
    keep=None,
):
    """Start recording on all devices. Returns True, or False with a line of logging.

    directory    where dumps go; made when missing ("." without it)
    max_entries  events kept, the newest (100,000); a transformer's step is 5,000 to 50,000
    stacks       "python" (cheap) or "all" (C++ frames too)
    annotations  record_function ranges in the snapshot, where this PyTorch can
    on_oom       dump when memory runs out
    on_exit      dump when the interpreter ends
    on_signal    dump on this signal, for instance signal.SIGUSR2
    every        dump every N calls of step()
    keep         regular dumps kept, the newest (5), and as many of running out of memory

    What is not given comes from VRAMSCOPE_TORCH_DIR, _MAX_ENTRIES, _STACKS, _SIGNAL, _EVERY, _KEEP.
    """
    global _current
    environ = os.environ.get
    if _current is not None and _current.active:
        logger.warning("vramscope: already recording")
        return False
    try:
        options = {
            "directory": directory or environ("VRAMSCOPE_TORCH_DIR", "."),
            "max_entries": int(max_entries or environ("VRAMSCOPE_TORCH_MAX_ENTRIES", 100_000)),
            "stacks": stacks or environ("VRAMSCOPE_TORCH_STACKS", "python"),
            "annotations": annotations,
            "every": int(every or environ("VRAMSCOPE_TORCH_EVERY", 0)),
            "keep": max(1, int(keep or environ("VRAMSCOPE_TORCH_KEEP", 5))),
        }
        number = on_signal or environ("VRAMSCOPE_TORCH_SIGNAL")
        import torch

        if not torch.cuda.is_available():
            logger.info("vramscope: no CUDA device; not recording")
            return False
        os.makedirs(options["directory"], exist_ok=True)
        recording = _Recording(torch, options)
        _start_history(torch, options)
        _current = recording
        if on_oom:
            _attach_observer(recording)
            _hook_exceptions(recording)
        if on_exit:
            atexit.register(_dump_at_exit, recording)
        if number:
            _hook_signal(recording, number)
        return True
    except Exception as error:
        logger.warning("vramscope: cannot record: %s", error)
        return False


def stop():
    """Stop recording. Dumps that were made stay."""
    global _current
    recording, _current = _current, None
    if recording is None or not recording.active:
        return
    recording.active = False
    for undo in reversed(recording.hooks):
        undo()
    try:
        recording.torch.cuda.memory._record_memory_history(enabled=None)
    except Exception as error:
        logger.warning("vramscope: cannot stop recording: %s", error)


def dump(path=None):
    """Dump now, to `path` or to a file of the usual name. Returns the path, or None."""
    recording = _current
    if recording is None:
        logger.warning("vramscope: not recording")
        return None
    with recording.lock:
        return _dump(recording, path, recording.files)


@contextlib.contextmanager
def step(name=None):
    """One training step: a named range in the snapshot, and a dump every N of them."""
    recording = _current
    if recording is None:
        yield
        return
    with recording.lock:
        number = recording.steps
        recording.steps += 1
    with recording.torch.profiler.record_function(name or "## step %d ##" % number):
        yield
    every = recording.options["every"]
    if recording.active and every and (number + 1) % every == 0:
        dump()


@contextlib.contextmanager
def watch():
    """Keep the message of an out-of-memory error that the program catches further out."""
    try:
        yield
    except Exception as error:
        recording = _current
        if recording is not None:
            _note_exception(recording, error)
        raise


def status():
    """What is being recorded, as a dict; {} when nothing is."""
    recording = _current
    if recording is None:
        return {}
    return {
        "directory": recording.options["directory"],
        "max_entries": recording.options["max_entries"],
        "steps": recording.steps,
        "ooms": recording.ooms,
        "files": list(recording.files),
        "oom_files": list(recording.oom_files),
    }


# ---- dumping ----


def _new_path(recording):
    base = "%s_%s_rank%d" % (
        socket.gethostname(),
        datetime.now().strftime(TIME_FORMAT),
        _rank(recording.torch),
    )
    taken = set(recording.files + recording.oom_files)
    for n in range(1, 10_000):
        name = base + ("" if n == 1 else "_%d" % n) + ".pickle"
        path = os.path.join(recording.options["directory"], name)
        if path not in taken and not os.path.exists(path):
            return path
    raise OSError("no free name like %s.pickle" % base)


def _dump(recording, path, files):
    """Write a snapshot whole or not at all; forget the oldest of `files` when there are too many."""
    began = time.monotonic()
    try:
        path = path or _new_path(recording)
        partial = path + ".part"
        recording.torch.cuda.memory._dump_snapshot(partial)
        os.replace(partial, path)
    except Exception as error:
        logger.warning("vramscope: cannot dump: %s", error)
        return None
    recording.last_dump_seconds = time.monotonic() - began
    if path not in files:
        files.append(path)
    while len(files) > recording.options["keep"]:
        _remove(files.pop(0))
    logger.info("vramscope: wrote %s", path)
    return path


def _remove(path):
    base = path[: -len(".pickle")] if path.endswith(".pickle") else path
    for name in (path, base + ".message.txt", base + ".observer.json"):
        with contextlib.suppress(OSError):
            os.remove(name)


def _write_beside(path, suffix, text):
    try:
        with open(path[: -len(".pickle")] + suffix, "w", encoding="utf-8") as f:
            f.write(text)
    except OSError as error:
        logger.warning("vramscope: cannot write %s: %s", suffix, error)


# ---- out of memory ----


def _attach_observer(recording):
    # PyTorch has no way to take an observer off again: it looks at `active`.
    def observer(device, alloc, device_alloc, device_free):
        try:
            _on_oom(recording, device, alloc, device_alloc, device_free)
        except Exception as error:
            logger.warning("vramscope: %s", error)

    recording.torch._C._cuda_attach_out_of_memory_observer(observer)


def _on_oom(recording, device, alloc, device_alloc, device_free):
    facts = {
        "device": device,
        "alloc": alloc,
        "device_alloc": device_alloc,
        "device_free": device_free,
    }
    with recording.lock:
        if not recording.active:
            return
        recording.ooms += 1
        now = time.monotonic()
        last = recording.last_oom_time
        if last is not None and now - last < recording.last_dump_seconds / DUMP_SHARE:
            # Too soon: the trace of a later dump holds this event too.
            recording.undumped_oom = facts
            return
        _dump_oom(recording, facts, now)


def _dump_oom(recording, facts, now):
    last = recording.last_oom_time
    same_burst = last is not None and now - last < BURST_SECONDS and recording.oom_files
    path = recording.oom_files[-1] if same_burst and recording.message_for else None
    path = _dump(recording, path, recording.oom_files)
    recording.last_oom_time = time.monotonic()
    recording.undumped_oom = None
    if path is not None:
        _write_beside(path, ".observer.json", json.dumps(facts) + "\n")
        recording.message_for = path


def _is_oom(recording, error):
    kind = getattr(recording.torch, "OutOfMemoryError", None) or getattr(
        recording.torch.cuda, "OutOfMemoryError", RuntimeError
    )
    return isinstance(error, kind) and "out of memory" in str(error)


def _note_exception(recording, error):
    """An exception reached us: when it is the OOM's own, keep its text beside the dump."""
    with recording.lock:
        if not recording.active or not _is_oom(recording, error):
            return
        if recording.undumped_oom is not None:
            _dump_oom(recording, recording.undumped_oom, time.monotonic())
        if recording.message_for is not None:
            _write_beside(recording.message_for, ".message.txt", str(error) + "\n")
            recording.message_for = None


def _hook_exceptions(recording):
    previous = sys.excepthook
    previous_thread = threading.excepthook

    def excepthook(kind, error, traceback):
        with contextlib.suppress(Exception):
            _note_exception(recording, error)
        previous(kind, error, traceback)

    def thread_excepthook(args):
        with contextlib.suppress(Exception):
            _note_exception(recording, args.exc_value)
        previous_thread(args)

    sys.excepthook = excepthook
    threading.excepthook = thread_excepthook

    def undo():
        if sys.excepthook is excepthook:
            sys.excepthook = previous
        if threading.excepthook is thread_excepthook:
            threading.excepthook = previous_thread

    recording.hooks.append(undo)


# ---- exit and signals ----


def _dump_at_exit(recording):
    with recording.lock:
        if recording.active:
            _dump(recording, None, recording.files)


def _hook_signal(recording, number):
    if isinstance(number, str) and not number.isdigit():
        number = getattr(_signal, number if number.startswith("SIG") else "SIG" + number)
    number = int(number)
    previous = _signal.getsignal(number)

    # Runs between bytecodes of the main thread, so never inside the allocator.
    def handler(signum, frame):
        with recording.lock:
            if recording.active:
                _dump(recording, None, recording.files)
        if callable(previous):
            previous(signum, frame)

    _signal.signal(number, handler)
    recording.hooks.append(lambda: _signal.signal(number, previous or _signal.SIG_DFL))
