"""Samples: what they cost, against perf on the same work."""

import os
import shutil
import signal
import statistics
import time

from base import (BUILD, EPROF, KEEP, Job, OURS, PERF, PERF_RECORD, QUICK, READY_S, RENDER, TOP,
                  TURNS, Tool, capture, cost_s, eprof_tool, naming_s, profile, row, run, samples)

SHORT, LONG = (100_000, 300_000) if QUICK else (200_000, 600_000)  # words of tools/work.sql
SLOW_WORDS = 3 * LONG  # a second of 99 Hz is 99 samples: long enough for a file to show its growth
FAST_HZ = 20_000  # where the cost of a sample stands out of the noise


def sqlite(words):
    return {"argv": ["sqlite3", "-cmd", f".parameter set :n {words}", ":memory:"],
            "stdin": os.path.join(TOP, "tools/work.sql")}


def split(rounds):
    return {"argv": [os.path.join(BUILD, "prog/split"), "0", "1", str(rounds)], "stdin": None}


start_ms = {}  # what startup() found, by tool


def startup(peer=PERF):
    """A capture with next to nothing to sample."""
    cpu, peak, wall = ({t.name: [] for t in (OURS, peer)} for _ in range(3))
    for _ in range(TURNS):
        for tool in (OURS, peer):
            began = time.monotonic()
            _, p = capture(tool, "-p", 99, {"argv": ["sleep", "0.2"], "stdin": None}, "startup")
            cpu[tool.name].append(1e3 * p.cpu_s)
            peak[tool.name].append(p.peak_kib / 1024)
            wall[tool.name].append(1e3 * (time.monotonic() - began - READY_S - 0.2))
    row("start-up and end of a capture, CPU", "ms", cpu[OURS.name], peer.name, cpu[peer.name])
    start_ms.update({name: statistics.median(of) for name, of in cpu.items()})
    row("start-up and end of a capture, time", "ms", wall[OURS.name], peer.name, wall[peer.name])
    row("profiler's peak memory, no samples", "MiB", peak[OURS.name], peer.name, peak[peer.name])


def measure(mode, hz, work, tools, tag, turns=range(TURNS)):
    """Per tool lists over the turns, whose numbers say who comes first: extra CPU (s), that without
    naming, the profiler's own part, that of its BPF programs; samples, peak (MiB), file (KiB). What
    the target grew by is against a bare run of the same turn, so that drift has no say."""
    keys = ("extra", "unnamed", "own", "own_unnamed", "bpf", "target", "samples", "peak", "file")
    found = {t: {k: [] for k in keys} for t in tools}
    for turn in turns:
        bare = run(work["argv"], stdin=work["stdin"]).cpu_s
        for tool in tools if turn % 2 else tools[::-1]:
            target, profiler = capture(tool, mode, hz, work, tag)
            extra = target.cpu_s - bare + profiler.cpu_s
            naming = naming_s(tool, tag)
            for key, value in (("extra", extra), ("unnamed", extra - naming),
                               ("own", profiler.cpu_s), ("own_unnamed", profiler.cpu_s - naming),
                               ("bpf", cost_s(tool, tag, "BPF run time")),
                               ("target", target.cpu_s),
                               ("samples", samples(tool, tag)), ("peak", profiler.peak_kib / 1024),
                               ("file", os.path.getsize(tool.file(tag)) / 1024)):
                found[tool][key].append(value)
    return found


def compare(what, unit, key, found, scale=1):
    """One row of what measure() found for the first tool against the second."""
    ours, theirs = found
    row(what, unit, [scale * x for x in found[ours][key]], theirs.name,
        [scale * x for x in found[theirs][key]])


def cost(peer=PERF):
    """Extra CPU on sqlite, at both rates and for both kinds of target. What the work itself takes
    differs by more than what is sought, hence the many turns."""
    for mode in ("-p", "-a"):
        for hz in (99, 999):
            got = measure(mode, hz, sqlite(LONG), (OURS, peer), f"sqlite{mode}{hz}",
                          range(3 * TURNS))
            name = f"sqlite, {statistics.median(got[OURS]['target']):.1f} s, {mode}, {hz} Hz"
            compare(f"extra CPU: {name}", "ms", "extra", got, 1e3)
            compare(f"extra CPU, naming apart: {name}", "ms", "unnamed", got, 1e3)
            compare(f"profiler's own CPU: {name}", "ms", "own", got, 1e3)
            compare(f"profiler's own CPU, naming apart: {name}", "ms", "own_unnamed", got, 1e3)
            compare(f"samples: {name}", "samples", "samples", got)
            if hz == 99:
                got = measure(mode, hz, sqlite(SLOW_WORDS), (OURS, peer), f"slow{mode}", [0])
                name = f"sqlite, {got[OURS]['target'][0]:.1f} s, {mode}, {hz} Hz"
            compare(f"file: {name}", "KiB", "file", got)
            if mode == "-p":
                compare(f"profiler's peak memory: {name}", "MiB", "peak", got)


def measure_lengths(mode, hz, works, tools, tag):
    """What measure() finds of works of two lengths, by length, which take turns: what drifts has no
    say in the difference."""
    got = {}
    for turn in range(TURNS):
        for n, work in works.items():
            for tool, found in measure(mode, hz, work, tools, tag, [turn]).items():
                for key, values in found.items():
                    got.setdefault(n, {}).setdefault(tool, {}).setdefault(key, []).extend(values)
    return got


def slope(got, tool, key="unnamed"):
    """Millionths of what @key counts (so, µs of extra CPU) a sample, between the two lengths of the
    work: the median of those of each turn."""
    slopes = []
    for turn in range(TURNS):
        more = {k: got[LONG][tool][k][turn] - got[SHORT][tool][k][turn] for k in (key, "samples")}
        slopes.append(1e6 * more[key] / more["samples"] if more["samples"] > 0 else 0)
    return statistics.median(slopes)


def sample(peer=PERF):
    """What a sample costs, the target's share included, naming apart: the slope over two lengths
    of work."""
    for mode in ("-p",) if QUICK else ("-p", "-a"):
        got = measure_lengths(mode, FAST_HZ, {n: sqlite(n) for n in (SHORT, LONG)}, (OURS, peer),
                              f"slope{mode}")
        each = {tool.name: slope(got, tool) for tool in (OURS, peer)}
        row(f"cost a sample, naming apart, slope of two lengths: sqlite, {mode}, {FAST_HZ} Hz", "µs",
            each[OURS.name], peer.name, each[peer.name])
        # What a run of the work cannot show: at such rates a busy machine's noise is larger.
        for hz in (99, 999) if start_ms and all(each.values()) else ():
            sums = [start_ms[n] + 10 * hz * each[n] / 1e3 for n in (OURS.name, peer.name)]
            row(f"extra CPU of 10 s on a CPU, start-up + samples × slope: {mode}, {hz} Hz", "ms",
                sums[0], peer.name, sums[1])


COPIES = Tool("perf record --call-graph dwarf,65528", ".copies.data",
              PERF_RECORD + ["--call-graph", "dwarf,65528"])
FLAT = Tool("perf record, no stacks", ".flat.data", PERF_RECORD)


CPP = """#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>
template <int K> int turn(const std::string &s) {
	static const std::regex word("[a-z]+" + std::to_string(K));
	std::map<std::string, std::vector<int>> all;
	for (std::sregex_iterator i(s.begin(), s.end(), word), end; i != end; ++i)
		all[i->str()].push_back(K);
	std::sort(all[s].begin(), all[s].end(), [](int a, int b) { return a % (K + 1) < b; });
	return (int)all.size() + turn<K - 1>(s);
}
template <> int turn<0>(const std::string &s) { return (int)s.size(); }
int main(int, char **argv) { return turn<WORDS>(argv[0]); }
"""


def unwinding_s(tool, tag):
    """CPU seconds of making stacks of perf's copies, none of them named."""
    return run(["perf", "script", "-F", "ip", "--no-inline", "-i", tool.file(tag)]).cpu_s


def stacks_of(name, tag, hz, works):
    """Rows of what a sample costs, the slope over the @works' two lengths, with whole stacks, with
    perf's broken ones and without any. Copies are no stacks until they are unwound: with that, and
    without."""
    tools = (OURS, COPIES, PERF, FLAT)
    got = measure_lengths("-p", hz, works, tools, tag)
    name = f"{name}, {statistics.median(got[LONG][OURS]['target']):.1f} s, -p, {hz} Hz"
    each = {tool: slope(got, tool) for tool in tools}
    size = {tool: 1024 * slope(got, tool, "file") / 1e6 for tool in tools}
    # The last capture of all was the long one's.
    unwound = each[COPIES] + (1e6 * unwinding_s(COPIES, tag) /
                              got[LONG][COPIES]["samples"][-1])
    for peer in tools[1:]:
        row(f"cost a sample, slope of two lengths: {name}", "µs", each[OURS], peer.name, each[peer])
        row(f"bytes a sample, slope of two lengths: {name}", "B", size[OURS], peer.name, size[peer])
    then = f"{COPIES.name}, then perf script"
    row(f"cost a sample with a whole stack: {name}", "µs", each[OURS], then, unwound)
    row(f"of that the stack, beyond a sample without: {name}", "µs", each[OURS] - each[FLAT], then,
        unwound - each[FLAT])
    ours = slope(got, OURS, "bpf") + slope(got, OURS, "own_unnamed")
    row(f"of that BPF programs and loader, by their own clocks: {name}", "µs", ours,
        f"{then}, beyond a sample without", unwound - each[FLAT])


def whole():
    """Whole stacks of programs without frame pointers: by table in the kernel, by copies of 64 KiB,
    and perf's broken ones. What tables cost, once a piece of code, falls out of the slope. A
    program of our own, whose time is steady, at both rates; clang, with all its caches' misses, at
    the higher one, as its own time differs by more than samples at the lower one cost."""
    for hz in (99, 999):
        works = {n: {"argv": [os.path.join(BUILD, "prog/bench_deep"), "40", str(rounds)],
                     "stdin": None} for n, rounds in ((SHORT, 8_000), (LONG, 33_000))}
        stacks_of("40 frames", f"deep{hz}", hz, works)
    clang = shutil.which("clang++-19") or shutil.which("clang++") or shutil.which("clang")
    source = os.path.join(KEEP, "whole.cpp")
    with open(source, "w", encoding="utf-8") as f:
        f.write(CPP)
    works = {n: {"argv": [clang, "-O2", "-c", f"-DWORDS={words}", source, "-o", "/dev/null"],
                 "stdin": None} for n, words in ((SHORT, 10), (LONG, 110))}
    stacks_of("clang -O2", "clang", 999, works)


def even():
    """The same on a target with few, short stacks, whose own time is steady: what the work of
    cost() hides in its noise shows here."""
    work = split(60)
    for mode in ("-p", "-a"):
        for hz in (99, 999):
            got = measure(mode, hz, work, (OURS, PERF), "split", range(3 * TURNS))
            name = f"split, {statistics.median(got[OURS]['target']):.1f} s, {mode}, {hz} Hz"
            for key, what in (("extra", "extra CPU"), ("unnamed", "extra CPU, naming apart")):
                compare(f"{what}: {name}", "ms", key, got, 1e3)
            compare(f"file: {name}", "KiB", "file", got)


def hundred_thousand():
    """100,000 samples of sqlite: from Ctrl-C to the file, rendering, size."""
    hz, seconds = FAST_HZ, 5.2
    stop, peak, cpu, size, text, taken = ({t.name: [] for t in (OURS, PERF)} for _ in range(6))
    reports = {OURS.name: lambda t: [RENDER, t.file("many"), "-o", "many.txt"],
               PERF.name: lambda t: ["perf", "report", "--stdio", "--no-inline", "-i",
                                     t.file("many")]}
    for _ in range(1 if QUICK else 3):
        for tool in (OURS, PERF):
            target = Job(**sqlite(3_000_000), stopped=True)
            profiler = Job(tool.command("-p", hz, target.pid, "many"))
            time.sleep(READY_S)
            target.signal(signal.SIGCONT)
            time.sleep(seconds)
            began = time.monotonic()
            profiler.signal(signal.SIGINT)
            profiler.end()
            stop[tool.name].append(time.monotonic() - began)
            target.signal(signal.SIGKILL)
            target.end()
            peak[tool.name].append(profiler.peak_kib / 1024)
            cpu[tool.name].append(1e3 * profiler.cpu_s)
            size[tool.name].append(os.path.getsize(tool.file("many")) / 1024)
            taken[tool.name].append(samples(tool, "many"))
            if os.path.exists(os.path.join(KEEP, "many.txt")):
                os.remove(os.path.join(KEEP, "many.txt"))
            text[tool.name].append(run(reports[tool.name](tool)).took_s)
    name = "sqlite, -p, 20,000 Hz"
    row(f"samples: {name}", "samples", taken[OURS.name], PERF.name, taken[PERF.name])
    row(f"Ctrl-C to the written profile: {name}", "s", stop[OURS.name],
        "perf record -g (nothing named yet)", stop[PERF.name])
    row(f"profiler's own CPU: {name}", "ms", cpu[OURS.name], PERF.name, cpu[PERF.name])
    row(f"profiler's peak memory: {name}", "MiB", peak[OURS.name], PERF.name, peak[PERF.name])
    row(f"file: {name}", "KiB", size[OURS.name], PERF.name, size[PERF.name])
    row(f"report as text: {name}", "s", text[OURS.name], "perf report --stdio --no-inline",
        text[PERF.name])
    naming = [profile(OURS.file("many"))[1]["eprof CPU time, resolving names"] / 1e6]
    script = run(["perf", "script", "--no-inline", "-i", PERF.file("many")])
    row(f"naming, CPU: {name}", "ms", naming, "perf script --no-inline", [1e3 * script.cpu_s])


def samplers():
    """Events by task against events by CPU filtered in BPF: cost and completeness."""
    by = {how: eprof_tool("--sampler", how) for how in ("task", "cpu")}
    got = measure("-p", 999, sqlite(LONG), tuple(by.values()), "sampler")
    task, cpu = got[by["task"]], got[by["cpu"]]
    name = f"sqlite, {statistics.median(task['target']):.1f} s, -p, 999 Hz, --sampler task"
    row(f"extra CPU: {name}", "ms", [1e3 * x for x in task["extra"]], "--sampler cpu",
        [1e3 * x for x in cpu["extra"]])

    def explained(f):
        return [100 * n / 999 / t for n, t in zip(f["samples"], f["target"])]

    row(f"CPU time explained: {name}", "%", explained(task), "--sampler cpu", explained(cpu))
    found = {how: [] for how in by}
    for _ in range(TURNS):
        for how, tool in by.items():
            run([EPROF, "--force", "-F", "999", "-o", tool.file("kids"), "--sampler", how, "--",
                 os.path.join(BUILD, "prog/shortlived"), "50", "20"])
            found[how].append(100 * samples(tool, "kids") / 999)
    row("CPU time explained: 50 children of 20 ms, --sampler task", "%", found["task"],
        "--sampler cpu", found["cpu"])


GROUPS = (startup, cost, sample, even, whole, hundred_thousand, samplers)
