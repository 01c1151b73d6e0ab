# SPDX-License-Identifier: MIT
# travel.py -- snapshots converted there and back, and cut into pieces that fit together again.
#
#     python3 travel.py VRAMSCOPE SNAPSHOT...
#
# Prints TAP. CPython's own pickle reads what is written.

import json
import os
import pickle
import subprocess
import sys

program, snapshots = sys.argv[1], sys.argv[2:]
count = 0


def report(words, problems):
    global count
    count += 1
    print(f"{'not ' if problems else ''}ok {count} - {words}")
    for line in problems[:20]:
        print(f"#   {line}"[:300])


def run(*arguments, codes=(0, 3)):
    done = subprocess.run([program, *arguments], capture_output=True, check=False)
    if done.returncode not in codes:
        raise RuntimeError(f"{arguments}: {done.returncode}: {done.stderr.decode()[:200]}")
    return done.stdout


def read(name):
    with open(name, "rb") as file:
        return file.read()


# ---- convert -----------------------------------------------------------------------------------


def check_convert(snapshot):
    """What was written once is written again byte by byte, whatever lay between."""
    run("convert", snapshot, "-o", "a.pickle")
    run("convert", "a.pickle", "-o", "b.json")
    run("convert", "b.json", "-o", "c.pickle.zst")
    run("convert", "c.pickle.zst", "-o", "d.json.zst")
    run("convert", "d.json.zst", "-o", "e.pickle")
    run("convert", "e.pickle", "-o", "f.json")
    problems = []
    if read("a.pickle") != read("e.pickle"):
        problems.append("the pickle became another")
    if read("b.json") != read("f.json"):
        problems.append("the JSON became another")
    data = pickle.loads(read("a.pickle"))
    if as_lists(data) != json.loads(read("b.json")):
        problems.append("pickle and JSON differ")
    return problems


def as_lists(value):
    if isinstance(value, dict):
        return {str(k): as_lists(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_lists(v) for v in value]
    return value


# ---- slice -------------------------------------------------------------------------------------


def state(snapshot, moment):
    told = json.loads(run("state", "--json", "--at", moment, snapshot))
    blocks = [(b["address"], b["size"], b["state"],
               b["requested_size"] if b["state"] != "inactive" else 0)
              for s in told["segments"] for b in s["blocks"]]
    segments = [(s["address"], s["total_size"], s["stream"], s["segment_type"],
                 tuple(s["segment_pool_id"]), s["is_expandable"]) for s in told["segments"]]
    return segments, blocks, told["event"]


def events(snapshot):
    """Of the device with the longest trace, as PyTorch's tools read them."""
    return max(pickle.loads(read(snapshot))["device_traces"], key=len)


def check_pieces(snapshot, option, value):
    for name in os.listdir("."):
        if name.startswith("p."):
            os.remove(name)
    run("convert", snapshot, "-o", "whole.pickle")
    run("slice", option, str(value), "whole.pickle", "-o", "p.pickle")
    pieces = sorted(name for name in os.listdir(".") if name.startswith("p."))
    whole = events("whole.pickle")
    lengths = [len(events(piece)) for piece in pieces]
    problems = []
    if sum(lengths) != len(whole):
        problems.append(f"{lengths} events, {len(whole)} in all")
    if option == "--split" and len(pieces) != value:
        problems.append(f"{len(pieces)} pieces")
    if option == "--max-events" and max(lengths) > value:
        problems.append(f"a piece of {max(lengths)} events")
    joined = [key_of(e) for piece in pieces for e in events(piece)]
    if joined != [key_of(e) for e in whole]:
        problems.append("the pieces are not the whole")
    at = -1
    for k, piece in enumerate(pieces):
        if state(piece, "start")[:2] != state("whole.pickle", "start" if k == 0 else str(at))[:2]:
            problems.append(f"{piece} begins in another state")
        at += lengths[k]
        if state(piece, "end")[:2] != state("whole.pickle", str(at))[:2]:
            problems.append(f"{piece} ends in another state")
        if k and state(pieces[k - 1], "end")[:2] != state(piece, "start")[:2]:
            problems.append(f"{piece} does not begin where the one before it ends")
        run("validate", piece, codes=(0,))
    return problems


def key_of(event):
    return event["action"], event.get("addr"), event["size"], event.get("time_us")


def check_stretches(snapshot):
    """By event, time, step and around the peak: the states inside are the source's."""
    run("convert", snapshot, "-o", "whole.pickle")
    trace = events("whole.pickle")
    third, half = len(trace) // 3, len(trace) // 2
    _, _, peak = state("whole.pickle", "peak")
    cuts = [("events", third, half, ["--from", str(third), "--to", str(half)]),
            ("the peak", max(0, peak - 30), min(peak + 30, len(trace) - 1),
             ["--around", "peak", "--events", "30"])]
    times = [e["time_us"] for e in trace]
    first = times.index(times[third])
    while first > 0 and times[first - 1] == times[third]:
        first -= 1
    last = max(i for i, t in enumerate(times) if t <= times[half])
    cuts.append(("times", None, last,
                 ["--from", f"time:{times[third]}", "--to", f"time:{times[half]}"]))
    problems = []
    for words, first, last, options in cuts:
        run("slice", *options, "whole.pickle", "-o", "s.pickle")
        kept = events("s.pickle")
        if first is None:
            first = last + 1 - len(kept)
            if not times[first] <= times[third]:
                problems.append(f"{words}: begins at {first}")
        if [key_of(e) for e in kept] != [key_of(e) for e in trace[first:last + 1]]:
            problems.append(f"{words}: other events than {first} to {last}")
        for at in (first, (first + last) // 2, last):
            if state("s.pickle", str(at - first))[:2] != state("whole.pickle", str(at))[:2]:
                problems.append(f"{words}: another state at {at}")
    return problems


def check_memory_viz(snapshot):
    """The arithmetic of torch.cuda._memory_viz over a piece: every segment is tiled by its blocks,
    sums are those of its keys, and every event has the keys that it had."""
    run("convert", snapshot, "-o", "whole.pickle")
    whole = events("whole.pickle")
    first, last = len(whole) // 4, len(whole) // 2
    run("slice", "--from", str(first), "--to", str(last), "whole.pickle", "-o", "s.pickle")
    data = pickle.loads(read("s.pickle"))
    problems = []
    for segment in data["segments"]:
        at = segment["address"]
        for block in segment["blocks"]:
            if block["address"] != at:
                problems.append(f"a gap at {at:#x}")
            at += block["size"]
        if at != segment["address"] + segment["total_size"]:
            problems.append(f"segment {segment['address']:#x} is not full of blocks")
        sums = {"allocated_size": ("active_allocated",),
                "active_size": ("active_allocated", "active_pending_free")}
        for key, states in sums.items():
            total = sum(b["size"] for b in segment["blocks"] if b["state"] in states)
            if segment[key] != total:
                problems.append(f"{key} is {segment[key]}, blocks have {total}")
    for event, source in zip(events("s.pickle"), whole[first:last + 1]):
        if event != source:
            problems.append(f"an event became another: {source}")
    return problems


def check(words, function, *arguments):
    try:
        problems = function(*arguments)
    except (RuntimeError, KeyError, ValueError, IndexError) as error:
        problems = [f"{type(error).__name__}: {error}"]
    report(words, problems)


def main():
    cut = 0
    for snapshot in snapshots:
        name = os.path.basename(snapshot)
        done = subprocess.run([program, "convert", snapshot, "-o", "a.pickle"],
                              capture_output=True, check=False)
        # Files that hold no snapshot are refused; damaged ones are read as far as they go.
        if not os.path.exists("a.pickle"):
            continue
        check(f"{name}: there and back", check_convert, snapshot)
        one_device = sum(map(bool, pickle.loads(read("a.pickle"))["device_traces"])) == 1
        if done.returncode == 0 and one_device and cut < 3:
            check(f"{name}: three pieces", check_pieces, snapshot, "--split", 3)
            check(f"{name}: stretches", check_stretches, snapshot)
            if cut == 0:
                check(f"{name}: pieces of 100", check_pieces, snapshot, "--max-events", 100)
            check(f"{name}: as memory_viz reads it", check_memory_viz, snapshot)
            cut += 1
        os.remove("a.pickle")
    print(f"1..{count}")


main()
