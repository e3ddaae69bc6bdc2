"""Frames of scripts: what they cost, and whether a peer that reads the interpreter's memory alone
sees the same.

script_frame	BPF time a frame: a Python function that spins 4 and 104 calls deep, each of another
	function.
script_pool	64 Python processes at 99 Hz: what the capture takes, of their CPU time.
script_threads	271 Python threads at 10 Hz: samples lost.
script_none	BPF time a sample of sqlite3, alone and with a Python process beside, which has run for a
	moment and sleeps, so that eprof looks for its interpreter.
script_shares	The time in each function of a Python program, by eprof and by austin at once: by how
	many standard errors the shares differ, at most. Needs what tools/interpreters unpacks.
"""

import collections
import glob
import math
import os
import subprocess
import time

from base import BUILD, EPROF, KEEP, QUICK, RENDER, TOP, TURNS, Job, note, profile, row, run

PYTHON = "/usr/bin/python3"
OUT = os.path.join(KEEP, "scripts.h5")
SECONDS = 3 if QUICK else 10

DEEP = """
import sys, time
def spin(s):
    end = time.process_time() + s
    while time.process_time() < end: pass
def f0(s): spin(s)
n = int(sys.argv[1])
for i in range(n):
    exec(f"def f{i + 1}(s): f{i}(s)")
globals()[f"f{n}"](float(sys.argv[2]))
"""

THREADS = """
import sys, threading, time
def work():
    end = time.monotonic() + float(sys.argv[1])
    while time.monotonic() < end:
        sum(range(200000))
        time.sleep(0.01)
threads = [threading.Thread(target=work) for _ in range(271)]
for t in threads: t.start()
for t in threads: t.join()
"""

SHARES = """
import json, re, sys, time
def spin(n):
    x = 0
    for i in range(n): x += i * i
    return x
def light(): spin(2000)
def heavy(): spin(8000)
def parse(): return json.loads(json.dumps({"a": list(range(200))}))
def match(): return re.sub(r"(\\w)(\\d)", r"\\2\\1", "a1b2c3" * 60)
def negative(x): return -x
def arrange(): return sorted(range(400), key=negative)
def main(s):
    end = time.monotonic() + s
    while time.monotonic() < end:
        for f in (light, heavy, parse, match, arrange): f()
main(float(sys.argv[1]))
"""
NAMES = ("light", "heavy", "parse", "match", "arrange", "negative", "spin")


def script(name, text):
    path = os.path.join(KEEP, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def captured(hz, argv):
    """The rows of cost, and the samples kept, of a capture of @argv."""
    run([EPROF, "record", "--force", "-F", str(hz), "-o", OUT, "--", *argv])
    kept, cost = profile(OUT)
    return cost, kept


def script_frame():
    path = script("deep.py", DEEP)
    ns = {4: [], 104: []}
    for _ in range(TURNS):
        for depth, got in ns.items():
            cost, _ = captured(999, [PYTHON, path, str(depth), str(SECONDS / 3)])
            got.append(cost["BPF run time"] / cost["BPF runs"])
    row("a sample of a script 104 calls deep", "ns of BPF", ns[104], "4 calls deep", ns[4])
    row("a frame of a script", "ns of BPF", [(a - b) / 100 for a, b in zip(ns[104], ns[4])], "wanted", 200)


def script_pool():
    path = script("deep.py", DEEP)
    pool = [Job([PYTHON, path, "20", str(SECONDS / 16)]) for _ in range(64)]
    pids = ",".join(str(job.pid) for job in pool)
    eprof = run([EPROF, "record", "--force", "-F", "99", "-o", OUT, "-p", pids])
    spent = sum(job.end().cpu_s for job in pool)
    bpf_s = profile(OUT)[1]["BPF run time"] / 1e9
    row("a pool of 64 processes at 99 Hz: eprof and its BPF programs", "% of their CPU time",
        100 * (eprof.cpu_s + bpf_s) / spent, "wanted, below", 1)
    row("of it BPF programs", "% of their CPU time", 100 * bpf_s / spent, "-", None)


def script_threads():
    path = script("threads.py", THREADS)
    run([EPROF, "record", "--force", "-F", "10", "-o", OUT, "--", PYTHON, path, str(SECONDS)])
    out = subprocess.run([RENDER, "export", OUT, "--to", "csv", "--table", "ledger"], capture_output=True,
                         text=True, check=True).stdout
    lost = sum(int(line.split(",")[-1]) for line in out.splitlines() if ",lost," in line)
    row("271 threads at 10 Hz: samples lost", "samples", lost, "kept", profile(OUT)[0])


def script_none():
    sqlite = f"sqlite3 -cmd '.parameter set :n {200_000 if QUICK else 600_000}' :memory: <{TOP}/tools/work.sql"
    python = f"{PYTHON} -c 'import time; sum(range(10**6)); time.sleep(300)' & sleep 0.5; {sqlite}; kill $!"
    ns = {sqlite: [], python: []}
    for _ in range(TURNS):
        for command, got in ns.items():
            cost, _ = captured(999, ["sh", "-c", command])
            got.append(cost["BPF run time"] / cost["BPF runs"])
    row("a sample of sqlite3 with a Python process beside", "ns of BPF", ns[python], "alone", ns[sqlite])


# --- shares ----------------------------------------------------------------------------------------

def of_stacks(lines, name_of):
    """In how many samples each function is, and in all together."""
    within, total = collections.Counter(), 0
    for line in lines:
        stack, _, n = line.rpartition(" ")
        if line.startswith("#") or not stack:
            continue
        total += int(n)
        for name in {name_of(frame) for frame in stack.split(";")}:
            within[name] += int(n)
    return within, total


def difference(ours, all_ours, theirs, all_theirs):
    """Of two shares, in standard errors of their difference."""
    a, b = ours / all_ours, theirs / all_theirs
    error = math.sqrt(a * (1 - a) / all_ours + b * (1 - b) / all_theirs)
    return abs(a - b) / error if error else 0


def script_shares():
    roots = glob.glob(os.path.join(BUILD, "interpreters", "*", "usr", "bin", "austin"))
    if not roots:
        note("script_shares: no austin: run tools/interpreters")
        return
    root = os.path.dirname(os.path.dirname(os.path.dirname(roots[0])))
    austin = [f"{root}/usr/lib64/ld-linux-x86-64.so.2", "--library-path",
              f"{root}/usr/lib/x86_64-linux-gnu", roots[0]]
    target = Job([PYTHON, script("shares.py", SHARES), str(SECONDS + 4)])
    time.sleep(1)
    text = os.path.join(KEEP, "austin.txt")
    peer = Job([*austin, "-s", "-i", "5ms", "-x", str(SECONDS), "-p", str(target.pid), "-o", text])
    run([EPROF, "record", "--force", "-F", "199", "-d", str(SECONDS), "-o", OUT, "-p", str(target.pid)])
    peer.end()
    target.end()
    # austin tells with each sample how long it was; its samples are counted, as eprof's are.
    with open(text, encoding="utf-8") as f:
        lines = [line.rpartition(" ")[0] + " 1" for line in f if not line.startswith("#") and ";" in line]
    theirs, all_theirs = of_stacks(lines, lambda f: f.split(":")[-2] if f.count(":") >= 2 else f)
    folded = run([RENDER, "export", OUT, "--to", "folded", "--force", "-o", OUT + ".folded"])
    assert folded.p.returncode == 0
    with open(OUT + ".folded", encoding="utf-8") as f:
        ours, all_ours = of_stacks(f, lambda f: f)
    for name in NAMES:
        row(f"share of {name}", "%", 100 * ours[name] / all_ours, "austin", 100 * theirs[name] / all_theirs)
    row("shares differ at most by", "standard errors",
        max(difference(ours[n], all_ours, theirs[n], all_theirs) for n in NAMES), "wanted, at most", 3)


GROUPS = (script_frame, script_pool, script_threads, script_none, script_shares)
