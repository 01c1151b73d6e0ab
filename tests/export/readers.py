# SPDX-License-Identifier: MIT
# readers.py -- every format that `vramscope export` writes, read back by a reader of its own kind.
#
#     python3 readers.py VRAMSCOPE FOLDER SNAPSHOT[@MOMENT]...
#
# Prints TAP. The figures of each must equal those that `vramscope top` tells. FOLDER holds the
# descriptions of the binary formats; files are written into the current one. Readers that are not
# installed (protoc, node, go, sqlite3) are skipped with a word.

import collections
import csv
import gzip
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

program, here, snapshots = sys.argv[1], sys.argv[2], sys.argv[3:]
count = 0


def report(words, problems):
    global count
    count += 1
    print(f"{'not ' if problems else ''}ok {count} - {words}")
    for line in problems[:20]:
        print(f"#   {line}"[:300])


def skip(words, why):
    global count
    count += 1
    print(f"ok {count} # SKIP {words}: {why}")


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, check=False)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"{arguments}: {done.returncode}: {done.stderr.decode()[:200]}")
    return done.stdout


def differences(what, got, want):
    problems = []
    for key in sorted(set(got) | set(want), key=str):
        if got.get(key) != want.get(key):
            problems.append(f"{what} {key!r}: {got.get(key)}, top says {want.get(key)}")
    return problems


class Question:
    """A snapshot, a moment of it and perhaps a filter: what `top` says, and exports of it."""

    def __init__(self, snapshot, options):
        self.snapshot = snapshot
        self.options = options
        self.answers = {}

    def top(self, by):
        if by not in self.answers:
            text = run(program, "top", "--json", "--by", by, *self.options, self.snapshot)
            self.answers[by] = json.loads(text)
        return self.answers[by]

    def bytes_by(self, by):
        sums = collections.Counter()
        for row in self.top(by)["rows"]:
            sums[key_words(row["key"])] += row["bytes"]
        return dict(sums)

    def blocks_by(self, by):
        sums = collections.Counter()
        for row in self.top(by)["rows"]:
            sums[key_words(row["key"])] += row["blocks"]
        return dict(sums)

    def bytes_by_stack(self):
        """Frames outermost first, joined by lines; the site's word for a stack without any."""
        sums = collections.Counter()
        for row in self.top("stack")["rows"]:
            # A frame without a file is ":0 name" here, and a name alone in most formats.
            frames = [bare(frame) for frame in row["stack"]]
            frames = frames or [row["key"].rsplit(" [", 1)[0]]
            sums["\n".join(reversed(frames))] += row["bytes"]
        return dict(sums)

    def export(self, name, *options):
        run(program, "export", *self.options, *options, self.snapshot, "-o", name)
        return name


def bare(frame):
    return frame[3:] if frame.startswith(":0 ") else frame


def key_words(key):
    """Pools are lists in JSON and words elsewhere, streams numbers."""
    if isinstance(key, list):
        return "default" if key == [0, 0] else f"[{key[0]}, {key[1]}]"
    if isinstance(key, int):
        return hex(key)
    return key


# ---- stacks ------------------------------------------------------------------------------------


CONTROL = re.compile("[\0-\x1f]")


def folded_sums(name):
    sums = collections.Counter()
    with open(name, encoding="utf-8") as lines:
        for line in lines:
            stack, weight = line.rstrip("\n").rsplit(" ", 1)
            sums[stack] += int(weight)
    return dict(sums)


def check_folded(q):
    want = collections.Counter()
    for stack, amount in q.bytes_by_stack().items():
        frames = (CONTROL.sub(" ", frame.replace(";", ":")) for frame in stack.split("\n"))
        want[";".join(frames)] += amount
    got = {";".join(bare(f) for f in stack.split(";")): n
           for stack, n in folded_sums(q.export("t.folded")).items()}
    problems = differences("stack", got, dict(want))
    keys = collections.Counter()
    for stack, amount in folded_sums(q.export("by.folded", "--by", "category")).items():
        keys[stack.split(";", 1)[0]] += amount
    return problems + differences("category", dict(keys), q.bytes_by("category"))


def check_speedscope(q):
    with open(q.export("t.speedscope.json"), encoding="utf-8") as file:
        data = json.load(file)
    sums = collections.Counter()
    profile = data["profiles"][0]
    for sample, weight in zip(profile["samples"], profile["weights"]):
        frames = []
        for i in sample:
            f = data["shared"]["frames"][i]
            frames.append(frame_words(f.get("file"), f.get("line", 0), f["name"]))
        sums["\n".join(frames)] += weight
    problems = differences("stack", dict(sums), q.bytes_by_stack())
    with open(q.export("by.speedscope.json", "--by", "pool"), encoding="utf-8") as file:
        pools = {p["name"]: sum(p["weights"]) for p in json.load(file)["profiles"]}
    return problems + differences("pool", pools, q.bytes_by("pool"))


def frame_words(file, line, name):
    return f"{file}:{line} {name}" if file else name


# ---- protocol buffers --------------------------------------------------------------------------


def decode(proto, message, data):
    """protoc's text form as nested dicts of lists."""
    done = subprocess.run(
        ["protoc", f"--proto_path={here}", f"--decode={message}", f"{here}/{proto}"],
        input=data, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode()[:200])
    root = collections.defaultdict(list)
    open_messages = [root]
    for line in done.stdout.decode("utf-8").splitlines():
        line = line.strip()
        if line.endswith("{"):
            inner = collections.defaultdict(list)
            open_messages[-1][line[:-1].strip()].append(inner)
            open_messages.append(inner)
        elif line == "}":
            open_messages.pop()
        else:
            key, value = line.split(": ", 1)
            if key.isdigit():
                raise RuntimeError(f"field {key} is not in {proto}")
            open_messages[-1][key].append(value)
    return root


OCTAL = re.compile(rb"\\([0-7]{3}|.)")
ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}


def proto_text(quoted):
    def plain(match):
        code = match.group(1)
        return bytes([int(code, 8)]) if len(code) == 3 else ESCAPES.get(code, code)

    return OCTAL.sub(plain, quoted[1:-1].encode("utf-8")).decode("utf-8")


def one(message, key, default="0"):
    return message[key][0] if message[key] else default


def check_pprof(q):
    with gzip.open(q.export("t.pb.gz", "--by", "category")) as file:
        profile = decode("profile.proto", "pprof_subset.Profile", file.read())
    strings = [proto_text(s) for s in profile["string_table"]]
    problems = [] if strings[0] == "" else ["string 0 is not empty"]
    functions = {one(f, "id"): f for f in profile["function"]}
    locations = {one(p, "id"): p for p in profile["location"]}
    types = [(strings[int(one(t, "type"))], strings[int(one(t, "unit"))])
             for t in profile["sample_type"]]
    if types != [("inuse_objects", "count"), ("inuse_space", "bytes")]:
        problems.append(f"types are {types}")
    if len(functions) != len(profile["function"]) or len(locations) != len(profile["location"]):
        problems.append("an id comes twice")
    stacks, categories, blocks = (collections.Counter() for _ in range(3))
    for sample in profile["sample"]:
        frames = []
        for place in sample["location_id"]:
            line = locations[place]["line"][0]
            function = functions[one(line, "function_id")]
            file = strings[int(one(function, "filename"))]
            name = strings[int(one(function, "name"))]
            known = int(one(function, "filename")) != 0
            frames.append(frame_words(file if known else None, one(line, "line"), name))
        label = sample["label"][0]
        if strings[int(one(label, "key"))] != "category":
            problems.append("a label is not the category")
        stacks["\n".join(reversed(frames))] += int(sample["value"][1])
        categories[strings[int(one(label, "str"))]] += int(sample["value"][1])
        blocks[strings[int(one(label, "str"))]] += int(sample["value"][0])
    return (problems + differences("stack", dict(stacks), q.bytes_by_stack()) +
            differences("category", dict(categories), q.bytes_by("category")) +
            differences("blocks of", dict(blocks), q.blocks_by("category")))


def check_go(q):
    """What Go's own tool adds up."""
    text = run("go", "tool", "pprof", "-raw", q.export("go.pb.gz")).decode()
    samples = text.split("\nSamples:\n", 1)[1].split("\nLocations\n", 1)[0].splitlines()
    rows = [re.match(r"\s*(\d+)\s+(\d+):", line) for line in samples]
    got = [sum(int(row.group(i)) for row in rows if row) for i in (1, 2)]
    want = [q.top("stack")["blocks"], q.top("stack")["total_bytes"]]
    return [] if got == want else [f"blocks and bytes are {got}, top says {want}"]


def read_perfetto(name):
    with open(name, "rb") as file:
        trace = decode("perfetto.proto", "perfetto_subset.Trace", file.read())
    tracks, counters, slices, instants = {}, {}, collections.defaultdict(list), []
    for packet in trace["packet"]:
        for d in packet["track_descriptor"]:
            tracks[one(d, "uuid")] = (proto_text(one(d, "name")), d)
        for e in packet["track_event"]:
            name, kind = tracks[one(e, "track_uuid")][0], one(e, "type")
            time = int(one(packet, "timestamp"))
            if kind == "TYPE_COUNTER":
                counters.setdefault(name, []).append((time, int(one(e, "counter_value"))))
            elif kind == "TYPE_INSTANT":
                instants.append(time)
            else:
                label = proto_text(one(e, "name")) if e["name"] else None
                slices[name].append((time, kind, label))
    return tracks, counters, slices, instants


def check_perfetto(q):
    tracks, counters, slices, instants = read_perfetto(q.export("t.pftrace"))
    info = json.loads(run(program, "info", "--json", q.snapshot))
    device = next(d for d in info["devices"] if d["device"] == q.top("site")["device"])
    problems = []
    for name, (_, d) in ((n, t) for n, t in tracks.items()):
        if d["counter"] and one(d["counter"][0], "unit") != "UNIT_SIZE_BYTES":
            problems.append(f"track {name} does not count bytes")
    last = {name: points[-1][1] for name, points in counters.items()}
    for name, points in counters.items():
        if any(a[0] > b[0] for a, b in zip(points, points[1:])):
            problems.append(f"{name}: time goes back")
    end = Question(q.snapshot, ["--at", "end", *q.filters()])
    for by in ("category", "pool"):
        got = {k[len(by) + 1:]: v for k, v in last.items() if k.startswith(by + " ") and v}
        problems += differences(by, got, end.bytes_by(by))
    for name in ("reserved", "allocated", "active"):
        want = device["end"][f"{name}_bytes"], device["peaks"][f"{name}_bytes"]
        got = last.get(name), max((v for _, v in counters.get(name, [])), default=None)
        if got != want:
            problems.append(f"{name}: end and peak {got}, info says {want}")
    if len(instants) != len(device["ooms"]):
        problems.append(f"{len(instants)} ooms, info says {len(device['ooms'])}")
    for name, marks in slices.items():
        depth = 0
        for _, kind, _ in sorted(marks, key=lambda mark: mark[0]):
            depth += 1 if kind == "TYPE_SLICE_BEGIN" else -1
        if depth:
            problems.append(f"track {name}: slices begin and do not end")
    begun = sum(k == "TYPE_SLICE_BEGIN" for n, m in slices.items() for _, k, _ in m
                if n.startswith("annotations"))
    spans = sum(info["annotations"]["names"].values())
    if begun != spans:
        problems.append(f"{begun} annotations, info says {spans}")
    return problems


# ---- rows --------------------------------------------------------------------------------------


def sums_of_rows(rows, key):
    sums = collections.Counter()
    for row in rows:
        sums[key_words(row[key])] += int(row["size"])
    return dict(sums)


def check_rows(q):
    with open(q.export("t.csv"), encoding="utf-8", newline="") as file:
        from_csv = list(csv.DictReader(file, strict=True))
    with open(q.export("t.json"), encoding="utf-8") as file:
        from_json = json.load(file)["allocations"]
    problems = []
    for name, rows in (("csv", from_csv), ("json", from_json)):
        for by in ("category", "site", "pool"):
            problems += differences(f"{name}: {by}", sums_of_rows(rows, by), q.bytes_by(by))
    for a, b in zip(from_csv, from_json):
        for key, value in b.items():
            told = "" if value is None else str(key_words(value) if key == "pool" else value)
            if a[key] != told:
                problems.append(f"{key}: {a[key]} as CSV, {value} as JSON")
    return problems


def check_sqlite(q):
    db = sqlite3.connect(q.export("t.sqlite"))
    moment = q.moment()
    problems = [f"integrity: {row}" for row in db.execute("PRAGMA integrity_check")
                if row != ("ok",)]
    for view, by in (("top_sites", "site"), ("top_categories", "category")):
        rows = db.execute(f"SELECT {by}, bytes, blocks FROM {view} WHERE moment = ?", (moment,))
        rows = list(rows)
        problems += differences(by, {k: b for k, b, _ in rows}, q.bytes_by(by))
        problems += differences(f"blocks of {by}", {k: n for k, _, n in rows}, q.blocks_by(by))
    event, = db.execute("SELECT event FROM states WHERE moment = ?", (moment,)).fetchone()
    if event != q.top("site")["event"]:
        problems.append(f"the state is of event {event}")
    alive = """SELECT category, sum(size) FROM allocations
        WHERE ifnull(alloc_event, -1) <= ? AND (free_event IS NULL OR free_event > ?)
        GROUP BY category"""
    problems += differences("alive", dict(db.execute(alive, (event, event))),
                            q.bytes_by("category"))
    stack = """SELECT t.frames, sum(size) FROM blocks JOIN stack_text t USING (stack_id)
        WHERE moment = ? GROUP BY t.frames"""
    want = {k: v for k, v in q.bytes_by_stack().items() if not k.startswith("(")}
    got = {}
    for frames, amount in db.execute(stack, (moment,)):
        got["\n".join(reversed([bare(f) for f in frames.split("\n")]))] = amount
    problems += differences("stack", got, want)
    if not q.filters():
        problems += [f"foreign key: {row}" for row in db.execute("PRAGMA foreign_key_check")]
    events, = db.execute("SELECT count(*) FROM events").fetchone()
    highest, = db.execute("SELECT max(allocated_bytes) FROM events").fetchone()
    info = json.loads(run(program, "info", "--json", q.snapshot))
    device = next(d for d in info["devices"] if d["device"] == q.top("site")["device"])
    if events != device["events"] or highest != device["peaks"]["allocated_bytes"]:
        problems.append(f"{events} events, highest {highest}")
    db.close()
    return problems


def check_sqlite3(q):
    """The command line opens it, and .schema tells what the columns mean."""
    q.export("cli.sqlite")
    total = run("sqlite3", "cli.sqlite",
                f"SELECT sum(bytes) FROM top_sites WHERE moment = '{q.moment()}'")
    schema = run("sqlite3", "cli.sqlite", ".schema allocations")
    problems = [] if b"alive at the end" in schema else ["the schema has lost its comments"]
    if int(total) != q.top("site")["total_bytes"]:
        problems.append(f"the sum is {total}")
    return problems


# ---- text --------------------------------------------------------------------------------------

SAMPLE = re.compile(r'([a-z_]+)\{((?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)*)\} (\d+)')
LABEL = re.compile(r'([a-z]+)="((?:[^"\\\n]|\\["\\n])*)"')


def read_openmetrics(text):
    """The grammar of OpenMetrics 1.0, as far as gauges need it. Fails on anything else."""
    if not text.endswith("\n# EOF\n") or "# EOF\n" in text[:-6]:
        raise RuntimeError("no # EOF at the end, or one before it")
    samples, types, family = {}, {}, None
    for line in text[:-6].splitlines():
        if line.startswith("# "):
            kind, name, rest = line[2:].split(" ", 2)
            if kind == "TYPE":
                if name in types:
                    raise RuntimeError(f"{name} comes twice")
                family, types[name] = name, rest
            elif name != family:
                raise RuntimeError(f"{line} belongs to no family")
            if kind == "UNIT" and not name.endswith("_" + rest):
                raise RuntimeError(f"{name} does not end in its unit")
            continue
        match = SAMPLE.fullmatch(line)
        if not match or match.group(1) != family:
            raise RuntimeError(f"no sample of {family}: {line}")
        labels = tuple((k, v.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\"))
                       for k, v in LABEL.findall(match.group(2)))
        if (family, labels) in samples:
            raise RuntimeError(f"{line} comes twice")
        samples[family, labels] = int(match.group(3))
    return samples


def check_openmetrics(q):
    problems = []
    for by in ("site", "category"):
        with open(q.export("t.prom", "--by", by), encoding="utf-8") as file:
            samples = read_openmetrics(file.read())
        held = {labels[1][1]: v for (name, labels), v in samples.items()
                if name == "vramscope_held_bytes"}
        problems += differences(by, held, q.bytes_by(by))
    text = run(program, "state", "--json", *q.moments(), q.snapshot)
    if not text:
        return problems  # a trace without segments
    state = json.loads(text)
    for name in ("reserved", "allocated", "active", "requested"):
        got = samples[f"vramscope_{name}_bytes", (("device", str(state["device"])),)]
        if got != state[f"{name}_bytes"]:
            problems.append(f"{name}: {got}, state says {state[f'{name}_bytes']}")
    return problems


def check_markdown(q):
    with open(q.export("t.md"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    tables = [line for line in lines if line.startswith("|")]
    problems = [f"not a row: {line}" for line in tables
                if not re.fullmatch(r"\|([^|]*\|){3}", line)]
    for row in q.top("site")["rows"][:10]:
        words = CONTROL.sub(" ", row["key"].replace("`", "'").replace("|", "/"))
        if not any(f"| {row['blocks']} | `{words}` |" in line for line in tables):
            problems.append(f"no row for {row['key']}")
    return problems


CHECKS = [
    ("folded stacks", check_folded, None),
    ("speedscope", check_speedscope, None),
    ("pprof", check_pprof, "protoc"),
    ("Perfetto", check_perfetto, "protoc"),
    ("rows", check_rows, None),
    ("SQLite", check_sqlite, None),
    ("OpenMetrics", check_openmetrics, None),
    ("Markdown", check_markdown, None),
]
# Slow to start: once is enough.
ONCE = [
    ("go tool pprof", check_go, "go"),
    ("the sqlite3 command", check_sqlite3, "sqlite3"),
]


class Asked(Question):
    def __init__(self, snapshot, moment, filters):
        super().__init__(snapshot, ["--at", moment, *filters])
        self.at, self.filter_options = moment, filters

    def filters(self):
        return self.filter_options

    def moments(self):
        return ["--at", self.at]

    def moment(self):
        return self.at


def check(words, function, tool, q):
    if tool and not shutil.which(tool):
        skip(words, f"no {tool}")
        return
    try:
        problems = function(q)
    except (RuntimeError, KeyError, ValueError, IndexError, sqlite3.Error) as error:
        problems = [f"{type(error).__name__}: {error}"]
    report(words, problems)


def main():
    for i, argument in enumerate(snapshots):
        snapshot, moment = argument.split("@")
        name = os.path.basename(snapshot)
        site = max(Asked(snapshot, moment, []).top("site")["rows"], key=lambda r: r["bytes"])
        for filters in [[]] if i else [[], ["--exclude", re.escape(site["key"])]]:
            q = Asked(snapshot, moment, filters)
            told = f"{name} at {moment}" + (", filtered" if filters else "")
            for words, function, tool in CHECKS + (ONCE if i == 0 and not filters else []):
                check(f"{words}: {told}", function, tool, q)
        if shutil.which("node"):
            Asked(snapshot, moment, []).export("s.speedscope.json")
            done = subprocess.run(["node", f"{here}/speedscope.mjs", "s.speedscope.json"],
                                  capture_output=True, check=False)
            report(f"speedscope's schema: {name}", done.stderr.decode().splitlines())
        else:
            skip("speedscope's schema", "no node")
    print(f"1..{count}")


main()
