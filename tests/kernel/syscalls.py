"""syscalls.py CSV STRACE I386: the view of system calls, as CSV, of prog/numbered: its known numbers, and all of
strace's, whose table of the same program is in the file STRACE ("": there is none)."""

import csv
import re
import sys

with open(sys.argv[1], encoding="utf-8", newline="") as f:
    lines = f.read().splitlines()
tables = [i for i, line in enumerate(lines) if line.startswith("share_percent,")] + [len(lines)]
rows = {row["call"]: row for row in csv.DictReader(filter(None, lines[:tables[1]]))}


def check(what, seen, wanted):
    print(f"{'ok' if seen == wanted else 'not ok'} {what}: {seen}" + ("" if seen == wanted else f", not {wanted}"))


def number(call, column):
    return int(float(rows[call][column])) if call in rows else None


check("getppid, in two threads and a child", number("getppid", "calls"), 1340)
check("openat that finds nothing", rows["openat"]["failed_with"].split(",")[0], "200 ENOENT")
check("read that would block", "30 EAGAIN" in rows["read"]["failed_with"], True)
check("pause was interrupted", rows["pause"]["failed_with"], "1 interrupted by a signal")
check("the ends of the processes and of the thread", number("exit_group", "open"), 1 + int(sys.argv[3]))
check("of i386", number("getppid (i386)", "calls"), 51 if sys.argv[3] == "1" else None)
if sys.argv[2]:
    with open(sys.argv[2], encoding="utf-8") as f:
        own = f.read().split("32 bit mode")[0]  # that of i386's calls follows, or stands first
        table = re.findall(r"^ +[\d.]+ +[\d.]+ +\d+ +(\d+) +(\d*) +(\w+)$", own, re.M)
    # Whether a thread must wait for another varies; of pause, which a signal ends, strace sees no end.
    vary = ("futex", "pause", "total")
    theirs = {call: (int(calls), int(errors or 0)) for calls, errors, call in table if call not in vary}
    ours = {call: (number(call, "calls"), number(call, "errors")) for call in rows
            if number(call, "calls") and "i386" not in call and call not in vary}
    check("each call and its errors as strace -c counts them", {c: ours.get(c) for c in theirs}, theirs)
    check("no call that strace does not count", sorted(set(ours) - set(theirs)), [])
