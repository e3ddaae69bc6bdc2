"""Reports: what it takes to write the page and the paper of 100,000 and of 500,000 stacks, with a
sample each, and the page with several, and how soon the page shows and answers in Chromium. Beside
the Perl script that draws flame graphs, and perf report."""

import json
import os
import subprocess

from base import (BUILD, EPROF, KEEP, PERF_RECORD, QUICK, RENDER, TOP, TURNS, Job, note,
                  perf_samples, profile, row, run)
from export import big_profile

# Of Debian's libdevel-nytprof-perl.
FLAMEGRAPH = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"
SIZES = ((100000, 100000), (500000, 500000))
# Stacks and samples of call trees with so many nodes.
TREES = (("500,000 nodes", (82700, 82700)), ("3 million nodes", SIZES[1]))
SEVERAL = ((100000, 1000000), (500000, 2000000))  # samples a stack
REPORTS = (("html", []), ("pdf", []), ("svg", []), ("png", []))
ASKED = {"first paint": "from the start of loading to the first frame with the flame graph",
         "zoom": "from the click to the frame that shows it",
         "search": "of a pattern that a tenth of the names match, to the frame that shows it"}


def report(path, ending, options):
    """The Job of one report and the report's size in bytes."""
    out = os.path.join(KEEP, f"page.{ending}")
    job = run([RENDER, path, "-o", out, "--force"] + options)
    return job, os.path.getsize(out)


def size_name(stacks):
    return f"{stacks:,} stacks"


def written(sizes, reports, samples):
    """CPU time, memory and bytes of each kind of report, by size of the profile."""
    paths = [big_profile(*size) for size in sizes]
    jobs = {}
    for _ in range(2 if QUICK else TURNS):
        for path in paths:
            for ending, options in reports:
                jobs.setdefault((path, ending), []).append(report(path, ending, options))
    for ending, _ in reports:
        small, large = (jobs[path, ending] for path in paths)
        row(f"{ending} of {size_name(sizes[0][0])}, {samples}", "s", [j.cpu_s for j, _ in small],
            f"of {size_name(sizes[1][0])}", [j.cpu_s for j, _ in large])
        for (stacks, _), done in zip(sizes, (small, large)):
            note(f"{ending} of {size_name(stacks)}, {samples}: {done[0][1] / 1e6:.2f} MB, peak "
                 f"{max(j.peak_kib for j, _ in done) / 1024:.0f} MiB")


def perl():
    """In turns, from a profile with a sample a stack: the script is given stacks, added up."""
    if not os.path.exists(FLAMEGRAPH):
        note("no flamegraph.pl to compare with: tools/setup bench")
        return
    path, folded = big_profile(SIZES[0][0], SIZES[0][0]), os.path.join(KEEP, "page.folded")
    run([RENDER, "export", path, "-o", folded, "--force", "--to", "folded"])
    ours, theirs = [], []
    for _ in range(3):
        ours.append(report(path, "svg", [])[0].cpu_s)
        theirs.append(run(["perl", FLAMEGRAPH, folded]).cpu_s)
    row(f"svg of {size_name(SIZES[0][0])}", "s", ours, "flamegraph.pl", theirs)


def perf_report():
    """The terminal's report of the same work captured at the same rate, by the sample."""
    data, ours = os.path.join(KEEP, "page.data"), os.path.join(KEEP, "page.h5")
    work = [os.path.join(BUILD, "prog/work"), "800" if QUICK else "3200"]
    run(PERF_RECORD + ["-g", "-F", "4999", "-o", data, "--", *work])
    run([EPROF, "record", "--force", "-F", "4999", "-o", ours, "--", *work])
    theirs, mine = perf_samples(data), profile(ours)[0]
    read = []
    for _ in range(2 if QUICK else TURNS):
        job = Job(["perf", "report", "--stdio", "-g", "-i", data]).end()
        if job.p.returncode == 0:
            read.append((run([RENDER, ours]).cpu_s / mine, job.cpu_s / theirs))
    if not read:
        note("perf report died each time")
        return
    row("report in the terminal, of a million samples", "s", [1e6 * a for a, _ in read],
        "perf report --stdio -g", [1e6 * b for _, b in read])


def answered():
    """How soon the page shows and answers, in headless Chromium."""
    for nodes, size in TREES:
        out = os.path.join(KEEP, "page.html")
        run([RENDER, big_profile(*size), "-o", out, "--force"])
        turns = [measure(out) for _ in range(2 if QUICK else TURNS)]
        for what in turns[0]:
            row(f"page of {nodes}: {what}", "ms",
                [t[what] for t in turns], ASKED.get(what, "-"), None)


def measure(page):
    """One visit to the page by page_speed.js: milliseconds by what was asked."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page_speed.js")
    env = {**os.environ, "NODE_PATH": os.path.join(os.path.join(TOP, BUILD), "web/node_modules")}
    out = subprocess.run(["node", script, page], check=True, capture_output=True, text=True, env=env)
    return json.loads(out.stdout)


def pages():
    written(SIZES, REPORTS, "a sample each")
    written(SEVERAL, REPORTS[:1], "several samples each")
    answered()


GROUPS = (perl, perf_report, pages)
