"""Windows: what the loader takes of memory and CPU in a long capture of a machine on which processes
come and go."""

import os
import re
import signal
import time

from base import BUILD, Job, OURS, QUICK, note, profile, row

RATE = 200  # processes a second
MINUTE_S = 12 if QUICK else 60
MINUTES = 10
TICKS = os.sysconf("SC_CLK_TCK")


def resident_kib(pid):
    """Memory of its own that the process holds at the moment, its children left out. The kernel's
    ring is not: its pages, which are there from the start, count as resident once they were read."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
        return int(re.search(r"RssAnon:\s+(\d+)", f.read())[1])


def cpu_s(pid):
    """CPU time so far, with that of the children that have ended: they name, and write windows."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return sum(int(t) for t in fields[11:15]) / TICKS


def minutes(pid, seconds):
    """CPU and largest resident memory of each minute; memory looked at once a second."""
    out, cpu = [], cpu_s(pid)
    for _ in range(MINUTES):
        most, until = 0, time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(1)
            most = max(most, resident_kib(pid))
        now = cpu_s(pid)
        out.append(((now - cpu) / seconds, most))
        cpu = now
        note(f"minute {len(out)}: {1e3 * out[-1][0]:.1f} ms of CPU a second, {most / 1024:.1f} MiB")
    return out


def window():
    """200 processes a second for ten minutes, -a at 99 Hz: the last minute against the second. With
    --quick the minutes are shorter."""
    storm = Job([os.path.join(BUILD, "prog", "storm"), str(RATE), str(MINUTE_S * MINUTES + 30)])
    extra = ["--window", "4"] if QUICK else []
    profiler = Job(OURS.command("-a", 99, 0, "storm") + extra)
    time.sleep(2)
    seen = minutes(profiler.pid, MINUTE_S)
    profiler.signal(signal.SIGINT)
    profiler.end()
    storm.signal(signal.SIGTERM)
    storm.end()
    kept, cost = profile(OURS.file("storm"))
    note(f"{kept} samples; peak memory {cost['eprof peak memory'] / 2**20:.1f} MiB, the end included")
    (cpu, kib), (last_cpu, last_kib) = seen[1], seen[-1]
    row(f"{RATE} processes a second: CPU a second, minute {MINUTES}", "ms", 1e3 * last_cpu,
        "minute 2", 1e3 * cpu)
    row(f"{RATE} processes a second: memory, minute {MINUTES}", "MiB", last_kib / 1024, "minute 2",
        kib / 1024)


GROUPS = (window,)
