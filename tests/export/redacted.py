# SPDX-License-Identifier: MIT
# redacted.py -- what `vramscope redact` leaves of a snapshot: no name, every figure.
#
#     python3 redacted.py VRAMSCOPE SNAPSHOT...
#
# Prints TAP. CPython's own pickle reads both snapshots. Each name of the original that is not on the
# list of words that stay is searched for in the bytes of the redacted pickle and JSON; events and
# stacks are compared one by one; and every analysis must tell the same numbers.

import json
import os
import pickle
import re
import subprocess
import sys

program, snapshots = sys.argv[1], sys.argv[2:]
count = 0
KEY = "a key of this test"


def report(words, problems):
    global count
    count += 1
    print(f"{'not ' if problems else ''}ok {count} - {words}")
    for line in problems[:20]:
        print(f"#   {line}"[:300])


def run(*arguments):
    done = subprocess.run([program, *arguments], capture_output=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{arguments}: {done.returncode}: {done.stderr.decode()[:200]}")
    return done.stdout.decode("utf-8")


def plain(snapshot):
    """The snapshot as a pickle that CPython reads, whatever it came as."""
    run("convert", snapshot, "-o", "plain.pickle")
    with open("plain.pickle", "rb") as file:
        return pickle.load(file)


FRAMES = [
    ("/home/zelda/venv/lib/python3.12/site-packages/torch/nn/modules/linear.py", "forward"),
    ("/home/zelda/venv/lib/python3.12/site-packages/acmeworks/layers.py", "fancy_product"),
    ("/home/zelda/.local/lib/python3.11/contextlib.py", "inner"),
    ("/tmp/torchinductor_zelda/ab/cabcdefgh.py", "call"),
    ("acmekernel.cpp", "void acme::fast::launch<at::Tensor>(at::Tensor const&)"),
    ("RegisterCUDA.cpp", "at::native::add(at::Tensor const&)"),
    ("/home/zelda/projects/moonshot/train_moonshot.py", "train_step"),
    ("<ipython-input-3-moonshot>", "helper_function"),
    ("<attrs generated init acmeworks.Config>", "__init__"),
]


def disguised(snapshot):
    """The same with frames, annotations and metadata that tell more than they should."""
    data = plain(snapshot)
    frames = [{"filename": f, "name": n, "line": i + 1} for i, (f, n) in enumerate(FRAMES)]
    times = []
    for trace in data["device_traces"]:
        for i, event in enumerate(trace):
            times.append(event.get("time_us", 0))
            event["frames"] = frames[i % 3:i % 3 + 6] + frames[-2:][:i % 2 + 1]
            event["user_metadata"] = "tenant=bigbank" if i % 2 else "tenant=smallbank"
            event["compile_context"] = "0/1 moonshot_model"
    data["external_annotations"] = [
        {"stage": stage, "name": name, "device": 0, "time_us": at}
        for name, at, end in (("## moonshot step 3 ##", times[5], times[200]),
                              ("## forward ##", times[10], times[50]))
        for stage, at in (("START", at), ("END", end))]
    data["external_annotations"].sort(key=lambda a: a["time_us"])
    with open("disguised.pickle", "wb") as file:
        pickle.dump(data, file, protocol=4)
    return "disguised.pickle"


# ---- what must be gone -------------------------------------------------------------------------

LIBRARY = re.compile(r"site-packages/|dist-packages/|lib/python3\.\d+/|^<frozen|/torchinductor_")


def is_user(frame):
    """Python code that is no library's: what site rules call the user's own."""
    path, name = frame.get("filename", ""), frame.get("name", "")
    if not (path.endswith(".py") or path.startswith("<") or path.endswith(".ipynb")):
        return False
    return not LIBRARY.search(path) and not name.startswith("<frozen")


INSTALLED = re.compile(r"^(.*?)((?:lib/python3\.\d+/)?(?:site|dist)-packages/|lib/python3\.\d+/)(.*)$")
INDUCTOR = re.compile(r"^(.*)/torchinductor_([^/]+)/")
PLAIN = ("/", "/usr/", "/usr/local/", "/opt/conda/")


def walk_frame(frame, names, kept):
    path, name = frame["filename"], frame["name"]
    installed, inductor = INSTALLED.match(path), INDUCTOR.match(path)
    generated = "<attrs generated"
    if path.startswith(generated):
        kept.update((generated, name))
        names.add(path[len(generated):])
    elif is_user(frame):
        names.update((path, name))
    elif installed:
        prefix, marker, rest = installed.groups()
        if prefix not in PLAIN:
            names.add(prefix)
        kept.add(marker)
        private = "site" in marker and rest.split("/")[0].startswith("acme")
        (names if private else kept).update((rest, name))
    elif inductor:
        names.update(inductor.groups())
        kept.update((path[inductor.end():], name))
    elif "acme" in name:
        names.update((path, name))
    else:
        kept.update((path, name))


def walk(value, names, kept, key=None, seen=None):
    """Strings that redact replaces, and those that it keeps. Shared stacks are looked at once."""
    seen = set() if seen is None else seen
    if isinstance(value, (dict, list)):
        if id(value) in seen:
            return
        seen.add(id(value))
    if isinstance(value, dict):
        if "filename" in value and "name" in value:
            kept.update(value)
            walk_frame(value, names, kept)
            return
        for k, v in value.items():
            kept.add(str(k))
            walk(v, names, kept, k, seen)
    elif isinstance(value, (list, tuple)):
        for v in value:
            walk(v, names, kept, key, seen)
    elif isinstance(value, str):
        secret = key in ("user_metadata", "internal_metadata", "compile_context", "forward_frames")
        (names if secret or key == "name" else kept).add(value)


WORD = re.compile(r"[A-Z]*[a-z\x80-\U0010ffff]*|\d+")
IDENTIFIER = re.compile(r"[A-Za-z0-9_\x80-\U0010ffff]+")


def stays(identifier, words):
    """Is it made of words that stay, with numbers or without?"""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Za-z\x80-\U0010ffff]+", identifier)
    return all(p.lower() in words for p in parts)


def secrets(original, words):
    """Identifiers that must be gone, and those that stay where they are."""
    names, kept = set(), set()
    walk(original, names, kept)
    known = set()
    for text in kept:
        known.update(IDENTIFIER.findall(text))
    found = set()
    for name in names:
        for identifier in IDENTIFIER.findall(name):
            if len(identifier) >= 4 and identifier not in known and not stays(identifier, words):
                found.add(identifier)
    return found, known


def known_has(known, form):
    return any(form in word for word in known)


def words_that_stay(text):
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Kept inside"))
    return {word for line in lines[start + 1:] for word in line.split()}


def check_bytes(original, words):
    problems = []
    wanted, known = secrets(original, words)
    run("convert", "r.pickle.zst", "-o", "r.pickle")
    forms = ["r.pickle"]
    # JSON repeats every stack; the pickle of a large file is proof enough.
    if os.path.getsize("r.pickle") < 500000:
        run("redact", "--hash-key", KEY, "plain.pickle", "-o", "r.json")
        forms.append("r.json")
    for name in forms:
        with open(name, "rb") as file:
            data = file.read()
        there = {w.decode() for w in re.findall(rb"[A-Za-z0-9_]+", data)}
        for identifier in sorted(wanted):
            forms = {identifier, json.dumps(identifier)[1:-1]}
            # Also inside another word, but for one of a library.
            leaks = [w for w in there if w not in known and any(form in w for form in forms)]
            if leaks or any(form.encode() in data for form in forms if not known_has(known, form)):
                problems.append(f"{identifier} is in {name}: {leaks}")
    return problems, len(wanted)


# ---- what must be left -------------------------------------------------------------------------


def stack_of(frames):
    return tuple((f["filename"], f["line"], f["name"]) for f in frames)


def pair(table, back, a, b, what, problems):
    if table.setdefault(a, b) != b or back.setdefault(b, a) != a:
        problems.append(f"{what}: equal ones became different, or different ones equal: {a}")


def check_structure(original, redacted):
    """The same snapshot but for strings, and these one for one."""
    problems = []
    stacks, back = {}, {}
    texts, texts_back = {}, {}

    seen = set()

    def same(a, b, path):
        if len(problems) > 20:
            return
        if isinstance(a, dict) and isinstance(b, dict):
            if list(a) != list(b):
                problems.append(f"{path}: keys {list(a)} became {list(b)}")
                return
            for key in a:
                if key == "frames" and (id(a[key]), id(b[key])) in seen:
                    continue
                if key == "frames":
                    seen.add((id(a[key]), id(b[key])))
                    pair(stacks, back, stack_of(a[key]), stack_of(b[key]), "stack", problems)
                    if [f["line"] for f in a[key]] != [f["line"] for f in b[key]]:
                        problems.append(f"{path}: lines differ")
                else:
                    same(a[key], b[key], f"{path}.{key}")
        elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            if len(a) != len(b):
                problems.append(f"{path}: {len(a)} became {len(b)}")
            for i, (x, y) in enumerate(zip(a, b)):
                same(x, y, f"{path}[{i}]")
        elif isinstance(a, str) and isinstance(b, str):
            kind = path.rsplit(".", 1)[-1]
            pair(texts, texts_back, (kind, a), (kind, b), path, problems)
        elif a != b or type(a) is not type(b):
            problems.append(f"{path}: {a!r} became {b!r}")

    same(original, redacted, "")
    return problems


# What an analysis says in a word of its own, and not in one of the file's.
OWN_WORDS = {"verdict", "cause", "category", "confidence", "reason", "phase", "kind", "history",
             "state", "source", "step_source", "action", "schema", "by", "rule", "detail",
             "advice", "setting", "key_kind"}
CATEGORIES = {"PARAMETER", "OPTIMIZER_STATE", "INPUT", "TEMPORARY", "ACTIVATION", "GRADIENT",
              "AUTOGRAD_DETAIL", "UNKNOWN", "(backward)", "(no stack)"}


def figures(value, key=None):
    """All but the file's own words; lists in an order that does not come from names."""
    if isinstance(value, dict):
        return {(k if not has_name(k) else "?"): figures(v, k) for k, v in sorted(value.items())
                if k not in ("file", "container", "path")}
    if isinstance(value, list):
        return sorted((figures(v, key) for v in value), key=lambda v: json.dumps(v, sort_keys=True))
    if isinstance(value, str) and key not in OWN_WORDS and value not in CATEGORIES:
        return "?"
    return value


def has_name(key):
    return not re.fullmatch(r"[a-z0-9_]+", key)


ANALYSES = [
    ["info"], ["validate"], ["categories"], ["frag"], ["leaks"], ["explain"],
    ["top", "--by", "site", "--at", "peak"], ["top", "--by", "stack", "--at", "end"],
    ["top", "--by", "category", "--at", "peak"], ["top", "--by", "annotation", "--at", "peak"],
    ["top", "--by", "function", "--at", "peak"], ["top", "--by", "file", "--at", "peak"],
    ["diff", "--by", "site"],
]


def check_analyses(snapshot):
    problems = []
    for analysis in ANALYSES:
        told = []
        for file in (snapshot, "r.pickle.zst"):
            arguments = [*analysis, "--json", file]
            if analysis[0] == "diff":
                arguments = [*analysis, "--json", file, "--from", "start", "--to", "peak"]
            done = subprocess.run([program, *arguments], capture_output=True, check=False)
            try:
                document = json.loads(done.stdout) if done.stdout else {"status": done.returncode}
            except json.JSONDecodeError as error:
                document = {"error": str(error)}
            told.append(json.dumps(figures(document), sort_keys=True, indent=0).splitlines())
        if told[0] != told[1]:
            where = next((i for i, (a, b) in enumerate(zip(*told)) if a != b), -1)
            problems.append(f"{' '.join(analysis)}: {told[0][where - 3:where + 2]} "
                            f"became {told[1][where - 3:where + 2]}")
    return problems


def check_keep(original, words):
    """What --keep matches is whole, the rest is gone; another key gives other names."""
    names, kept = set(), set()
    walk(original, names, kept)
    paths = sorted(n for n in names if n.endswith(".py"))
    if not paths:
        return []
    keep = paths[0].rsplit("/", 1)[-1]
    run("redact", "--hash-key", KEY, "--keep", re.escape(keep), "plain.pickle", "-o", "k.pickle")
    run("redact", "--hash-key", "another", "plain.pickle", "-o", "o.pickle")
    run("redact", "--hash-key", KEY, "plain.pickle", "-o", "again.pickle")
    data = {}
    for name in ("k", "o", "r", "again"):
        with open(f"{name}.pickle", "rb") as file:
            data[name] = file.read()
    problems = []
    if keep.encode() not in data["k"]:
        problems.append(f"--keep {keep} did not keep it")
    if pickle.loads(data["r"]) != pickle.loads(data["again"]):
        problems.append("the same key gave other names")
    if secrets(original, words)[0] and data["r"] == data["o"]:
        problems.append("another key gave the same names")
    return problems


def main():
    for snapshot in [disguised(snapshots[0]), *snapshots]:
        name = os.path.basename(snapshot)
        original = plain(snapshot)
        text = run("redact", "--hash-key", KEY, "plain.pickle", "-o", "r.pickle.zst")
        words = words_that_stay(text)
        problems, n = check_bytes(original, words)
        report(f"{name}: {n} names are gone", problems)
        with open("r.pickle", "rb") as file:
            redacted = pickle.load(file)
        report(f"{name}: the same structure", check_structure(original, redacted))
        report(f"{name}: the same answers", check_analyses("plain.pickle"))
        report(f"{name}: --keep and --hash-key", check_keep(original, words))
    print(f"1..{count}")


main()
