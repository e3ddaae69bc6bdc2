"""Time off the CPU: what a switch costs, and what a server under load loses.

switch	Two threads that wake each other through pipes on one CPU (tests/prog/pingpong), which do
	nothing but switch: by how much their CPU time a switch grows, in turns. With stacks, eprof
	samples them at 99 Hz; of others: the target is another process, so what remains is to find that out
	twice a switch. Against an empty program on the same two tracepoints (the least that a tool by
	BPF can cost: the ratio is what counts), and peers that take stacks at each switch: wanted is
	at most a third of the cheapest.
served	Requests a second of redis, and its CPU time a request, bare, sampled on the CPU alone, and off
	the CPU too: wanted is at most 3 % more than with the sampler alone.
"""

import glob
import os
import re
import shutil
import signal
import statistics
import subprocess
import time

from base import BUILD, EPROF, KEEP, Job, PERF_RECORD, QUICK, TURNS, note, profile, row

ROUNDS = 40_000 if QUICK else 200_000
REQUESTS = 50_000 if QUICK else 300_000
PINGPONG = os.path.join(BUILD, "prog/pingpong")
POINTS = ("sched_switch", "sched_exit_tp")
STACKS = "tracepoint:sched:sched_switch /pid == {pid}/ {{ @[kstack, ustack] = count(); }} " \
         "END {{ clear(@); }}"
CAPTURE = os.path.join(KEEP, "offcpu.h5")
ATTACH_S = 1 if QUICK else 3  # a peer is given that long
PORT = 7399


def nothing(_):
    return ["sleep", "1000"]


def empty(_):
    return [os.path.join(BUILD, "prog/bench_switch"), *POINTS]


def off_cpu(pid, *extra):
    return [EPROF, "record", "--force", "--off-cpu", *extra, "-o", CAPTURE, "-p", str(pid)]


def of_others(_):
    return off_cpu(os.getpid())


def perf(pid):
    return PERF_RECORD + ["-e", "sched:sched_switch", "-g", "-o", os.path.join(KEEP, "switch.data"),
                          "-p", str(pid)]


def bpftrace(pid):
    return ["bpftrace", "-e", STACKS.format(pid=pid)]


class Beside:
    """A tool that runs beside the work; none of what it says is wanted."""

    def __init__(self, argv):
        self.p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, cwd=KEEP)
        time.sleep(ATTACH_S)
        if self.p.poll() is not None:
            raise SystemExit(f"tools/bench: {' '.join(argv)}: ended with {self.p.returncode}")

    def end(self):
        self.p.stdin.close()
        self.p.send_signal(signal.SIGINT)
        try:
            self.p.wait(60)
        except subprocess.TimeoutExpired:
            self.p.kill()
            self.p.wait()


def switch_us(tool):
    """CPU time of a switch of a pair that starts when the tool is there."""
    work = subprocess.Popen([PINGPONG, "1", str(ROUNDS)], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True, env={**os.environ, "WAIT": "1"})
    beside = Beside(tool(work.pid))
    try:
        said = work.communicate("go\n")[0]
    finally:
        work.kill()
        beside.end()
    return float(re.search(r"cpu_ns=(\d+)", said)[1]) / 2e3


def switch():
    """The dearer ones against the cheaper; all in turns, each against the bare run of its turn."""
    tools = {"bare": nothing, "an empty program there": empty, "of others": of_others,
             "eprof": off_cpu, "perf record -e sched:sched_switch -g": perf,
             "bpftrace, stacks counted": bpftrace}
    if not shutil.which("bpftrace"):
        del tools["bpftrace, stacks counted"]
    found = {name: [] for name in tools}
    for turn in range(TURNS):
        order = list(tools) if turn % 2 else list(tools)[::-1]
        for name in order:
            found[name].append(switch_us(tools[name]))
    costs = {name: [us - bare for us, bare in zip(found[name], found["bare"])]
             for name in tools if name != "bare"}
    note(f"a switch, bare: {statistics.median(found['bare']):.3g} µs")
    row("cost a switch of others", "µs", costs["of others"], "an empty program there",
        costs["an empty program there"])
    for name in list(tools)[1:]:
        if name not in ("eprof", "of others"):
            row("cost a switch, off the CPU at 99 Hz", "µs", costs["eprof"], name, costs[name])


class Redis:
    """A server of its own, without files."""

    def __init__(self):
        self.job = Job(["redis-server", "--port", str(PORT), "--save", "", "--appendonly", "no"])
        for _ in range(100):
            if subprocess.run(["redis-cli", "-p", str(PORT), "ping"], check=False,
                              capture_output=True, text=True).stdout.strip() == "PONG":
                return
            time.sleep(0.1)
        raise SystemExit("tools/bench: redis-server does not answer")

    def served(self):
        """Requests a second, and µs of the server's CPU time a request."""
        began = self.cpu_s()
        out = subprocess.run(["redis-benchmark", "-p", str(PORT), "-t", "get", "-n", str(REQUESTS),
                              "-c", "20", "--csv"], check=True, capture_output=True,
                             text=True).stdout
        rate = float(out.splitlines()[-1].split(",")[1].strip('"'))
        return rate, 1e6 * (self.cpu_s() - began) / REQUESTS

    def cpu_s(self):
        """Of all its threads, to the ns."""
        total = 0
        for path in glob.glob(f"/proc/{self.job.pid}/task/*/schedstat"):
            with open(path, encoding="ascii") as f:
                total += int(f.read().split()[0])
        return total / 1e9

    def end(self):
        self.job.signal(signal.SIGTERM)
        self.job.end()


def slowdown_shown():
    return next(v for name, v in profile(CAPTURE)[1].items()
                if name.startswith("slowdown by samples"))


def served():
    if not shutil.which("redis-server"):
        note("no redis-server: tools/setup bench installs it")
        return
    server = Redis()
    sampler = [EPROF, "record", "--force", "-e", "cpu-clock", "-F", "99", "-o", CAPTURE, "-p",
               str(server.job.pid)]
    tools = {"bare": None, "sampled on the CPU": sampler,
             "off the CPU too": off_cpu(server.job.pid, "-e", "cpu-clock", "-F", "99")}
    found = {name: [] for name in tools}
    shown = []
    try:
        for turn in range(2 * TURNS):
            for name in list(tools) if turn % 2 else list(tools)[::-1]:
                beside = Beside(tools[name]) if tools[name] else None
                found[name].append(server.served())
                if beside:
                    beside.end()
                if name == "off the CPU too":
                    shown.append(slowdown_shown())
    finally:
        server.end()
    rates, cpu = ({name: [run[i] for run in found[name]] for name in tools} for i in range(2))
    grown = {name: [100 * (a / b - 1) for a, b in zip(cpu[name], cpu["bare"])] for name in tools}
    row("redis, requests a second, off the CPU at 99 Hz too", "1/s", rates["off the CPU too"],
        "bare", rates["bare"])
    row("redis, CPU a request, off the CPU at 99 Hz too", "µs", cpu["off the CPU too"], "bare",
        cpu["bare"])
    row("redis, CPU a request, growth: off the CPU too", "%", grown["off the CPU too"],
        "sampled on the CPU alone", grown["sampled on the CPU"])
    row("redis, slowdown that the profile shows", "%", shown, "growth of CPU a request",
        grown["off the CPU too"])


GROUPS = (switch, served)
