"""What the groups of tools/bench share: rows of the result, processes whose cost is known,
profilers, and what their profiles say."""

import atexit
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import h5py

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
EPROF, RENDER = os.path.join(BUILD, "eprof"), os.path.join(BUILD, "eprof-render")
EPROF_TESTS = os.path.join(BUILD, "eprof-tests")  # which has the options of tests/options.c
KEEP = os.path.join(BUILD, "bench")  # what is made once and kept
QUICK = "--quick" in sys.argv
TURNS = 2 if QUICK else 5
READY_S = 0.7  # a profiler is given that long to attach before the work starts

HEADER = "what\tunit\teprof\tpeer's name\tpeer\tratio"
rows = []


def note(text):
    print(f"# {text}", flush=True)


def row(what, unit, eprof, peer, theirs):
    """One line of the result; @eprof and @theirs are numbers, lists of runs, or None."""
    ours, other = (statistics.median(x) if isinstance(x, list) else x for x in (eprof, theirs))
    ratio = f"{ours / other:.3g}" if ours is not None and other and other > 0 else "-"
    cells = [what, unit] + [f"{x:.4g}" if isinstance(x, float) else "-" if x is None else str(x)
                            for x in (ours, peer, other)] + [ratio]
    rows.append(cells)
    print("\t".join(cells), flush=True)


# --- running things --------------------------------------------------------------------------

class Job:
    """A process whose own cost is known when it has ended: cpu_s, peak_kib, took_s."""

    running = {}  # by pid: those that have not ended

    def __init__(self, argv, stdin=None, output=subprocess.DEVNULL, stopped=False):
        if stopped:  # waits, before it becomes the command, for SIGCONT
            argv = ["/bin/sh", "-c", 'kill -STOP $$; exec "$@"', "sh"] + argv
        self.err = tempfile.TemporaryFile()
        self.began = time.monotonic()
        self.p = subprocess.Popen(argv, stdin=open(stdin, "rb") if stdin else subprocess.DEVNULL,
                                  stdout=output, stderr=self.err, cwd=KEEP)
        self.argv, self.pid, self.peak_kib = argv, self.p.pid, 0
        Job.running[self.pid] = self
        if stopped:
            os.waitid(os.P_PID, self.pid, os.WSTOPPED)

    def signal(self, number):
        os.kill(self.pid, number)

    def note_peak(self):
        """VmHWM, as wait4's ru_maxrss holds that of this script from before the exec, too; of a
        child where the work is done there, as eprof-render does it."""
        try:
            with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as f:
                pids = [self.pid] + f.read().split()
            for pid in pids:
                with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
                    found = re.search(r"VmHWM:\s+(\d+)", f.read())
                self.peak_kib = max(self.peak_kib, int(found[1])) if found else self.peak_kib
        except OSError:
            return

    def end(self, within=300, beside=None):
        """Waits for it; what it cost includes the children that it waited for itself. The peak of
        the Job @beside is watched meanwhile."""
        give_up = time.monotonic() + within
        while True:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > give_up:
                self.signal(signal.SIGKILL)
            self.note_peak()
            if beside:
                beside.note_peak()
            time.sleep(0.002)
        del Job.running[self.pid]
        self.took_s = time.monotonic() - self.began
        self.p.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_s = usage.ru_utime + usage.ru_stime
        self.said = self.complaint()
        return self

    def complaint(self):
        """What it has written to its standard error so far."""
        size = os.fstat(self.err.fileno()).st_size
        return os.pread(self.err.fileno(), size, 0).decode(errors="replace")


@atexit.register
def end_all():
    """A bench that gives up leaves nothing behind, stopped ones neither."""
    for job in list(Job.running.values()):
        job.signal(signal.SIGKILL)
        job.end()


def run(argv, **kw):
    """A command that must succeed, or be cut short by the time @within which it may take."""
    within = kw.pop("within", 300)
    job = Job(argv, **kw).end(within)
    if job.p.returncode not in (0, -signal.SIGKILL):
        sys.exit(f"tools/bench: {' '.join(argv)}: status {job.p.returncode}: {job.said}")
    return job


class Tool:
    """A profiler: how it is called, and the ending of its files."""

    def __init__(self, name, suffix, record):
        self.name, self.suffix, self.record = name, suffix, record

    def file(self, tag=""):
        return os.path.join(KEEP, f"{tag}{self.suffix}")

    def is_eprof(self):
        return self.suffix.endswith(".h5")

    def command(self, mode, hz, pid, tag=""):
        """The profiler's command line for -p PID or -a."""
        path = self.file(tag)
        target = ["-a"] if mode == "-a" else ["-p", str(pid)]
        return self.record + ["-F", str(hz), "-o", path] + target


def eprof_tool(*extra):
    return Tool("eprof", ".h5", [EPROF, "record", "--force", *extra])


BEFORE = os.environ.get("BEFORE")  # the build folder of another tree


def eprof_before():
    """The eprof in BEFORE, which can be asked for once it is known to be there."""
    return os.path.join(os.path.abspath(BEFORE), "eprof")


def tool_before():
    return Tool("eprof before", ".before.h5", [eprof_before(), "record", "--force"])


# Without build-ids, to perf's advantage: perf 6.1 writes past a buffer while it reads this kernel's
# own, and dies of it now and then.
PERF_RECORD = ["perf", "record", "-q", "--no-bpf-event", "--no-buildid"]
PERF = Tool("perf record -g", ".data", PERF_RECORD + ["-g"])
OURS = eprof_tool()


def capture(tool, mode, hz, work, tag=""):
    """Profiles the work; the target's and the profiler's Job."""
    target = Job(work["argv"], stdin=work["stdin"], stopped=True)
    profiler = Job(tool.command(mode, hz, target.pid, tag))
    time.sleep(READY_S)
    target.signal(signal.SIGCONT)
    target.end(beside=profiler)
    if mode == "-a":
        profiler.signal(signal.SIGINT)
    profiler.end()
    if not os.path.exists(tool.file(tag)):
        sys.exit(f"tools/bench: no profile from {' '.join(profiler.argv)}: {profiler.said}")
    return target, profiler


# --- what a profile says ---------------------------------------------------------------------

def the_run(f):
    """The one run in an open profile."""
    version = next(iter(f.values()))
    return next(iter(next(iter(version.values()))["profiles"].values()))


def profile(path):
    """Samples kept and the rows of cost of the one run in a profile."""
    with h5py.File(path, "r") as f:
        run_ = the_run(f)
        text = run_["strings"][()].tobytes().decode().split("\0")
        kept = sum(int(r["count"]) for r in run_["ledger"][()] if r["class"] == 1)
        return kept, {text[r["name"]]: float(r["value"]) for r in run_["cost"][()]}


def slowdown_stated(path):
    """What a profile states, in %: the slowdown, at least, at most (None: unknown)."""
    cost = profile(path)[1]
    ran = cost["target's time on CPU"]

    def percent(name):
        taken = next(v for key, v in cost.items() if key.startswith("time taken from the target" + name))
        return 100 * taken / (ran - taken) if taken < 0.9 * ran else None

    return percent(": "), percent(", at least"), percent(", at most")


def perf_samples(path):
    """Without naming any, of which perf 6.1 dies now and then."""
    out = subprocess.run(["perf", "report", "--stats", "-i", path], capture_output=True, text=True,
                         check=False).stdout
    found = re.search(r"^ *SAMPLE events: +(\d+)", out, re.M)
    if not found:
        sys.exit(f"tools/bench: perf report does not say how many samples {path} has")
    return int(found[1])


def samples(tool, tag=""):
    return profile(tool.file(tag))[0] if tool.is_eprof() else perf_samples(tool.file(tag))


def cost_s(tool, tag, name):
    """Seconds of a row of cost in the profile; perf's say nothing."""
    return profile(tool.file(tag))[1][name] / 1e9 if tool.is_eprof() else 0


def naming_s(tool, tag):
    """CPU seconds of naming within the capture; perf names only when it shows a profile."""
    return cost_s(tool, tag, "eprof CPU time, resolving names")
