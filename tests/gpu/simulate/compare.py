#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py -- predictions from the runs under the defaults, beside what the other runs did.

    compare.py VRAMSCOPE FOLDER [--roff]

FOLDER is that of record_settings.sh. Only NAME_default.pickle is simulated; the other runs give the truth. Exit
status 1 when a real figure lies outside a predicted range, or a run ended otherwise than predicted.
With --roff the table of the manual page comes out.
"""
import json
import pathlib
import subprocess
import sys


def simulate(vramscope, snapshot, stats):
    """The run of `vramscope simulate` under the settings and the limit of a real run."""
    command = [vramscope, "simulate", "--json", "-c", stats["settings"]]
    if stats["fraction"]:
        command += ["--capacity", str(stats["device_total"]), "--fraction",
                    repr(stats["fraction"])]
    done = subprocess.run([*command, str(snapshot)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr.strip())
    return json.loads(done.stdout)


def mib(n):
    return f"{n / 2**20:,.2f}"


def figure(run, key):
    low, high = run[f"{key}_low"], run[f"{key}_high"]
    return mib(low) if low == high else f"{mib(low)} to {mib(high)}"


def end_words(died):
    return {True: "out of memory", False: "fits", None: "not sure"}[died]


def compare(vramscope, folder):
    """Rows of words, and whether every prediction held."""
    rows, good = [], True
    for path in sorted(folder.glob("*.stats.json")):
        name = path.name.removesuffix(".stats.json")
        workload = name.split("_")[0]
        stats = json.loads(path.read_text(encoding="utf-8"))
        source = next(folder.glob(f"{workload}_default.pickle.*"))
        result = simulate(vramscope, source, stats)
        run = result["runs"][0]
        survives = run["survives"]
        reserved = stats["reserved_bytes.all.peak"]
        calls = stats["num_device_alloc"]
        died = None if survives is None else not survives
        held = died in (None, stats["died"])
        if not stats["died"]:
            # A run that dies is unwound before its statistics are taken.
            held &= run["peak_reserved_bytes_low"] <= reserved <= run["peak_reserved_bytes_high"]
            held &= run["device_allocs_low"] <= calls <= run["device_allocs_high"]
        good &= held and result["self_check"]["ok"]
        rows.append((name, figure(run, "peak_reserved_bytes"), mib(reserved), end_words(died),
                     end_words(stats["died"]), "" if held else "WRONG"))
    return rows, good


def main():
    rows, good = compare(sys.argv[1], pathlib.Path(sys.argv[2]))
    head = ("run", "reserved, predicted", "real (MiB)", "end, predicted", "real", "")
    if "--roff" in sys.argv[3:]:
        print(".nf")
    widths = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip())
    if "--roff" in sys.argv[3:]:
        print(".fi")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
