#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# traces.py -- write the chrome traces and memory timelines of testdata/.
#
#     traces.py FOLDER

import gzip
import json
import pathlib
import sys

BASE = 1790857026000000000  # ns, as Kineto rounds it
START = 5234001126000000  # ns behind it
MIB = 1 << 20


def event(cat, name, start, length, tid=655, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 655, "tid": tid, "ts": start,
            "dur": length, "args": args}


class Trace:
    def __init__(self):
        self.events = []
        self.allocated = 40 * MIB  # before the trace
        self.reserved = 64 * MIB

    def memory(self, at, address, size, tid=655, name="[memory]"):
        if name == "[memory]":
            self.allocated += size
            self.reserved = max(self.reserved, self.allocated)
        args = {"Total Reserved": self.reserved, "Total Allocated": self.allocated,
                "Bytes": size, "Device Id": 0, "Device Type": 1, "Addr": address,
                "Ev Idx": len(self.events)}
        if name != "[memory]":
            del args["Addr"]
        self.events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": name,
                            "pid": 655, "tid": tid, "ts": at, "args": args})

    def step(self, k):
        t = START + k * 1000000
        e = self.events
        e.append(event("user_annotation", f"ProfilerStep#{k}", t, 900000))
        e.append(event("python_function", "train.py(10): main", t + 1000, 800000))
        e.append(event("python_function", "train.py(20): step", t + 2000, 700000))
        e.append(event("user_annotation", "## forward ##", t + 3000, 100000))
        e.append(event("python_function", "torch/nn/modules/linear.py(134): forward", t + 4000, 90000))
        e.append(event("cpu_op", "aten::linear", t + 5000, 50000,
                       **{"Sequence number": 7 + k, "Fwd thread id": 0, "Ev Idx": len(e)}))
        self.memory(t + 6000, 0x7F0000000000, 8 * MIB)
        e.append(event("user_annotation", "## backward ##", t + 200000, 100000))
        e.append(event("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", t + 210000,
                       50000, tid=776, **{"Sequence number": 7 + k, "Fwd thread id": 1}))
        e.append(event("cpu_op", "aten::mm", t + 212000, 20000, tid=776))
        self.memory(t + 213000, 0x7F0000A00000, 4 * MIB, tid=776)
        self.memory(t + 250000, 0x7F0000000000, -8 * MIB, tid=776)
        e.append(event("cpu_op", "aten::item", t + 400000, 10000))
        e.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 655,
                  "tid": 655, "ts": t + 401000,
                  "args": {"Device Type": 0, "Device Id": -1, "Bytes": 8 if k == 0 else -8,
                           "Addr": 4096, "Total Allocated": 8 if k == 0 else 0,
                           "Total Reserved": 0}})
        e.append({"ph": "s", "id": 1, "pid": 655, "tid": 655, "ts": t, "cat": "fwdbwd",
                  "name": "fwdbwd"})
        if k == 0:
            self.memory(t + 500000, 0x7F0000A00000, -4 * MIB)
        else:
            self.memory(t + 600000, None, 128 * MIB, name="[OutOfMemory]")
        e.append(event("kernel", "void gemm<float>", t + 6000, 4000, tid=7, stream=7,
                       grid=[1, 1, 1]))


def us(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


def kineto(events):
    """One key a line or so, numbers with three decimals."""
    out = []
    for e in events:
        e = dict(e)
        args = json.dumps(e.pop("args"))[1:-1] if "args" in e else None
        lines = ", ".join(f'"{k}": {us(v) if k in ("ts", "dur") else json.dumps(v)}'
                          for k, v in e.items())
        tail = f',\n    "args": {{\n      {args}\n    }}' if args is not None else ""
        out.append(f"  {{\n    {lines}{tail}\n  }}")
    return ",\n".join(out)


def head():
    return ('{\n  "schemaVersion": 1,\n  "deviceProperties": [\n    {\n      "id": 0, "name": '
            '"NVIDIA H200", "totalGlobalMem": 150109880320\n    }\n  ],\n  "profile_memory": 1,\n')


def steps():
    trace = Trace()
    for k in range(2):
        trace.step(k)
    end = {"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "",
           "ts": START + 2000000}
    return trace.events + [end]


def modern(events):
    return (head() + f'  "displayTimeUnit": "ms",\n  "baseTimeNanoseconds": {BASE},\n'
            f'  "traceEvents": [\n{kineto(events)}\n  ],\n  "traceName": "trace.json"\n}}\n')


def tail(events):
    text = ",\n".join(json.dumps({"args": e.get("args", {}), **{
        k: v / 1000 if k in ("ts", "dur") else v for k, v in e.items() if k != "args"}})
        for e in events)
    return ('{"schemaVersion": 1, "traceEvents": [\n' + text + '], "displayTimeUnit": "ms", '
            f'"baseTimeNanoseconds": {BASE}}}')


def of_2021(events):
    kept = []
    for e in events:
        e = dict(e)
        e["ts"] = (BASE + e["ts"]) // 1000
        if "dur" in e:
            e["dur"] //= 1000
        if e["name"] == "[memory]":
            e.pop("cat")
            e["args"] = {k: e["args"][k] for k in ("Device Type", "Device Id", "Bytes")}
        elif e["name"] == "[OutOfMemory]" or e.get("cat") == "python_function":
            continue
        elif e.get("cat") == "cpu_op":
            e["cat"] = "Operator"
            e["tid"] = str(e["tid"])
        kept.append(e)
    return json.dumps({"schemaVersion": 1, "traceEvents": kept}, indent=1)


def broken(text):
    text = text.replace('train.py(20): step', 'C:\\work\\train.py(20): step', 1)
    text = text.replace('"## forward ##"', '"## forward {"device": "cuda"} ##"', 1)
    text = text.replace('"## backward ##"', '"## back\nward \x01\xff ##"', 1)
    text = text.replace('  },\n  {\n', '  },\nWARNING: 2026-12-01 something was lost\n  {\n', 1)
    text = text.replace('  },\n  {\n', '  }\n  {\n', 1)
    text = text.replace('"Fwd thread id": 0', '"Fwd thread id": , "x": -inf', 1)
    return text[:text.rindex('"Record Window')]


RAW = [[-1, 1, 4096, 0], [-1, 1, 512, 7], [1796091622969604001, 2, 1024, 2],
       [1796091622969604870, 2, 2048, 4], [1796091622969604999, 3, -512, 7],
       [1796091622969604999, 3, 512, 5], [1796091622970000000, 4, -2048, 4],
       [1796091622971808250, 2, 8192, 3], [1796091622971808250, 4, -8192, 3]]


def plain(rows):
    times, sizes = [], []
    for t, _, size, category in rows:
        t = int(t / 1000) if t != -1 else -1
        if not times or t != times[-1]:
            times.append(t)
            sizes.append(list(sizes[-1]) if sizes else [0] * 9)
        sizes[-1][1 + category] += size
    first = min(t for t in times if t > 0)
    return [[first if t < 0 else t for t in times], sizes]


def main():
    folder = pathlib.Path(sys.argv[1])
    events = steps()
    zip_ = lambda text: gzip.compress(text.encode(), mtime=0)
    files = {
        "trace-steps.json.gz": zip_(modern(events)),
        "trace-tail.json": tail(events).encode(),
        "trace-2021.json": of_2021(events).encode(),
        "trace-broken.json": broken(modern(events)).encode("latin-1"),
        "timeline-small.raw.json.gz": zip_(json.dumps(RAW)),
        "timeline-small.json": json.dumps(plain(RAW)).encode(),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
