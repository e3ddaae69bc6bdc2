"""Allocations by stack: what following them costs, side by side, each in turns.

heap_work	CPU time of programs that allocate, each in two sizes, against their own without a profiler:
	eprof --heap=exact and =sampled, heaptrack (a library in the process, which takes no trap;
	eprof's probes are traps), bpftrace with one that counts malloc and free (the least that a
	tool by probes can cost), and memleak of libbpf-tools where there is one. What an allocation
	costs must not grow with the work. The slowdown that a profile states is to be what is seen.
heap_foretold	The prices that --heap by itself foretells of its tiers, attached to the programs after their
	start, against the slowdown that is seen in the same turn: within a third.
heap_faults	CPU time with --heap=faults against that without, in turns: at most 2 % more.
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
# Also where a shell in the background has had SIGINT ignored.
IDLE = ["env", "--default-signal=INT", "sh", "-c", "echo capturing; exec sleep 1000"]
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
NODE = """let n = 0
for (let i = 0; i < 1500; i++)
    n += JSON.stringify(JSON.parse(JSON.stringify([...Array(400)].map((_, k) => ({k, n: 'x' + k}))))).length
console.log(n)"""
SIZES = (1, 3)
# The size of a work that goes on for as long as it takes, and when each is past its start.
LONG, PAST_START_S = 100, 0.3


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
FAULTS = "--heap=faults"
TOOLS = {EXACT: eprof(EXACT), SAMPLED: eprof(SAMPLED), BY_PRICE: eprof(BY_PRICE),
         "bpftrace, malloc and free counted": bpftrace, "memleak of libbpf-tools": memleak}
IN_PROCESS = "heaptrack, in the process"


def tools():
    """Those of this machine."""
    there = {name: tool for name, tool in TOOLS.items() if name != BY_PRICE}
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
    # The command waits as long without a tool: what starts at once finds warm caches.
    beside = Beside(tool(job.pid, library("libc.so.6")) if tool else IDLE)
    job.signal(signal.SIGCONT)
    job.end()
    return job.cpu_s, beside.end()


def cpu_so_far_s(pid):
    """Of the first thread, to the ns."""
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as f:
        return int(f.read().split()[0]) / 1e9


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
    """What --heap says of its tiers when it chooses: every allocation, samples, in %."""
    all_ = re.search(r"--heap=exact\): (.*)", said) or \
        re.search(r"every allocation, which slows the target down by (.*)", said) or \
        re.search(r"That slows the target down by (.*?), samples ", said)
    some = re.search(r"samples \(--heap=sampled\) by (.*?), and the limit", said) or \
        re.search(r"a sample per .*?, which slows the target down by ([^;]*);", said)
    return (percent(all_[1]) if all_ else None, percent(some[1]) if some else None)


def taken_ms(cost):
    """What a profile states to have taken from the target: so much, at least, at most."""
    return [next(v for name, v in cost.items()
                 if name.startswith(f"time taken from the target{what}")) / 1e6
            for what in (": ", ", at least", ", at most")]


def foretold_midway(argv, used_s):
    """What --heap foretells when it meets a long command that has used so much CPU time."""
    job = Job(argv, stopped=True)
    job.signal(signal.SIGCONT)
    while cpu_so_far_s(job.pid) < used_s:
        time.sleep(0.002)
    job.signal(signal.SIGSTOP)
    beside = Beside(TOOLS[BY_PRICE](job.pid, None))
    job.signal(signal.SIGCONT)
    end = time.monotonic() + 10
    while "heap: " not in beside.text() and time.monotonic() < end:
        time.sleep(0.05)
    job.signal(signal.SIGKILL)
    job.end()
    return foretold(beside.end())


class Comparison:
    """Runs of one work, plain and beside each tool."""

    def __init__(self):
        self.plain, self.costs, self.stated, self.seen = [], {}, {}, 0

    def add(self, name, cost):
        self.costs.setdefault(name, []).append(cost)
        if name in (EXACT, SAMPLED):
            self.stated.setdefault(name, []).append(profile(CAPTURE)[1])
        if name == EXACT:
            self.seen = profile(CAPTURE)[0]

    def ratios(self, name):
        """Each against the plain run of the same turn."""
        return [cost / plain for cost, plain in zip(self.costs.get(name, []), self.plain)]

    def rows(self, what):
        for name in (EXACT, SAMPLED):
            ours = self.ratios(name)
            for peer in self.costs:
                if peer not in (EXACT, SAMPLED):
                    row(f"{what}: CPU time, {name}, 1: without", "times", ours, peer, self.ratios(peer))
            more = [1e3 * (cost - plain) for cost, plain in zip(self.costs[name], self.plain)]
            stated = [taken_ms(cost) for cost in self.stated[name]]
            held = sum(least <= m <= most for m, (_, least, most) in zip(more, stated))
            row(f"{what}: time taken that the profile states, {name}", "ms", [s[0] for s in stated],
                "growth of CPU time", more)
            note(f"{what}: {name}: in {held} of {len(more)} runs the growth lies in the interval, "
                 f"such as {stated[-1][1]:.0f} to {stated[-1][2]:.0f} ms: {more[-1]:.0f} ms")

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
                    c.add(name, cpu_s(command(size), there[name])[0])
                if os.path.exists(HEAPTRACK):
                    c.add(IN_PROCESS, heaptrack_s(command(size)))
            note(f"{work}, {size}: {statistics.median(c.plain):.3f} s, {c.seen} allocations")
        sizes[SIZES[-1]].rows(work)
        for name in (EXACT, SAMPLED):
            row(f"{work}: an allocation more, {name}, {SIZES[-1]} times the work", "µs",
                sizes[SIZES[-1]].each_us(name), "the work once", sizes[SIZES[0]].each_us(name))


def heap_foretold():
    for work, command in WORKS.items():
        if not shutil.which(command(1)[0]):
            note(f"{work}: no {command(1)[0]}: left out")
            continue
        argv, told, seen = command(SIZES[-1]), {EXACT: [], SAMPLED: []}, {EXACT: [], SAMPLED: []}
        for _ in range(TURNS):
            plain = cpu_s(argv)[0]
            said = foretold_midway(command(LONG), PAST_START_S)
            plain = (plain + cpu_s(argv)[0]) / 2
            for tier, percent_ in zip((EXACT, SAMPLED), said):
                if percent_ is not None:
                    told[tier].append(percent_)
                    seen[tier].append(100 * (cpu_s(argv, TOOLS[tier])[0] / plain - 1))
        for tier in (EXACT, SAMPLED):
            row(f"{work}: slowdown that --heap foretells of {tier}", "%", told[tier] or None,
                "growth of CPU time", seen[tier] or None)
            note(f"{work}: {tier}: foretold / seen: " +
                 " ".join(f"{a / b:.2f}" for a, b in zip(told[tier], seen[tier])))


def growth_of(ours, plain):
    """In %, of each turn."""
    return [100 * (a / b - 1) for a, b in zip(ours, plain)]


def heap_faults():
    works = {work: command(10) for work, command in WORKS.items() if not work.startswith("python3")}
    works["node, JSON"] = ["node", "-e", NODE]
    for work, argv in works.items():
        if not shutil.which(argv[0]):
            note(f"{work}: no {argv[0]}: left out")
            continue
        costs = {None: [], FAULTS: []}
        for turn in range(3 * TURNS):
            for name in (None, FAULTS) if turn % 2 else (FAULTS, None):
                costs[name].append(cpu_s(argv, eprof(name) if name else None)[0])
        row(f"{work}: CPU time more by --heap=faults", "%", growth_of(costs[FAULTS], costs[None]),
            "at most", 2.0)
    if shutil.which("redis-server"):
        heap_faults_of_redis()


def heap_faults_of_redis():
    server, costs = Redis(), {None: [], FAULTS: []}
    try:
        server.served()
        for turn in range(2 * TURNS):
            for name in (None, FAULTS) if turn % 2 else (FAULTS, None):
                beside = Beside(eprof(name)(server.pid, None) if name else IDLE)
                costs[name].append(server.served()[1])
                beside.end()
    finally:
        server.end()
    row("redis-server, get: CPU time more by --heap=faults", "%",
        growth_of(costs[FAULTS], costs[None]), "at most", 2.0)


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
                beside.end()
                c.add(name, cost)
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


GROUPS = (heap_work, heap_foretold, heap_faults, heap_server, heap_deep, heap_memory)
