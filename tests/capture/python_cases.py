# SPDX-License-Identifier: MIT
"""Allocate GPU memory from stacks of every shape, and write what each stack is by CPython's own word.

    python python_cases.py LIBCUDA EXPECTED.json     under `vramscope record`
    python python_cases.py --check SNAPSHOT EXPECTED.json [--alone]

Each allocation has a size of its own, by which its stack is found again. Runs on 3.8 and later.
"""
import asyncio
import atexit
import ctypes
import gc
import json
import os
import sys
import threading
import time
import weakref

DEPTH = 128  # frames that the recorder keeps
expected = {}  # size: [[file, name, line], ...], innermost first
lock = threading.Lock()
next_size = 1000


def describe(frame):
    frames = []
    while frame is not None and len(frames) < DEPTH:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        frames.append([cut(code.co_filename, 1024), cut(name, 512), frame.f_lineno])
        frame = frame.f_back
    return frames


def cut(text, room):
    """Text as the recorder keeps it: whole characters, with 4 bytes of room for each."""
    out = b""
    for c in text:
        if len(out) + 4 > room:
            break
        out += c.encode()
    return out.decode()


def new_size():
    global next_size
    with lock:
        next_size += 1
        return next_size


def alloc():
    at = ctypes.c_uint64()
    size = new_size()
    expected[size] = describe(sys._getframe()); cuda.cuMemAlloc_v2(ctypes.byref(at), size)
    return at.value


def alloc_with_gil():
    at = ctypes.c_uint64()
    size = new_size()
    expected[size] = describe(sys._getframe()); cuda_gil.cuMemAlloc_v2(ctypes.byref(at), size)


def recurse(n):
    if n == 0:
        return alloc()
    return recurse(n - 1)


def generate(n):
    for _ in range(n):
        yield alloc()


def delegate(n):
    yield from generate(n)


def over_lines(
    *rest,
):
    return (
        [
            alloc(),
        ],
        alloc(
        ),
        rest
    )


def handled():
    try:
        raise ValueError
    except ValueError:
        alloc()
    finally:
        alloc()
    with threading.Lock():
        alloc()


class Made:
    def __init__(self):
        self.at = alloc()

    @property
    def attribute(self):
        return alloc()

    @classmethod
    def of_class(cls):
        return alloc()

    def __getattr__(self, name):
        alloc()
        return len(name)

    def __add__(self, other):
        alloc()
        return other

    def __call__(self):
        return (lambda: alloc())()


class Dies:
    def __init__(self):
        self.me = self

    def __del__(self):
        alloc()


def classes():
    for _ in range(100):  # until the interpreter has specialised it
        made = Made()
        made.attribute
        made.anything
        made + 1
        made()
        Made.of_class()


def comprehensions():
    list(generate(3))
    list(delegate(3))
    [alloc() for _ in range(3)]
    {alloc(): 1 for _ in range(3)}
    sum(alloc() for _ in range(3))
    sorted(range(5), key=lambda x: alloc())
    list(map(lambda x: alloc(), range(3)))


def executed():
    """Code that dies, and whose place in memory another takes."""
    for i in range(300):
        scope = {"alloc": alloc}
        exec(compile("\n" * i + "def made_%d():\n    return alloc()\nmade_%d()" % (i, i),
                     "file_%d.py" % (i % 7), "exec"), scope)
        del scope
    eval("alloc()")
    for name in ("caf\xe9", "\u5185\u5b58", "\U00010400x", "long_" + "\xe9" * 700):
        scope = {"alloc": alloc}
        exec(compile("def %s(): return alloc()\n%s()" % (name, name), "/\U0001f600/" + name, "exec"),
             scope)


def many_lines():
    lines = ["def long_one():"]
    for i in range(6000):
        lines.append("    x = %d" % i if i % 1500 else "    alloc()")
        lines.append("")
    scope = {"alloc": alloc}
    exec(compile("\n".join(lines) + "\nlong_one()\n", "many.py", "exec"), scope)


def back_and_forth():
    scope = {"alloc": alloc, "f": lambda *a: a}
    text = "f(\n" + "\n" * 200 + "alloc(),\n" + "\n" * 300 + "f(alloc(),\n" + "\n" * 150 + "))\nalloc()"
    exec(compile(text, "jumps.py", "exec"), scope)


def from_c():
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)

    def compared(a, b):
        alloc()
        return 0

    numbers = (ctypes.c_int * 3)(3, 2, 1)
    ctypes.CDLL(None).qsort(numbers, 3, ctypes.sizeof(ctypes.c_int), compare(compared))


def collected():
    for _ in range(5):
        Dies()
    gc.collect()
    thing = Made()
    ref = weakref.ref(thing, lambda r: alloc())
    del thing
    return ref


def traced():
    old = sys.gettrace()
    sys.settrace(lambda *a: None)
    sys.setprofile(lambda *a: None)
    recurse(3)
    sys.settrace(old)
    sys.setprofile(None)


async def leaf():
    alloc()
    await asyncio.sleep(0)
    alloc()
    return [alloc() async for _ in numbers()]


async def numbers():
    for i in range(3):
        await asyncio.sleep(0)
        yield i


async def gathered():
    await asyncio.gather(*(leaf() for _ in range(5)))


def churn(stop):
    """Keeps the GIL busy, makes and drops code and cycles."""
    while not stop.is_set():
        scope = {}
        exec("def f(x): return [x]\nf(f(1))", scope)
        gc.collect(0)


def in_threads():
    def work():
        for _ in range(20):
            alloc()
            recurse(10)
            alloc_with_gil()
            list(delegate(2))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def everything():
    alloc()
    alloc_with_gil()
    recurse(40)
    recurse(700)
    over_lines(alloc(),
               2)
    handled()
    classes()
    comprehensions()
    executed()
    many_lines()
    back_and_forth()
    from_c()
    collected()
    traced()
    asyncio.run(gathered())


def overtaken():
    """Daemons that are inside the driver while Python ends."""
    def work():
        at = ctypes.c_uint64()
        while True:
            cuda.cuMemAlloc_v2(ctypes.byref(at), 999)
            cuda.cuMemFree_v2(at)

    for _ in range(3):
        threading.Thread(target=work, daemon=True).start()
    time.sleep(0.05)


def main(library, output):
    global cuda, cuda_gil
    cuda = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)  # as the fake libcupti wants it
    cuda.cuMemFree_v2.argtypes = [ctypes.c_uint64]
    cuda_gil = ctypes.PyDLL(library)
    cuda.cuInit(0)
    sys.setrecursionlimit(5000)
    if os.environ.get("SHIFT"):
        recurse(40)
        list(delegate(3))
        return
    everything()
    stop = threading.Event()
    churner = threading.Thread(target=churn, args=(stop,))
    churner.start()
    everything()
    in_threads()
    stop.set()
    churner.join()

    @atexit.register
    def last():
        alloc()
        with open(output, "w") as f:
            json.dump(expected, f)
    overtaken()


def check(snapshot, expectation, alone):
    import pickle
    with open(expectation) as f:
        wanted = {int(size): frames for size, frames in json.load(f).items()}
    with open(snapshot, "rb") as f:
        trace = pickle.load(f)["device_traces"][0]
    wrong = 0
    seen = set()
    for event in trace:
        if event["action"] != "alloc" or event["size"] == 999:
            continue
        frames = [[f["filename"], f["name"], f["line"]] for f in event["frames"]]
        want = wanted[event["size"]]
        native = frames[:max(len(frames) - len(want), 0)]
        seen.add(event["size"])
        names = [f[1] for f in native]
        if alone and frames == want:
            continue
        if (frames[len(native):] == want and "cuMemAlloc_v2" in names and
                not any(os.path.basename(f[0]).startswith(("python3", "libpython3"))
                        for f in native)):
            continue
        wrong += 1
        if wrong <= 3:
            print("# wanted", str(want[:6])[:600], "\n# have  ", str(frames[:12])[:600])
    print("# %d stacks, %d wrong, %d not there" % (len(seen), wrong, len(wanted) - len(seen)))
    return wrong == 0 and len(seen) == len(wanted) and len(seen) > 1000


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        sys.exit(not check(sys.argv[2], sys.argv[3], "--alone" in sys.argv))
    main(sys.argv[1], sys.argv[2])
