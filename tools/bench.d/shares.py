"""Short-lived processes: whether samples share out the time by program as the scheduler does, and
whether the ledger adds up to what it says. bpftrace, which times every turn on a CPU, is the judge."""

import collections
import math
import os
import re
import signal
import subprocess
import time

import h5py
import numpy

from base import BUILD, EPROF, KEEP, QUICK, RENDER, Job, note, row

CAPTURES = 3 if QUICK else 10
HZ = 999

# Of what descends from the process $1: nanoseconds on a CPU by name, from switch to switch and to an
# exec, which changes the name; and what the scheduler adds up itself, which leaves interrupts and the
# host's time out.
JUDGE = """BEGIN { @ours[$1] = 1; }
tracepoint:sched:sched_process_fork /@ours[args->parent_pid]/ { @ours[args->child_pid] = 1; }
tracepoint:sched:sched_process_free {
	delete(@ours[args->pid]); delete(@seen[args->pid]); delete(@name[args->pid]);
}
tracepoint:sched:sched_process_exec /@ours[tid]/ {
	$now = nsecs;
	@ran[@name[tid]] = sum($now - @since[cpu]);
	@since[cpu] = $now;
}
tracepoint:sched:sched_switch {
	$now = nsecs;
	if (@since[cpu] && @ours[args->prev_pid]) {
		$sum = ((struct task_struct *)curtask)->se.sum_exec_runtime;
		@ran[args->prev_comm] = sum($now - @since[cpu]);
		if (args->prev_comm != "eprof") { @all = sum($sum - @seen[args->prev_pid]); }
		@seen[args->prev_pid] = $sum;
	}
	if (@ours[args->next_pid]) { @name[args->next_pid] = args->next_comm; }
	@since[cpu] = $now;
}
END { clear(@since); clear(@ours); clear(@seen); clear(@name); }
"""

SOURCE = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int work(char *s, int n) {
	int r = 0;
	for (int i = 0; i < n; i++)
		switch (i % 5) { case 0: r += s[i]; break; case 1: r ^= 3 * s[i]; break; default: r += sqrt(i); }
	return printf("%d", r);
}
"""


def compile_command():
    """make -j2 of 24 small files, all of them each time."""
    folder = os.path.join(KEEP, "compile")
    os.makedirs(folder, exist_ok=True)
    for i in range(24):
        with open(f"{folder}/f{i}.c", "w", encoding="utf-8") as f:
            f.write(SOURCE)
    with open(f"{folder}/Makefile", "w", encoding="utf-8") as f:
        f.write("all: $(patsubst %.c,%.o,$(wildcard *.c))\n%.o: %.c\n\tgcc -O2 -c -o $@ $<\n")
    return ["make", "-s", "-B", "-j2", "-C", folder, "all"]


# A process that lives for some 100 µs, without libc.
BRIEF = """void _start(void)
{
	for (volatile int i = 0; i < 40000; i++)
		;
	__asm__ volatile("syscall" : : "a"(60), "D"(0));
}
"""

# The shell's own time by the scheduler, in ns, behind its start.
STORM = """read a b c < /proc/$$/schedstat
i=0; while [ $i -lt 2000 ]; do %s; i=$((i + 1)); done
read d b c < /proc/$$/schedstat; echo $((d - a))"""


def built(name, source, *flags):
    """The program of that name, as C source says."""
    path = os.path.join(KEEP, name)
    with open(path + ".c", "w", encoding="utf-8") as f:
        f.write(source)
    subprocess.run(["gcc", "-O1", "-g", *flags, "-o", path, path + ".c"], check=True)
    return path


def group(name):
    """Threads of a pool as one: worker-17 is worker."""
    return re.sub(r"-\d+$", "", name)


def judged(argv):
    """What ran of @argv and its children, by name, not the profiler itself; and the scheduler's sum."""
    job = Job(argv, stopped=True)
    judge = subprocess.Popen(["bpftrace", "-e", JUDGE, str(job.pid)], stdout=subprocess.PIPE,
                             text=True, stderr=subprocess.DEVNULL)
    judge.stdout.readline()
    time.sleep(0.5)
    job.signal(signal.SIGCONT)
    job.end()
    judge.send_signal(signal.SIGINT)
    ran = collections.Counter()
    said = judge.communicate()[0]
    for name, ns in re.findall(r"@ran\[(.*?)\]: (\d+)", said):
        ran[group(name)] += int(ns)
    for name in ("eprof", ""):  # before the first exec; and what has no name yet
        del ran[name]
    return ran, int(re.search(r"@all: (\d+)", said)[1])


def run_group(f):
    """Of the one capture in a file; and its strings."""
    text = []
    f.visit(lambda name: text.append(name) if name.endswith("/ledger") else None)
    run = f[text[0]].parent
    return run, bytes(run["strings"][:]).split(b"\0")


def ledger_ticks(run, strings):
    """Kept and lost ones, and those that should have been."""
    ticks = 0
    for r in run["ledger"][()]:
        name = strings[r["name"]].decode()
        if r["class"] == 0 or "between ticks" in name:
            ticks += int(r["count"])
        elif "beyond the exact" in name:
            ticks -= int(r["count"])
    return ticks


def sampled(path):
    """Samples by name; and the time of the ledger: kept and lost ones, and what no tick hit."""
    by_name = collections.Counter()
    folded = subprocess.run([RENDER, "export", path, "--to", "folded"], check=True,
                            capture_output=True, text=True).stdout
    for line in folded.splitlines():
        stack, n = line.rsplit(" ", 1)
        by_name[group(stack.split(";")[0])] += int(n)
    with h5py.File(path) as f:
        ticks = ledger_ticks(*run_group(f))
    return by_name, ticks / HZ


def compare(name, argv):
    """Rows of one kind of work over all captures."""
    path = os.path.join(KEEP, "shares.h5")
    ran, samples, off = collections.Counter(), collections.Counter(), []
    for _ in range(CAPTURES):
        truth, total_ns = judged([EPROF, "--force", "-F", str(HZ), "-o", path, "--"] + argv)
        found, ledger_s = sampled(path)
        del found["eprof"]
        off.append(abs(100 * (ledger_s * 1e9 / total_ns - 1)))
        ran.update(truth)
        samples.update(found)
    all_ran, all_samples = sum(ran.values()), sum(samples.values())
    worst = 0
    for n, t in ran.most_common(6):
        share = t / all_ran
        sigma = math.sqrt(all_samples * share * (1 - share)) or 1
        off_by = (samples[n] - share * all_samples) / sigma
        note(f"{name}: {n}: {100 * share:.2f} % by the scheduler, "
             f"{100 * samples[n] / all_samples:.2f} % of the samples, {off_by:+.1f} sigma")
        worst = max(worst, abs(off_by))
    row(f"shares by program, {CAPTURES} captures, the furthest off: {name}", "sigma", worst,
        "allowed", 3)
    row(f"ledger against the scheduler's sum: {name}", "%", off, "allowed", 1)


def sigmas(found, n, share):
    """How far @found of @n is off a share."""
    return (found - share * n) / math.sqrt(n * share * (1 - share))


def storm(name, program):
    """The shell and what it starts, by the scheduler's own sums: nothing traces, which would add time
    with interrupts off at each switch, and shift samples to whom it switches to."""
    path = os.path.join(KEEP, "shares.h5")
    all_n = all_found = all_ticks = all_ran = 0
    for _ in range(CAPTURES):
        said = subprocess.run([EPROF, "--force", "-F", str(HZ), "-o", path, "--", "sh", "-c",
                               STORM % program], check=True, capture_output=True, text=True).stdout
        all_ran += int(said) / 1e9
        with h5py.File(path) as f:
            run, strings = run_group(f)
            pids = run["threads"]["pid"][run["samples/thread"][()]]
            all_found += int((pids == run["threads"]["pid"][0]).sum())
            all_n += len(pids)
            all_ticks += ledger_ticks(run, strings)
    share = all_ran / (all_ticks / HZ)
    off = sigmas(all_found, all_n, share)
    note(f"{name}: the shell: {100 * share:.2f} % by the scheduler, "
         f"{100 * all_found / all_n:.2f} % of the samples, {off:+.1f} sigma")
    row(f"the shell's share, {CAPTURES} captures: {name}", "sigma", abs(off), "allowed", 3)


def lateness():
    """How much later than the earliest ones timer interrupts come, in a loop that never leaves its
    CPU: what runs for no longer than that at a time loses ticks to whom comes next, or to the idle
    CPU. The floor of the two rows above."""
    path = os.path.join(KEEP, "shares.h5")
    subprocess.run([EPROF, "--force", "-F", str(HZ), "-o", path, "--", "timeout", "3", "taskset", "-c",
                    "1", "sh", "-c", "while :; do :; done"], check=False, capture_output=True)
    with h5py.File(path) as f:
        run, _ = run_group(f)
        times = numpy.cumsum(run["samples/time_ns"][()], dtype="uint64").astype("int64")
    period = 10**9 // HZ
    phase = (times - times[0] + period // 2) % period
    late = phase - numpy.percentile(phase, 1)
    row("lateness of a tick beyond the earliest: 9 of 10", "us", numpy.percentile(late, 90) / 1000,
        "half of them", numpy.percentile(late, 50) / 1000)


def shares():
    """A storm of forks, a compile, threads."""
    storm("2,000 × a process without libc", built("brief", BRIEF, "-static", "-nostdlib"))
    storm("2,000 × /bin/true", "/bin/true")
    lateness()
    compare("500 × /bin/true", ["sh", "-c", "i=0; while [ $i -lt 500 ]; do /bin/true; "
                                            "i=$((i + 1)); done"])
    compare("make -j2", compile_command())
    compare("200 threads", [os.path.join(BUILD, "prog/threads"), "200", "10"])


GROUPS = (shares,)
