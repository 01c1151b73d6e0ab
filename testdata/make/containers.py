#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""containers.py -- one snapshot in every container, whole and damaged, and files that are none.

    containers.py SNAPSHOT.pickle FOLDER

Run with Python 3.11 and zstd 1.5.4. SNAPSHOT is good-container.pickle, which is also written to
FOLDER. Nothing in a snapshot is code: it is loaded by pickle here because we made it ourselves.
"""
import base64
import gzip
import io
import json
import pickle
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PAGE = """
<!DOCTYPE html>
<html>
<head>
</head>
<body>
<script type="module">
import {add_local_files} from "https://cdn.jsdelivr.net/gh/pytorch/pytorch@main/torch/utils/viz/MemoryViz.js"
const local_files = $SNAPSHOT
add_local_files(local_files, 'Active Memory Timeline')
</script>
</body>
"""


def zstd(data, *options):
    return subprocess.run(["zstd", "-q", "-c", *options], input=data, check=True,
                          stdout=subprocess.PIPE).stdout


def gz(data):
    return gzip.compress(data, mtime=0)


def page(snapshot):
    """As torch.cuda._memory_viz._format_viz does it."""
    padded = snapshot + b"\0" * (3 - len(snapshot) % 3)
    text = base64.b64encode(padded).decode("utf-8")
    return PAGE.replace("$SNAPSHOT", json.dumps([{"name": "snapshot.pickle", "base64": text}]))


def torch_save():
    """The members that torch.save writes, their contents left out."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name in ("data.pkl", "byteorder", "data/0", "version"):
            z.writestr(zipfile.ZipInfo("archive/" + name), b"\x80\x02}q\x00.")
    return out.getvalue()


def sqlite_file():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.sqlite"
        db = sqlite3.connect(path)
        db.execute("PRAGMA page_size = 512")
        db.execute("CREATE TABLE events (action TEXT, addr INTEGER, size INTEGER)")
        db.commit()
        db.close()
        return path.read_bytes()


def flipped(data, at, by=None):
    """One byte changed."""
    return data[:at] + (by or bytes([data[at] ^ 0x55])) + data[at + 1:]


def main():
    snapshot = Path(sys.argv[1]).read_bytes()
    folder = Path(sys.argv[2])
    half = len(snapshot) // 2
    tree = pickle.loads(snapshot)
    as_json = json.dumps(tree).encode()
    tree["segments"] = tree["segments"][:2]
    tree["device_traces"] = [tree["device_traces"][0][:20]]
    small_json = json.dumps(tree).encode()
    as_page = page(snapshot).encode()
    as_gz, as_zst = gz(snapshot), zstd(snapshot, "--check")
    note = struct.pack("<II", 0x184D2A51, 9) + b"skip this"
    frames = zstd(snapshot[:half], "--check") + note + zstd(snapshot[half:], "--check")
    files = {
        "good-container.pickle": snapshot,
        "good-container.json": as_json,
        "good-container.html": as_page,
        "good-container.pickle.gz": as_gz,
        "good-container.pickle.zst": as_zst,
        "good-two-members.pickle.gz": gz(snapshot[:half]) + gz(snapshot[half:]) + b"\0" * 512,
        "good-two-frames.pickle.zst": frames,
        "bad-cut.pickle": snapshot[:half],
        "bad-cut.json": small_json[:len(small_json) // 2],
        "bad-cut.html": as_page[:len(as_page) // 2],
        "bad-cut.pickle.gz": as_gz[:len(as_gz) // 2],
        "bad-cut-second-frame.pickle.zst": frames[:-20],
        "bad-crc.pickle.gz": flipped(as_gz, len(as_gz) - 8),
        "bad-checksum.pickle.zst": flipped(as_zst, len(as_zst) - 1),
        "bad-tail.pickle.gz": as_gz + b"and then this",
        "bad-comma.json": small_json.replace(b'"device_traces": [', b'"device_traces": , [', 1),
        "bad-base64.html": flipped(as_page, len(as_page) // 2, b"*"),
        "unsupported-empty.pickle": b"",
        "unsupported-lfs-pointer.pickle":
            b"version https://git-lfs.github.com/spec/v1\n"
            b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
            b"size 27671\n",
        "unsupported-torch-save.pt": torch_save(),
        "unsupported-database.sqlite": sqlite_file(),
        "unsupported-execution-trace.json":
            b'{"schema": "1.0.1", "pid": 1, "time": "now", "start_ts": 1, "nodes": []}',
        "unsupported-stats.json": b'{"active.all.allocated": 213, "active.all.current": 12}',
        "unsupported-repr.json": repr({"segments": [], "device_traces": [[]]}).encode(),
        "unsupported-page.html": b"<!DOCTYPE html>\n<html><body><p>nothing here</p></body></html>\n",
        "unsupported-twice.gz.zst": zstd(as_gz),
        "unsupported-text.txt": b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate\n",
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
