"""Time off the CPU: what a switch costs. What servers lose: servers.py.

switch	Two threads that wake each other through pipes on one CPU (tests/prog/pingpong), which do
	nothing but switch: by how much their CPU time a switch grows, in turns. With stacks, eprof
	samples them at 99 Hz; of others: the target is another process, so what remains is to find that out
	twice a switch. Against an empty program on the same two tracepoints (the least that a tool by
	BPF can cost: the ratio is what counts), and peers that take stacks at each switch: wanted is
	at most a third of the cheapest. The slowdown that the profile states is to be what is seen; and
	--wall is measured as it samples by itself, by CPU, and by task. Samples alone: what a switch
	pays for them, which is the kernel's own event by task where that is chosen; perf's is one too.
"""

import os
import re
import shutil
import signal
import statistics
import subprocess
import time

from base import BUILD, EPROF, KEEP, PERF_RECORD, QUICK, note, row, slowdown_stated

ROUNDS = 40_000 if QUICK else 80_000
SWITCH_TURNS = 2 if QUICK else 7
SWITCH_S = 60  # on a busy machine there are fewer turns, but three
PINGPONG = os.path.join(BUILD, "prog/pingpong")
POINTS = ("sched_switch", "sched_exit_tp")
STACKS = "tracepoint:sched:sched_switch /pid == {pid}/ {{ @[kstack, ustack] = count(); }} " \
         "END {{ clear(@); }}"
CAPTURE = os.path.join(KEEP, "offcpu.h5")
ATTACH_S = 2  # a peer is given that long, or until it says that it is there
READY = ("ready", "capturing", "sampling")


def empty(_):
    return [os.path.join(BUILD, "prog/bench_switch"), *POINTS]


def off_cpu(pid, *extra):
    return [EPROF, "record", "--force", "--off-cpu", *extra, "-o", CAPTURE, "-p", str(pid)]


def of_others(_):
    return off_cpu(os.getpid())


def wall(pid):
    return off_cpu(pid, "--wall", "-F", "99")


def wall_by_task(pid):
    return off_cpu(pid, "--wall", "-F", "99", "--sampler", "task")


def samples(pid):
    return [EPROF, "record", "--force", "-F", "99", "-o", CAPTURE, "-p", str(pid)]


def samples_by_cpu(pid):
    return samples(pid) + ["--sampler", "cpu"]


def perf_samples(pid):
    return PERF_RECORD + ["-e", "cpu-clock", "-F", "99", "-g", "-o",
                          os.path.join(KEEP, "switch.data"), "-p", str(pid)]


def perf(pid):
    return PERF_RECORD + ["-e", "sched:sched_switch", "-g", "-o", os.path.join(KEEP, "switch.data"),
                          "-p", str(pid)]


def bpftrace(pid):
    return ["bpftrace", "-e", STACKS.format(pid=pid)]


def offcputime(pid):
    """bcc's, of its tools by libbpf: stacks of each switch, summed in the kernel."""
    return ["offcputime", "-p", str(pid)]


def slowdown_shown():
    return slowdown_stated(CAPTURE)[0]


class Beside:
    """A tool that runs beside the work."""

    def __init__(self, argv):
        said = os.path.join(KEEP, "beside.txt")
        with open(said, "w", encoding="utf-8") as out:
            self.p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=out, stderr=out, cwd=KEEP)
        end = time.monotonic() + ATTACH_S
        while time.monotonic() < end and self.p.poll() is None:
            with open(said, encoding="utf-8", errors="replace") as out:
                if any(word in out.read() for word in READY):
                    break
            time.sleep(0.05)
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


def switch_us(tool=None):
    """CPU time of a switch of a pair that starts when the tool is there."""
    work = subprocess.Popen([PINGPONG, "1", str(ROUNDS)], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True, env={**os.environ, "WAIT": "1"})
    beside = None
    try:
        beside = Beside(tool(work.pid)) if tool else None
        said = work.communicate("go\n")[0]
    finally:
        work.kill()
        if beside:
            beside.end()
    return float(re.search(r"cpu_ns=(\d+)", said)[1]) / 2e3


def switch():
    """All in turns, each against the mean of the bare runs before and after it: what else the machine
    does changes from second to second."""
    tools = {"an empty program there": empty, "of others": of_others, "eprof": off_cpu,
             "--wall": wall, "--wall --sampler task": wall_by_task,
             "samples": samples, "samples by CPU": samples_by_cpu, "perf samples": perf_samples,
             "perf record -e sched:sched_switch -g": perf, "bpftrace, stacks counted": bpftrace,
             "offcputime of libbpf-tools": offcputime}
    for name, program in (("bpftrace, stacks counted", "bpftrace"),
                          ("offcputime of libbpf-tools", "offcputime")):
        if not shutil.which(program):
            note(f"no {program}: tools/setup bench installs it")
            del tools[name]
    bare, costs, stated, grown = [switch_us()], {name: [] for name in tools}, [], []
    end = time.monotonic() + SWITCH_S
    for turn in range(SWITCH_TURNS):
        if turn >= 3 and time.monotonic() > end:
            break
        for name in list(tools) if turn % 2 else list(tools)[::-1]:
            us = switch_us(tools[name])
            bare.append(switch_us())
            costs[name].append(us - (bare[-2] + bare[-1]) / 2)
            if name == "eprof":
                stated.append(slowdown_shown())
                grown.append(100 * costs[name][-1] / (us - costs[name][-1]))
    note(f"a switch, bare: {statistics.median(bare):.3g} µs")
    row("cost a switch of others", "µs", costs["of others"], "an empty program there",
        costs["an empty program there"])
    row("slowdown that the profile states", "%", stated, "growth of CPU a switch", grown)
    row("cost a switch, --wall", "µs", costs["--wall"], "--sampler task", costs["--wall --sampler task"])
    row("cost a switch, samples alone at 99 Hz", "µs", costs["samples"],
        "perf record -e cpu-clock -F 99 -g", costs["perf samples"])
    row("cost a switch, samples alone at 99 Hz", "µs", costs["samples"], "--sampler cpu",
        costs["samples by CPU"])
    for name in tools:
        if name not in ("eprof", "of others") and "--wall" not in name and "samples" not in name:
            row("cost a switch, off the CPU at 99 Hz", "µs", costs["eprof"], name, costs[name])


GROUPS = (switch,)
