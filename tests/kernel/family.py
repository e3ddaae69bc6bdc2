#!/usr/bin/python3
"""The table of processes against what tests/prog/family printed.

	family.py RENDER PROFILE FAMILY [no-commands]   prints "ok …" and "not ok …"

A command line is what family executed: with spaces between its arguments, bytes that are no UTF-8 as
U+FFFD, control characters as "?"; of one above 4,096 bytes the beginning.
"""

import csv
import subprocess
import sys

csv.field_size_limit(1 << 24)
ENDS = ["lives", "exited", "killed", "ended"]
MOST = 4096


def shown(arguments):
    text = arguments[:MOST].rstrip(b"\0").replace(b"\0", b" ").decode("utf-8", "replace")
    return "".join("?" if ord(c) < 32 or ord(c) == 127 else c for c in text)


def same_place(rows, pid, born):
    return [r for r in rows if int(r["pid"]) == pid and int(r["born_ns"]) not in born]


def main():
    render, profile, family = sys.argv[1:4]
    commands = len(sys.argv) == 4
    out = subprocess.run([render, "export", profile, "--to", "csv", "--table", "processes", "--cmdline"],
                         capture_output=True, text=True, check=True).stdout
    rows = list(csv.DictReader(out.splitlines()))
    seen, wrong, kinds = {}, [], {}
    for line in open(family, encoding="ascii"):
        label, pid, parent, end, status, arguments = line.split()
        arguments, pid = bytes.fromhex(arguments), int(pid)
        found = same_place(rows, pid, seen.get(pid, ()))
        if not found:
            wrong.append(f"{label}: no row for {pid}")
            continue
        row = min(found, key=lambda r: int(r["born_ns"]))
        seen.setdefault(pid, set()).add(int(row["born_ns"]))
        want = {"parent": parent, "end": str(ENDS.index(end)), "status": status,
                "command": shown(arguments) if commands else "",
                "cut": str(int(commands and len(arguments) > MOST))}
        if label != "title" and commands:
            want["command_bytes"] = str(len(arguments))
        bad = {k: (row[k][-80:], v[-80:]) for k, v in want.items() if row[k] != v}
        times = [int(row[k]) for k in ("born_ns", "exec_ns", "end_ns")]
        if end != "lives" and not (0 < times[0] <= times[2] and times[1] <= times[2]):
            bad["times"] = times
        if (times[1] == 0) != (label == "forked"):
            bad["exec_ns"] = times
        if bad:
            wrong.append(f"{label} {pid}: {bad}")
        kinds.setdefault(label, []).append(pid)
    for pid, births in seen.items():
        left = same_place(rows, pid, births)
        if left:
            wrong.append(f"{pid}: {len(left)} rows more")
    for w in wrong[:10]:
        print("not ok", w)
    if not wrong:
        print(f"ok {sum(map(len, kinds.values()))} processes of {len(kinds)} kinds")
    sys.exit(bool(wrong))


main()
