"""Imports: the text of perf script, against what else reads it."""

import os
import re
import shutil

from base import KEEP, QUICK, RENDER, note, row, run

SIZES_MB = (20, 100)
WORK = ["sqlite3", "-cmd", ".parameter set :n 200000", ":memory:"]
SQL = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "work.sql")


def shape():
    """Real text of perf script, whole stacks of sqlite3 with inlined frames and the kernel's; and how
    long perf took to write it."""
    data, text = os.path.join(KEEP, "import.data"), os.path.join(KEEP, "import.txt")
    run(["perf", "record", "-q", "--no-bpf-event", "--no-buildid", "-F", "499", "--call-graph",
         "dwarf,16384", "-o", data, "--"] + WORK, stdin=SQL)
    with open(text, "wb") as f:
        took = run(["perf", "script", "-i", data], output=f).took_s
    with open(text, encoding="utf-8", errors="replace") as f:
        return f.read(), took


def grown(text, mb):
    """A file of so many MB: the samples again and again, each time at later times and with some
    symbols that were not there before, as a longer capture has them."""
    path = os.path.join(KEEP, f"import-{mb}.txt")
    size, turn = 0, 0
    with open(path, "w", encoding="utf-8") as f:
        while size < mb * 1000000:
            again = re.sub(r" (\d+)(\.\d+: )", lambda m, t=turn: f" {int(m[1]) + 60 * t}{m[2]}", text)
            size += f.write(again.replace("sqlite3VdbeExec+", f"sqlite3VdbeExec_{turn}+"))
            turn += 1
    return path


def stackcollapse():
    """What makes folded stacks of it, if it is there; Brendan Gregg's, or perf's own."""
    tool = shutil.which("stackcollapse-perf.pl")
    return [tool] if tool else None


def imports():
    text, wrote_s = shape()
    collapse = stackcollapse()
    out = os.path.join(KEEP, "import.h5")
    for mb in SIZES_MB:
        path = grown(text, mb)
        with open(path, "rb") as f:
            samples = sum(1 for line in f if line[:1] not in (b"\t", b" ", b"\n", b"#"))
        ours, theirs, report = [], [], []
        for _ in range(1 if QUICK else 3):
            job = run([RENDER, "import", path, "-o", out, "--force"])
            ours.append(job.took_s)
            if collapse:
                theirs.append(run(collapse, stdin=path).took_s)
        note(f"{mb} MB of perf script: {samples} samples, {job.peak_kib} KiB at most, CPU "
             f"{job.cpu_s:.2f} s")
        row(f"import of {mb} MB of perf script", "s", ours, "perf script, to write as much",
            wrote_s * mb * 1e6 / len(text))
        if theirs:
            row(f"import of {mb} MB of perf script", "s", ours, "stackcollapse-perf.pl", theirs)
        report.append(run([RENDER, out, "-o", os.path.join(KEEP, "import.txt.report"), "--format",
                           "txt", "--force"]).took_s)
        row(f"report of these {samples} samples", "s", report, "", None)
        os.unlink(path)


GROUPS = (imports,)
