# SPDX-License-Identifier: MIT
# rows_equal.py -- every figure of a batch's rows against what info and explain tell of the file.
#
#     python3 rows_equal.py VRAMSCOPE SUMMARY.json
#
# Prints what differs, then how many rows and figures were compared; exits 1 when something differs,
# or when a key stands twice in an object of the summary.

import json
import math
import subprocess
import sys

program, summary = sys.argv[1:]
compared = 0
differ = 0


def complain(words):
    global differ
    differ += 1
    print(words)


def no_key_twice(pairs):
    keys = [k for k, _ in pairs]
    for key in set(keys):
        if keys.count(key) > 1:
            complain(f"the key {key} stands {keys.count(key)} times in an object")
    return dict(pairs)


def told(command, name):
    out = subprocess.run([program, command, "--json", name], capture_output=True, check=False).stdout
    return json.loads(out) if out.strip() else None


def same(file, what, row, says):
    global compared
    compared += 1
    if isinstance(row, float) and isinstance(says, float) and math.isclose(row, says, rel_tol=1e-12):
        return
    if row != says:
        complain(f"{file}: {what}: the row says {row!r}, the command {says!r}")


def share_idle(end):
    reserved, active = end["reserved_bytes"], end["active_bytes"]
    if reserved is None or active is None:
        return None
    return (reserved - active) / reserved if reserved else 0.0


def setting_words(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.17g}" if isinstance(value, float) else str(value)


def device_figures(row, device):
    """What a device's row must have, but for growth. Long traces' steps are found by batch alone."""
    steps = device["steps"]
    if steps["count"] is None and device["device"] == row["device"] and row["all_steps"]:
        mine = [d for d in row["devices"] if d["device"] == row["device"]][0]
        steps = {"count": len(row["all_steps"]), "source": mine["step_source"] or "unknown"}
    return {
        "device": device["device"],
        "events": device["events"],
        "first_time_us": device["first_time_us"],
        "last_time_us": device["last_time_us"],
        "peak_allocated_bytes": device["peaks"]["allocated_bytes"],
        "peak_event": device["peak"]["event"],
        "peak_time_us": device["peak"]["time_us"],
        "peak_reserved_bytes": device["peaks"]["reserved_bytes"],
        "end_allocated_bytes": device["end"]["allocated_bytes"],
        "end_active_bytes": device["end"]["active_bytes"],
        "end_reserved_bytes": device["end"]["reserved_bytes"],
        "end_requested_bytes": device["end"]["requested_bytes"],
        "fragmentation": share_idle(device["end"]),
        "ooms": len(device["ooms"]),
        "steps": steps["count"],
        "step_source": steps["source"],
    }


def with_info(row, info):
    name = row["file"]
    devices = info["devices"]
    rows = {d["device"]: d for d in row["devices"]}
    same(name, "devices", sorted(rows), sorted(d["device"] for d in devices))
    for device in devices:
        for key, says in device_figures(row, device).items():
            same(name, f"device {device['device']}: {key}", rows[device["device"]][key], says)
    times = [d["last_time_us"] for d in devices if d["last_time_us"] is not None]
    figures = {
        "format": info["container"]["format"],
        "bytes": info["container"]["bytes"],
        "writer": info["writer"]["guess"],
        "status": "partial" if info["partial"] else "ok",
        "n_devices": len(devices),
        "events": sum(d["events"] for d in devices),
        "ooms": sum(len(d["ooms"]) for d in devices),
    }
    if times:
        figures["time_us"] = max(times)
    for key, says in figures.items():
        same(name, key, row[key], says)
    # The file's own figures are those of the device with the highest peak, the lowest on a tie.
    if devices:
        peak = lambda d: d["peaks"]["allocated_bytes"] or 0
        main = min((d for d in devices if peak(d) == max(map(peak, devices))), key=lambda d: devices.index(d))
        same(name, "device", row["device"], main["device"])
        figures = device_figures(row, main)
        for key in ("peak_allocated_bytes", "peak_reserved_bytes", "end_allocated_bytes", "end_reserved_bytes",
                    "fragmentation", "steps"):
            same(name, key, row[key], figures[key])
    settings = info["allocator_settings"] or {}
    plain = {k: setting_words(v) for k, v in settings.items() if not isinstance(v, (dict, list))}
    same(name, "all_settings", {s["name"]: s["value"] for s in row["all_settings"]}, plain)
    same(name, "settings", row["settings"], settings.get("PYTORCH_CUDA_ALLOC_CONF"))


def with_explain(row, explain):
    name = row["file"]
    same(name, "failures", len(row["all_ooms"]), len(explain["ooms"]))
    for mine, oom in zip(row["all_ooms"], explain["ooms"]):
        figures = {key: oom[key] for key in ("device", "event", "time_us", "requested_bytes", "attempted_bytes",
                   "device_free_bytes", "verdict", "confidence", "cause", "site", "summary")}
        figures["retried"] = int(oom["retried"])
        for key, says in figures.items():
            same(name, f"oom of event {oom['event']}: {key}", mine[key], says)
        if oom["balance"]:
            same(name, f"oom of event {oom['event']}: reserved_bytes", mine["reserved_bytes"],
                 oom["balance"]["reserved_bytes"])
    main = [x for x in row["all_ooms"] if x["main"]]
    same(name, "main failures", len(main), 1 if explain["ooms"] else 0)
    for key, of in (("verdict", "verdict"), ("cause", "cause"), ("oom_site", "site"), ("summary", "summary"),
                    ("oom_requested_bytes", "requested_bytes"), ("oom_time_us", "time_us")):
        same(name, key, row[key], main[0][of] if main else None)


with open(summary, encoding="utf-8") as f:
    rows = json.load(f, object_pairs_hook=no_key_twice)["files"]
n = 0
for row in rows:
    if row["status"] == "failed":
        continue
    n += 1
    info, explain = told("info", row["file"]), told("explain", row["file"])
    if info is None:
        complain(f"{row['file']}: there is a row, and no answer of info")
        continue
    with_info(row, info)
    if explain is not None:
        with_explain(row, explain)
    else:
        # Timelines, and traces without addresses: no reason can be told.
        same(row["file"], "failures", row["all_ooms"], [])
print(f"{n} rows, {compared} figures, {differ} differ")
sys.exit(1 if differ or not n else 0)
