"""Allocations by stack: what following them costs, side by side, each in turns.

heap_work	CPU time of programs that allocate, each in two sizes, against their own without a profiler:
	eprof --heap=exact and =sampled, heaptrack (a library in the process, which takes no trap;
	eprof's probes are traps), bpftrace with one that counts malloc and free (the least that a
	tool by probes can cost), and memleak of libbpf-tools where there is one. What an allocation
	costs must not grow with the work. The slowdown that a profile states is to be what is seen,
	and so are the prices that --heap by itself foretells of its tiers: within a third.
heap_server	The same of redis-server, whose allocator is jemalloc, a request.
heap_deep	Samples against every allocation under 60 frames: a third cheaper is wanted.
heap_memory	Peak memory of eprof in a minute of a program that does nothing but allocate.
"""

import os
import re
import shutil
import signal
import statistics
import subprocess
import time

from base import (BUILD, EPROF, KEEP, QUICK, TOP, TURNS, Job, note, profile, row, run)
from daemons import REDIS_PORT, Redis

CAPTURE = os.path.join(KEEP, "heap.h5")
BENCH = os.path.join(BUILD, "prog/bench_heap")
HEAPTRACK = "/usr/lib/heaptrack/libheaptrack_preload.so"
READY = ("capturing", "Attaching", "Attached", "Tracing")
MEMORY_S = 10 if QUICK else 60

SQL = """with recursive c(x) as (select 1 union all select x + 1 from c where x < {})
select sum(length(hex(randomblob(16 + x % 50)))) from c"""
PERL = "my %h; for my $i (1..{}) {{ push @{{$h{{$i % 5000}}}}, \"x$i\"; }} print scalar(keys %h)"
PYTHON = """import json
for i in range({}):
    json.loads(json.dumps([dict(name='n%d' % k, text='x' * 600, at=[k] * 90) for k in range(20)]))"""

# The command of a size.
WORKS = {
    "sqlite3, hex(randomblob)": lambda n: ["sqlite3", ":memory:", SQL.format(50_000 * n)],
    "git log --stat": lambda n: ["git", "-C", TOP, "log", "--stat", "-n", str(40 * n)],
    "perl, a hash of arrays": lambda n: ["perl", "-e", PERL.format(80_000 * n)],
    "python3, JSON": lambda n: ["/usr/bin/python3", "-c", PYTHON.format(150 * n)],
}
SIZES = (1, 3)


def library(name):
    """The file of a library of this machine."""
    out = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    found = re.search(rf"{re.escape(name)} .*=> (\S+)", out)
    return os.path.realpath(found[1]) if found else None


def eprof(*tier):
    return lambda pid, lib: [EPROF, "record", "--force", "-o", CAPTURE, *tier, "-p", str(pid)]


def bpftrace(pid, lib):
    return ["bpftrace", "-p", str(pid), "-e",
            f"uprobe:{lib}:malloc {{ @ = count(); }} uprobe:{lib}:free {{ @ = count(); }}"]


def memleak(pid, lib):
    return ["memleak", "-p", str(pid), "-O", lib, "3600"]


EXACT, SAMPLED, BY_PRICE = "--heap=exact", "--heap=sampled", "--heap"
TOOLS = {EXACT: eprof("--heap=exact"), SAMPLED: eprof("--heap=sampled"), BY_PRICE: eprof("--heap"),
         "bpftrace, malloc and free counted": bpftrace, "memleak of libbpf-tools": memleak}
IN_PROCESS = "heaptrack, in the process"


def tools():
    """Those of this machine."""
    there = dict(TOOLS)
    for name, program in (("bpftrace, malloc and free counted", "bpftrace"),
                          ("memleak of libbpf-tools", "memleak")):
        if not shutil.which(program):
            note(f"no {program}: left out")
            del there[name]
    return there


class Beside:
    """A tool that runs beside a process, from when it says that it is there."""

    def __init__(self, argv):
        self.said = os.path.join(KEEP, "heap-beside.txt")
        with open(self.said, "w", encoding="utf-8") as out:
            self.p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=KEEP)
        end = time.monotonic() + 20
        while time.monotonic() < end and not any(word in self.text() for word in READY):
            if self.p.poll() is not None:
                raise SystemExit(f"tools/bench: {' '.join(argv)}: ended: {self.text()}")
            time.sleep(0.05)
        time.sleep(0.5)

    def text(self):
        with open(self.said, encoding="utf-8", errors="replace") as f:
            return f.read()

    def end(self):
        if self.p.poll() is None:
            self.p.send_signal(signal.SIGINT)
        try:
            self.p.wait(60)
        except subprocess.TimeoutExpired:
            self.p.kill()
            self.p.wait()
        return self.text()


def cpu_s(argv, tool=None):
    """CPU time of a command, a tool beside it; and what the tool said."""
    job = Job(argv, stopped=True)
    beside = Beside(tool(job.pid, library("libc.so.6"))) if tool else None
    job.signal(signal.SIGCONT)
    job.end()
    return job.cpu_s, beside.end() if beside else ""


def heaptrack_s(argv):
    """The same with its library in the process, which writes its records to a file."""
    out = os.path.join(KEEP, "heap.raw")
    job = run(["env", f"LD_PRELOAD={HEAPTRACK}", f"DUMP_HEAPTRACK_OUTPUT={out}", *argv])
    os.remove(out)
    return job.cpu_s


def percent(text):
    """Of "12.3 %" or "2.5 times"; None where it is neither."""
    found = re.match(r"(?:some |more than )?([\d,.]+) %", text)
    return float(found[1].replace(",", "")) if found else None


def foretold(said):
    """What --heap says of its tiers before it chooses: every allocation, samples, in %."""
    all_ = re.search(r"--heap=exact\): (.*)", said) or \
        re.search(r"every allocation, which slows the target down by (.*)", said) or \
        re.search(r"That slows the target down by ([^,]*),", said)
    some = re.search(r"samples \(--heap=sampled\) by ([^,]*),", said) or \
        re.search(r"a sample per .*?, which slows the target down by ([^;]*);", said)
    return (percent(all_[1]) if all_ else None, percent(some[1]) if some else None)


def taken_ms(cost):
    """What a profile states to have taken from the target: so much, at least, at most."""
    return [next(v for name, v in cost.items()
                 if name.startswith(f"time taken from the target{what}")) / 1e6
            for what in (": ", ", at least", ", at most")]


class Comparison:
    """Runs of one work, plain and beside each tool."""

    def __init__(self):
        self.plain, self.costs, self.stated, self.told, self.seen = [], {}, {}, [], 0

    def add(self, name, cost, said):
        self.costs.setdefault(name, []).append(cost)
        if name in (EXACT, SAMPLED):
            self.stated.setdefault(name, []).append(profile(CAPTURE)[1])
        if name == EXACT:
            self.seen = profile(CAPTURE)[0]
        if name == BY_PRICE:
            self.told.append(foretold(said))

    def ratios(self, name):
        """Each against the plain run of the same turn."""
        return [cost / plain for cost, plain in zip(self.costs.get(name, []), self.plain)]

    def rows(self, what):
        for name in (EXACT, SAMPLED):
            ours = self.ratios(name)
            for peer in self.costs:
                if peer not in (EXACT, SAMPLED, BY_PRICE):
                    row(f"{what}: CPU time, {name}, 1: without", "times", ours, peer, self.ratios(peer))
            more = [1e3 * (cost - plain) for cost, plain in zip(self.costs[name], self.plain)]
            stated = [taken_ms(cost) for cost in self.stated[name]]
            held = sum(least <= m <= most for m, (_, least, most) in zip(more, stated))
            row(f"{what}: time taken that the profile states, {name}", "ms", [s[0] for s in stated],
                "growth of CPU time", more)
            note(f"{what}: {name}: in {held} of {len(more)} runs the growth lies in the interval, "
                 f"such as {stated[-1][1]:.0f} to {stated[-1][2]:.0f} ms: {more[-1]:.0f} ms")
        for i, name in enumerate((EXACT, SAMPLED)):
            told = [t[i] for t in self.told if t[i] is not None]
            row(f"{what}: slowdown that --heap foretells of {name}", "%", told or None,
                "growth of CPU time", [100 * (r - 1) for r in self.ratios(name)])

    def each_us(self, name):
        """What an allocation and its free cost."""
        more = statistics.median(self.costs[name]) - statistics.median(self.plain)
        return 1e6 * more / self.seen if self.seen else None


def heap_work():
    for work, command in WORKS.items():
        if not shutil.which(command(1)[0]):
            note(f"{work}: no {command(1)[0]}: left out")
            continue
        sizes = {}
        for size in SIZES:
            sizes[size] = c = Comparison()
            there = tools()
            for turn in range(TURNS):
                c.plain.append(cpu_s(command(size))[0])
                for name in list(there) if turn % 2 else list(there)[::-1]:
                    c.add(name, *cpu_s(command(size), there[name]))
                if os.path.exists(HEAPTRACK):
                    c.add(IN_PROCESS, heaptrack_s(command(size)), "")
            note(f"{work}, {size}: {statistics.median(c.plain):.3f} s, {c.seen} allocations")
        sizes[SIZES[-1]].rows(work)
        for name in (EXACT, SAMPLED):
            row(f"{work}: an allocation more, {name}, {SIZES[-1]} times the work", "µs",
                sizes[SIZES[-1]].each_us(name), "the work once", sizes[SIZES[0]].each_us(name))


def heap_server():
    if not shutil.which("redis-server"):
        note("no redis-server: left out")
        return
    server, c, lib = Redis(), Comparison(), library("libjemalloc.so.2")
    maps = open(f"/proc/{server.pid}/maps", encoding="utf-8").read()
    lib = lib if lib and lib in maps else library("libc.so.6")
    note(f"redis-server: allocator in {lib}")
    requests = 10_000 if QUICK else 50_000

    def served_s():
        began = server.cpu_s()
        subprocess.run(["redis-benchmark", "-p", str(REDIS_PORT), "-t", "set,lpush", "-n", str(requests),
                        "-c", "20", "-d", "200", "-r", "10000", "-q"], check=True, capture_output=True)
        return server.cpu_s() - began

    try:
        there = tools()
        served_s()
        for turn in range(TURNS):
            c.plain.append(served_s())
            for name in list(there) if turn % 2 else list(there)[::-1]:
                beside = Beside(there[name](server.pid, lib))
                cost = served_s()
                c.add(name, cost, beside.end())
    finally:
        server.end()
    c.rows("redis-server, set and lpush")


def heap_deep():
    costs = {EXACT: [], SAMPLED: []}
    rounds = 100_000 if QUICK else 300_000
    for depth in (60, 20):
        for costs_ in costs.values():
            costs_.clear()
        for _ in range(TURNS):
            plain = cpu_s([BENCH, str(depth), str(rounds)])[0]
            for name, got in costs.items():
                got.append(1e6 * (cpu_s([BENCH, str(depth), str(rounds)], TOOLS[name])[0] - plain) / rounds)
        row(f"an allocation and its free under {depth} frames: --heap=sampled", "µs", costs[SAMPLED], EXACT,
            costs[EXACT])


def heap_memory():
    for tier in (EXACT, SAMPLED):
        target = Job([BENCH, "20", "0"])
        job = Job([EPROF, "record", "--force", "-o", CAPTURE, tier, "-d", str(MEMORY_S), "-p",
                   str(target.pid)])
        job.end(within=MEMORY_S + 120)
        target.signal(signal.SIGKILL)
        target.end()
        stated = profile(CAPTURE)[1].get("eprof peak memory", 0)
        row(f"peak memory of eprof, {tier}, {MEMORY_S} s of a busy allocator", "MiB",
            job.peak_kib / 1024, "what the profile states", stated / 2**20)


GROUPS = (heap_work, heap_server, heap_deep, heap_memory)
