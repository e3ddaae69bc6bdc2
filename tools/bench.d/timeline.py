"""The timeline: what recording each call costs, and what comes of it at one and four million events.

timeline_call	CPU time of a program that does nothing but call a function of two instructions: with zones
	and a timeline against zones alone, which have the same probes; against uftrace, whose program
	is built for it and records in the process; and two times the calls against once, a call.
timeline_size	Bytes an event of the profile and of exports; CPU time and peak memory of what makes them of
	four times the events, against once: for time four is linear, for memory one is flat.
"""

import os
import subprocess

from base import EPROF, KEEP, QUICK, RENDER, TURNS, row, run

CAPTURE = os.path.join(KEEP, "timeline.h5")
SOURCE = """#include <stdlib.h>
__attribute__((noinline)) void call(int n) { __asm__ volatile("" : : "r"(n)); }
int main(int argc, char **argv)
{
	for (int i = 0, n = atoi(argv[1]); i < n; i++)
		call(i);
	return 0;
}
"""
CALLS = 50_000 if QUICK else 250_000
MILLION = 100_000 if QUICK else 500_000  # calls, of two events each
REPORTS = {"page": ("html", []), "pdf": ("pdf", []), "svg": ("svg", ["--view", "timeline"]),
           "png": ("png", ["--view", "timeline"]), "terminal": ("txt", []),
           "calls as csv": ("csv", ["--view", "calls"]),
           "calls by arguments": ("csv", ["--view", "calls", "--by", "arguments"])}
WANTED = {"profile": 8, "perfetto": 25}  # bytes an event, at most


def program(name, *flags):
    path = os.path.join(KEEP, name)
    subprocess.run(["cc", "-O1", "-g", *flags, "-x", "c", "-", "-o", path], input=SOURCE.encode(),
                   check=True)
    return path


def captured(*options):
    return lambda path, calls: run([EPROF, "record", "--force", "-o", CAPTURE, *options, "--zone",
                                    f"{os.path.basename(path)}:call", "--", path, str(calls)])


def uftraced(path, calls):
    return run(["uftrace", "record", "-d", os.path.join(KEEP, "uftrace.data"), path, str(calls)])


def timeline_call():
    plain, built = program("timeline_plain"), program("timeline_built", "-pg")
    ways = {"zones": (captured(), plain), "timeline": (captured("--timeline", "--events", "4M"), plain),
            "uftrace": (uftraced, built)}
    spent = {name: {1: [], 2: []} for name in ways}
    for _ in range(TURNS):
        for name, (way, path) in ways.items():
            for times, got in spent[name].items():
                got.append(1e6 * way(path, times * CALLS).cpu_s / (times * CALLS))
    mine = spent["timeline"]
    row("a call, with its two events in a timeline", "µs of CPU", mine[1], "zones alone", spent["zones"][1])
    row("a call, with its two events in a timeline", "µs of CPU", mine[1], "uftrace (in the process)",
        spent["uftrace"][1])
    row("a call of two times as many", "µs of CPU", mine[2], "of once", mine[1])


def made_of(what, out):
    """CPU time and peak memory of what makes a file of a capture, and its size."""
    job = run([RENDER, *what, "--force", "-o", out])
    return job.cpu_s, job.peak_kib / 1024, os.path.getsize(out)


def timeline_size():
    plain = program("timeline_plain")
    results = {}
    for times in (1, 4):
        captured("--timeline", "--events", "8M")(plain, times * MILLION)
        for name, what in (("perfetto", ["export", CAPTURE, "--to", "perfetto"]),
                           ("chrome", ["export", CAPTURE, "--to", "chrome"]),
                           *((name, [CAPTURE, *options]) for name, (_, options) in REPORTS.items())):
            out = os.path.join(KEEP, "timeline." + REPORTS.get(name, ("out",))[0])
            results[name, times] = made_of(what, out)
        results["profile", times] = (0, 0, os.path.getsize(CAPTURE))
    for name in ("profile", "perfetto", "chrome"):
        row(f"an event: {name}", "bytes", results[name, 4][2] / (8 * MILLION), "wanted, at most",
            WANTED.get(name))
    for name in ("perfetto", "chrome", *REPORTS):
        row(f"CPU time for four times the events: {name}", "s", results[name, 4][0], "once",
            results[name, 1][0])
        row(f"peak memory for four times the events: {name}", "MiB", results[name, 4][1], "once",
            results[name, 1][1])


GROUPS = (timeline_call, timeline_size)
