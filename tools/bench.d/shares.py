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


def sampled(path):
    """Samples by name; and the time of the ledger: kept and lost ones, and what no tick hit."""
    by_name = collections.Counter()
    folded = subprocess.run([RENDER, "export", path, "--to", "folded"], check=True,
                            capture_output=True, text=True).stdout
    for line in folded.splitlines():
        stack, n = line.rsplit(" ", 1)
        by_name[group(stack.split(";")[0])] += int(n)
    ticks = 0
    with h5py.File(path) as f:
        text = []
        f.visit(lambda name: text.append(name) if name.endswith("/ledger") else None)
        run_group = f[text[0]].parent
        strings = bytes(run_group["strings"][:]).split(b"\0")
        for r in run_group["ledger"][()]:
            name = strings[r["name"]].decode()
            if r["class"] == 0 or "hit by no tick" in name:
                ticks += int(r["count"])
            elif "by chance" in name:
                ticks -= int(r["count"])
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


def shares():
    """A storm of forks, a compile, threads."""
    compare("500 × /bin/true", ["sh", "-c", "i=0; while [ $i -lt 500 ]; do /bin/true; "
                                            "i=$((i + 1)); done"])
    compare("make -j2", compile_command())
    compare("200 threads", [os.path.join(BUILD, "prog/threads"), "200", "10"])


GROUPS = (shares,)
