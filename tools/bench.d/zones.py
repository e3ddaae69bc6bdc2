"""Zones: what a probe costs a call, and what it takes to hang probes and to take them away.

Rows, and the ratio that is wanted:

cost a call		CPU time that a call of a function of two instructions takes longer with a probe,
			at a place that the kernel emulates (push) and at one that it has to step.
			Every tool has a function of its own in one process (tests/prog/bench_calls),
			which calls them in turns. Count only: at most 1.2 times an empty program at the
			same place, and at most bpftrace's count(). Full statistics: at most 1.6 times an
			empty session, and at most bpftrace's entry, return and hist().
as calibrated		What eprof itself says that its probes cost (and takes off times) against that.
free of glibc		A program that does nothing else than malloc and free; each tool alone, as all want
			the same function. At most 0.05 of a probe at its first instruction.
CPU a call		Against tools that write each call down: in the target, and of target and tool.
many functions		Count only takes one probe a function; full statistics here, as libLLVM walks its
			own stack, one more at each RET. 10,000 hung in a second, and gone in a second.
			Against bpftrace and eprof's own way on old kernels, which hang probes one by one,
			of fewer functions, as they need 0.1 s for each to be taken away.

An empty program is tests/prog/bench_probe: two instructions of BPF, hung as eprof hangs its own.
A tool's figure counts only if the tool saw exactly the calls that the target made.
"""

import collections
import contextlib
import glob
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import h5py

from base import (BUILD, EPROF, EPROF_TESTS, KEEP, Job, PERF_RECORD, QUICK, TOP, TURNS, note,
                  perf_samples, profile, row, the_run)

CALLS, PROBE = os.path.join(BUILD, "prog/bench_calls"), os.path.join(BUILD, "prog/bench_probe")
BREAKPOINT = 0xCC  # what stands in the target's code where a probe is
SETTLE_S = 0.3  # where a tool hangs several probes, this one may have been the first


# --- the target ------------------------------------------------------------------------------

class Place:
    """A function of a file: its first instruction, and where eprof would put its probe."""

    def __init__(self, path, name):
        found = json.loads(subprocess.run([EPROF, "zones", "--json", path, name], check=True,
                                          capture_output=True).stdout)["functions"]
        found = [f for f in found if f["linkage"] == name][0]
        self.path, self.name, self.site = os.path.realpath(path), name, found["site"]["offset"]
        self.first = self.site - found["site"]["address"] + found["address"]
        self.pattern = f"{os.path.basename(path)}:{name}"


def addresses(pid, path, offsets):
    """Where a process has those places of a file's code."""
    parts = []
    with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as f:
        for line in f:
            word = line.split(None, 5)
            if len(word) == 6 and word[5].rstrip() == path and "x" in word[1]:
                start, end = (int(x, 16) for x in word[0].split("-"))
                parts.append((int(word[2], 16), end - start, start))
    return [start + offset - at for offset in offsets for at, size, start in parts
            if at <= offset < at + size]


def base_of(pid, path):
    """Where a process has the first byte of a library."""
    with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as f:
        return min(int(line.split("-")[0], 16) for line in f if line.rstrip().endswith(path))


def probed(pid, places):
    """How many of those addresses have a breakpoint."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as f:
        return sum(os.pread(f.fileno(), 1, at)[0] == BREAKPOINT for at in places)


def wait_until(ready, job, what, within=300):
    """Seconds until @ready(), which the profiler @job is to bring about."""
    began = time.monotonic()
    while not ready():
        if job.p.poll() is not None or time.monotonic() - began > within:
            sys.exit(f"tools/bench: {what} never came: {' '.join(job.argv)}: {job.complaint()}")
        time.sleep(0.005)
    return time.monotonic() - began


class Target:
    """bench_calls, stopped by itself where probes may come."""

    def __init__(self, rounds, calls, names, before=()):
        self.out = tempfile.TemporaryFile("w+")
        self.job = Job([*before, CALLS, str(rounds), str(calls), *names], output=self.out)
        os.waitid(os.P_PID, self.job.pid, os.WSTOPPED)
        self.pid = self.job.pid

    def go(self):
        """Lets it run to its end: by function the ns of a call, and the calls made."""
        self.job.signal(signal.SIGCONT)
        self.job.end()
        return parse_calls(self.out)


def parse_calls(out):
    out.seek(0)
    found = re.findall(r"^(\w+) ns=([-\d.]+) calls=(\d+)$", out.read(), re.M)
    return {name: (float(ns), int(calls)) for name, ns, calls in found}


# --- the tools -------------------------------------------------------------------------------

class Prober:
    """A tool that probes one function: @command(pid, place), and @counted(prober), the calls that
    it has seen; None: it does not tell."""

    def __init__(self, command, counted=None, first=True, prepare=None):
        self.command, self.counted_by, self.first = command, counted, first
        self.prepare = prepare
        self.job = self.out = self.file = None

    def start(self, target, place):
        where = addresses(target.pid, place.path, [place.first if self.first else place.site])
        if probed(target.pid, where):
            sys.exit(f"tools/bench: somebody else probes {place.name}; wait until they are done")
        self.out = tempfile.TemporaryFile("w+")
        self.file = os.path.join(KEEP, f"zone-{place.name}.h5")
        if self.prepare:
            self.prepare(place)
        self.job = Job(self.command(target.pid, place), output=self.out)
        wait_until(lambda: probed(target.pid, where) == len(where) > 0, self.job, "a probe")
        if os.path.basename(self.job.argv[0]) == "eprof":
            wait_until(lambda: "capturing" in self.job.complaint(), self.job, "the capture")

    def end(self):
        """After the target's end, which most take for their own."""
        if self.job.argv[0] == PROBE:
            self.job.signal(signal.SIGINT)
        self.job.end(within=30)

    def counted(self):
        return self.counted_by(self) if self.counted_by else None

    def said(self):
        self.out.seek(0)
        return self.out.read()


def zone_calls(prober):
    """Calls in eprof's profile; all of them must have been timed, where times were asked for."""
    with h5py.File(prober.file, "r") as f:
        table = the_run(f)["zones"][()]
    timed = "none" in prober.job.argv or all(int(z["untimed"]) == 0 for z in table)
    return sum(int(z["counts"]) for z in table) if timed else -1


def eprof_zones(*extra, program=EPROF):
    return Prober(lambda pid, place: [program, "record", "--force", "-o",
                                      os.path.join(KEEP, f"zone-{place.name}.h5"), *extra, "--zone",
                                      place.pattern, "-p", str(pid)], zone_calls, first=False)


def empty(kind, first=False):
    return Prober(lambda pid, place: [PROBE, kind, str(pid), place.path,
                                      str(place.first if first else place.site)], first=first)


def bpftrace(script, counted=None):
    """@script with AT for the function."""
    return Prober(lambda pid, place: ["bpftrace", "-p", str(pid), "-e",
                                      script.replace("AT", f"{place.path}:{place.name}")], counted)


def sum_of_count(prober):
    return sum(map(int, re.findall(r"^@: (\d+)$", prober.said(), re.M)))


def sum_of_histogram(prober):
    return sum(map(int, re.findall(r"^[\[(].*[\])] +(\d+) \|", prober.said(), re.M)))


HIST = ("uprobe:AT { @s[tid] = nsecs; } "
        "uretprobe:AT /@s[tid]/ { @h = hist(nsecs - @s[tid]); delete(@s[tid]); }")


def with_tracefs(argv):
    """A command of perf's that finds its file system, which need not be there for others."""
    return ["unshare", "-m", "sh", "-c", "mountpoint -q /sys/kernel/tracing || "
            'mount -t tracefs tracefs /sys/kernel/tracing; exec "$@"', "sh"] + argv


def perf_probe(place, returns=False):
    """Makes perf's events of a function anew: eprof_bench:NAME, and eprof_bench:NAME_end."""
    perf_forget()
    for spec in [f"eprof_bench:{place.name}={place.name}"] + \
            ([f"eprof_bench:{place.name}_end={place.name}%return"] if returns else []):
        subprocess.run(with_tracefs(["perf", "probe", "-q", "-x", place.path, spec]), check=True,
                       capture_output=True)


def perf_forget():
    subprocess.run(with_tracefs(["perf", "probe", "-q", "-d", "eprof_bench:*"]), check=False,
                   capture_output=True)


def perf_counted(prober):
    found = re.search(r"([\d,.]+)\s+eprof_bench:", prober.job.said)
    return int(re.sub(r"\D", "", found[1])) if found else -1


def perf_stat():
    return Prober(lambda pid, place: with_tracefs(
        ["perf", "stat", "-e", f"eprof_bench:{place.name}", "-p", str(pid)]), perf_counted,
        prepare=perf_probe)


# --- the cost of a call ----------------------------------------------------------------------

COUNT, FULL = "count only", "full statistics"
PROBERS = {
    "an empty program at the same place": lambda: empty("entry"),
    "bpftrace, nothing to do": lambda: bpftrace("uprobe:AT { }"),
    "bpftrace, count()": lambda: bpftrace("uprobe:AT { @ = count(); }", sum_of_count),
    "perf stat of perf probe": perf_stat,
    COUNT: lambda: eprof_zones("--clock", "none"),
    "an empty session at the same place": lambda: empty("session"),
    "bpftrace, nothing to do at entry and return":
        lambda: bpftrace("uprobe:AT { } uretprobe:AT { }"),
    "bpftrace, hist() of nsecs from entry to return": lambda: bpftrace(HIST, sum_of_histogram),
    FULL: lambda: eprof_zones(),
}
COUNTING, TIMING = list(PROBERS)[:4], list(PROBERS)[5:8]


def one_run(kind, turn, rounds, calls, tools=None):
    """Each of @tools (PROBERS) has a function of its own in one process, which calls them in turns;
    which one, is another at each turn. By tool the ns that a call took longer than that of a function without
    probe, if all were seen; and the cost that eprof calibrated."""
    names = [f"bc_{kind}{i}" for i in range(10)]
    names = names[turn % 10:] + names[:turn % 10]
    places = dict(zip(tools or PROBERS, (Place(CALLS, name) for name in names[1:])))
    probers = {tool: new() for tool, new in (tools or PROBERS).items()}
    target = Target(rounds, calls, sorted(names))
    for tool, prober in probers.items():
        prober.start(target, places[tool])
    time.sleep(SETTLE_S)
    got = target.go()
    cost, calibrated = {}, {}
    for tool, prober in probers.items():
        prober.end()
        ns, made = got[places[tool].name]
        seen = prober.counted()
        if seen not in (None, made):
            note(f"{tool}: saw {seen} of {made} calls: not counted")
            continue
        cost[tool] = ns - got[names[0]][0]
        if tool in (COUNT, FULL):
            figures = profile(prober.file)[1]
            calibrated[tool] = [v for k, v in figures.items() if k.startswith("zones: a call")]
    perf_forget()
    return cost, calibrated


def zone_cost():
    """Entry alone, and entry and return, at a site that is emulated and at one that is stepped."""
    for kind, site, rounds, calls in (("push", "emulated site", 100, 1000),
                                      ("plain", "stepped site", 40, 100)):
        cost, calibrated = collections.defaultdict(list), collections.defaultdict(list)
        for turn in range(TURNS):
            ns, own = one_run(kind, turn, rounds // 2 if QUICK else rounds, calls)
            for tool, value in ns.items():
                cost[tool].append(value)
            for tool, values in own.items():
                calibrated[tool] += values
        for ours, peers in ((COUNT, COUNTING), (FULL, TIMING)):
            for peer in peers:
                row(f"cost a call, {ours}: {site}", "ns", cost.get(ours), peer,
                    cost.get(peer))
            row(f"cost a call as calibrated, {ours}: {site}", "ns", calibrated.get(ours),
                "as it was here", cost.get(ours))


def zone_free():
    """A program that does nothing but malloc and free, with probes on free, each tool alone: its
    first instruction is stepped, and eprof goes to a later one, that is emulated. The library is a
    copy of the program's own: nobody else pays for its probes, or has some there."""
    own = os.path.join(KEEP, "libc")
    os.makedirs(own, exist_ok=True)
    place = Place(shutil.copy(next(iter(glob.glob("/lib/*/libc.so.6"))), own), "free")

    def target():
        return Target(30, 500, ["free"], ("env", f"LD_LIBRARY_PATH={own}"))

    tools = {COUNT: lambda: eprof_zones("--clock", "none"), FULL: lambda: eprof_zones(),
             "bpftrace, count()": PROBERS["bpftrace, count()"],
             "an empty program at the first instruction": lambda: empty("entry", first=True),
             "an empty program at the same place": lambda: empty("entry")}
    took = collections.defaultdict(list)
    for _ in range(TURNS):
        took[None].append(target().go()["free"][0])
        for tool, new in tools.items():
            program, prober = target(), new()
            prober.start(program, place)
            time.sleep(SETTLE_S)
            ns, made = program.go()["free"]
            prober.end()
            seen = prober.counted()
            if seen is not None and seen < made:  # the program's start and end free too
                note(f"{tool}: saw {seen} of {made} calls: not counted")
            else:
                took[tool].append(ns)
    bare = statistics.median(took[None])
    note(f"malloc and free take {bare:.1f} ns bare")
    for ours in (COUNT, FULL):
        for peer in list(tools)[2:] if ours == COUNT else list(tools)[2:3]:
            row(f"cost a call, {ours}: free of glibc", "ns", [ns - bare for ns in took[ours]],
                peer, [ns - bare for ns in took[peer]])
        row(f"malloc and free are so many times slower, {ours}: free of glibc", "times",
            [ns / bare for ns in took[ours]], "bpftrace, count()",
            [ns / bare for ns in took["bpftrace, count()"]])


# --- peers that write every call down ----------------------------------------------------------

def traced_program():
    """bench_calls, as uftrace needs it."""
    path = os.path.join(KEEP, "bench_calls.pg")
    subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-g", "-O2", "-pg", "-o", path,
                    os.path.join(TOP, "tests/prog/bench_calls.c")], check=True)
    return path


def run_uftrace(rounds):
    """CPU seconds of the target and the tool, ns a call in the target, calls made and seen."""
    data = os.path.join(KEEP, "zone.uftrace")
    shutil.rmtree(data, ignore_errors=True)
    out = tempfile.TemporaryFile("w+")
    job = Job(["uftrace", "record", "--no-pager", "--no-libcall", "--no-event", "-d", data,
               traced_program(), str(rounds), "1000", "bc_push0"], output=out)
    child = []

    def stopped():
        with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii") as f:
            child[:] = f.read().split()
        for pid in child:
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
                if f.read().rpartition(")")[2].split()[0] == "T":
                    child[:] = [pid]
                    return True
        return False

    wait_until(stopped, job, "the target")
    os.kill(int(child[0]), signal.SIGCONT)
    job.end()
    ns, made = parse_calls(out)["bc_push0"]
    report = subprocess.run(["uftrace", "report", "--no-pager", "-d", data, "-f", "call"],
                            capture_output=True, text=True, check=True).stdout
    seen = re.search(r"^ +(\d+) +bc_push0$", report, re.M)
    shutil.rmtree(data, ignore_errors=True)
    return job.cpu_s, ns, made, int(seen[1]) if seen else -1


def run_traced(prober, rounds):
    """The same of a tool that attaches."""
    target = Target(rounds, 1000, ["bc_push0"])
    prober.start(target, Place(CALLS, "bc_push0"))
    time.sleep(SETTLE_S)
    ns, made = target.go()["bc_push0"]
    prober.end()
    return target.job.cpu_s + prober.job.cpu_s, ns, made, prober.counted()


def perf_recorded(_):
    return perf_samples(os.path.join(KEEP, "zone.data")) / 2


def perf_record():
    """-m: room for all that a look takes; perf loses events otherwise."""
    return Prober(lambda pid, place: with_tracefs(
        PERF_RECORD + ["-m", "8M", "-e", "eprof_bench:*", "-o", os.path.join(KEEP, "zone.data"),
                       "-p", str(pid)]), perf_recorded,
        prepare=lambda place: perf_probe(place, returns=True))


def zone_trace():
    """Full statistics against tools that write each call into a file: in the target, and of all
    CPU time, the tool's own included, by the slope of two lengths."""
    tools = {FULL: lambda n: run_traced(eprof_zones(), n),
             "perf record of perf probe, entry and return": lambda n: run_traced(perf_record(), n),
             "uftrace record of a program built with -pg": run_uftrace}
    lengths = (10, 60) if QUICK else (25, 200)
    inside = collections.defaultdict(list)
    spent = {tool: collections.defaultdict(list) for tool in tools}  # CPU seconds by calls
    for _ in range(min(TURNS, 3)):
        for tool, measure in tools.items():
            for n in lengths:
                cpu_s, ns, made, seen = measure(n)
                if made != seen:
                    note(f"{tool}: saw {seen} of {made} calls: not counted")
                    continue
                spent[tool][made].append(cpu_s)
                inside[tool].append(ns)
    perf_forget()
    whole = {}
    for tool, by in spent.items():
        if len(by) == 2:
            (few, short), (many, long) = sorted(by.items())
            whole[tool] = 1e9 * (statistics.median(long) - statistics.median(short)) / (many - few)
    for what, got in (("in the target", inside), ("tool included, slope of two lengths", whole)):
        for peer in list(tools)[1:]:
            row(f"CPU a call, {what}, {FULL}: emulated site", "ns", got.get(FULL), peer,
                got.get(peer))


# --- many functions ----------------------------------------------------------------------------

def exported(path):
    """Names by address of a library's exported functions, one an address."""
    out = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True,
                         check=True).stdout
    return {int(a, 16): n.split("@")[0]
            for a, n in re.findall(r"^([0-9a-f]+) [TW] (\S+)$", out, re.M)}


def prefix_of(names, wanted):
    """The beginning that nearest to @wanted of the names have."""
    count = collections.Counter(name[:k] for name in names for k in range(3, min(25, len(name))))
    return min(count, key=lambda p: abs(count[p] - wanted))


def attach_eprof(pid, library, prefix, *extra, program=EPROF):
    """Seconds to attach and to detach, and functions probed."""
    path = os.path.join(KEEP, "zone-many.h5")
    job = Job([program, "record", "--force", "-o", path, "--zones-max", "100000", *extra, "--zone",
               f"{os.path.basename(library)}:{prefix}*", "-p", str(pid)])
    wait_until(lambda: "capturing" in job.complaint(), job, "the capture")
    attach = time.monotonic() - job.began
    time.sleep(SETTLE_S)
    began = time.monotonic()
    job.signal(signal.SIGINT)
    job.end()
    detach = time.monotonic() - began
    figures = profile(path)[1]
    # A program to compare with may be older.
    functions = figures.get("probes: functions") or figures["zones: probed functions"]
    took_ns = figures.get("probes: time to attach") or figures.get("zones: time to attach probes", 0)
    return attach, detach, int(functions), took_ns / 1e9


def attach_bpftrace(pid, library, prefix, functions):
    """None: it did not end within two minutes, and was killed."""
    where = [base_of(pid, library) + at for at in functions]
    job = Job(["bpftrace", "-p", str(pid), "-e", f"uprobe:{library}:{prefix}* {{ @ = count(); }}"])
    wait_until(lambda: probed(pid, where) == len(where) > 0, job, "the probes")
    attach = time.monotonic() - job.began
    time.sleep(5 * SETTLE_S)  # a Ctrl-C that comes too early is lost
    began = time.monotonic()
    job.signal(signal.SIGINT)
    job.end(within=120)
    if job.p.returncode == -signal.SIGKILL:
        note(f"bpftrace, {len(where)} functions: did not end by itself: not counted")
        return None
    return attach, time.monotonic() - began, len(where)


@contextlib.contextmanager
def sleeper():
    """The pid of a process that sleeps with libLLVM in it, the library, and its functions' names."""
    library = os.path.realpath(max(glob.glob("/usr/lib/*/libLLVM-1*.so.1"), key=os.path.getsize))
    job = Job([sys.executable, "-c", "import ctypes, sys, time; ctypes.CDLL(sys.argv[1]); "
               "print('there', flush=True); time.sleep(3600)", library])
    wait_until(lambda: library in open(f"/proc/{job.pid}/maps", encoding="utf-8").read(), job,
               "the library")
    time.sleep(1)
    try:
        yield job.pid, library, exported(library)
    finally:
        job.signal(signal.SIGKILL)
        job.end()


def zone_attach():
    """From the command to all probes, and from Ctrl-C to the profile, of a process that sleeps
    with libLLVM in it. Slopes of two numbers of functions, as starting up has its own time."""
    with sleeper() as where:
        compare_attach(*where)


def attach_empty(pid, library, prefix, _):
    """The kernel's own part: probes that do nothing, at the very instructions of eprof's."""
    listed = json.loads(subprocess.run([EPROF, "zones", "--json", "--zones-max", "100000", library,
                                        f"{prefix}*"], check=True, capture_output=True).stdout)
    sites = {f["site"]["offset"] for f in listed["functions"] if not f["why"]}
    out = tempfile.TemporaryFile("w+")
    job = Job([PROBE, "entry", str(pid), library, *map(str, sites)], output=out)
    wait_until(lambda: os.fstat(out.fileno()).st_size > 0, job, "the probes")
    job.signal(signal.SIGINT)
    job.end()
    out.seek(0)
    hung, away = (float(x) for x in re.findall(r"_s=([\d.]+)", out.read()))
    return hung, away, len(sites)


def compare_attach(pid, library, names):
    def all_of(wanted, attach, turns=min(TURNS, 3)):
        """Medians of what @attach gives for a part of the functions; None: nothing."""
        prefix = prefix_of(names.values(), wanted)
        functions = [a for a, n in names.items() if n.startswith(prefix)]
        got = [x for x in (attach(pid, library, prefix, functions) for _ in range(turns)) if x]
        if not got:
            return None
        middle = [statistics.median(x) for x in zip(*got)]
        note(f"{prefix}*: {middle[2]:.0f} functions: " + ", ".join(
            f"{x:.3f} s" for x in middle[:2] + middle[3:]))
        return middle

    def per_function(ends, i):
        """µs, if they stand out of the noise."""
        slope = 1e6 * (ends[1][i] - ends[0][i]) / (ends[1][2] - ends[0][2])
        return slope if slope > 0 else None

    def eprof(*extra, program=EPROF):
        return lambda pid, library, prefix, _: attach_eprof(pid, library, prefix, *extra,
                                                            program=program)

    many, few = (1000, 20000), (20, 100)
    count = [all_of(n, eprof("--clock", "none")) for n in many]
    full = [all_of(n, eprof()) for n in many]
    floor = [all_of(n, attach_empty) for n in many]
    peer = [all_of(n, attach_bpftrace, 2) for n in few]
    single = eprof("--clock", "none", "--uprobes", "one", program=EPROF_TESTS)
    one = [all_of(n, single, 2) for n in few]
    for ours, what in ((count, COUNT), (full, FULL)):
        for end in (0, 1):
            n, least = f"{ours[end][2]:.0f} functions, {what}", "empty programs, hung alone"
            row(f"from the command to all probes: {n}", "s", ours[end][0], "-", None)
            row(f"finding places and hanging probes, of that: {n}", "s", ours[end][3], least,
                floor[end][0])
            row(f"from Ctrl-C to the profile: {n}", "s", ours[end][1], least, floor[end][1])
    for what, i, name, ends in (("from the command to all probes", 0, "bpftrace, count()", peer),
                                ("from Ctrl-C to the end", 1, "bpftrace, count()", peer),
                                ("finding places and hanging probes", 3, "eprof --uprobes one", one),
                                ("from Ctrl-C to the end", 1, "eprof --uprobes one", one)):
        if not all(ends):
            continue
        row(f"{what}, a function more, slope of {count[0][2]:.0f} and {count[1][2]:.0f}, {COUNT}",
            "µs", per_function(count, i), f"{name}, slope of {ends[0][2]:.0f} and "
            f"{ends[1][2]:.0f}", per_function(ends, i))


GROUPS = (zone_cost, zone_free, zone_trace, zone_attach)
