"""Zones: how often the margins of net times hold.

twins			tests/prog/zone_twin: functions beside twins without probes, which take turns
			in one process. Captures, of 20, whose margin holds the mean that the program
			itself told of the twin (beside two standard errors of both means: the calls
			are not the same ones). 19 are wanted. Once more beside a program that throws,
			where calls end by probes at exits.
sqlite3_step		Amid a million probed calls against itself probed alone, as in the README. Also
			of 20.
"""

import collections
import importlib.util
import os
import statistics
import subprocess

from base import BUILD, EPROF, KEEP, QUICK, TOP, note, row

# What the tests know of a profile; a module here has its name.
SPEC = importlib.util.spec_from_file_location("tested", os.path.join(TOP, "tests/kernel/zones/zones.py"))
tested = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tested)

CAPTURES = 5 if QUICK else 20
SQL = ["sqlite3", "-cmd", ".parameter set :n 10000", ":memory:"]


def capture(name, patterns, command, stdin=None):
    path = os.path.join(KEEP, f"{name}.h5")
    zones = [word for pattern in patterns for word in ("--zone", pattern)]
    done = subprocess.run([EPROF, *zones, "--force", "-o", path, "--", *command], stdin=stdin,
                          capture_output=True, check=True)
    return path, done.stdout


def twins(what, patterns, command):
    inside, seen = collections.Counter(), collections.defaultdict(list)
    for _ in range(CAPTURES):
        path, out = capture("twin", ["zone_twin:zt_*", *patterns], command)
        truth = os.path.join(KEEP, "twin.out")
        with open(truth, "wb") as f:
            f.write(out)
        for name, h in tested.held(path, truth).items():
            if not h.margin and not h.net:
                continue  # none was timed: over before the probes of its program were there
            inside[name] += abs(h.off) <= h.margin + h.chance
            seen[name].append(h)
    for name, all_of in seen.items():
        off, margin = (statistics.median(getattr(h, field) for h in all_of)
                       for field in ("off", "margin"))
        note(f"{what}{name}: {off:+.0f} ±{margin:.0f} ns, without probes "
             f"{statistics.median(h.net - h.off for h in all_of):.0f} ns")
        row(f"captures whose margin holds {what}{name}", "captures", inside[name], "captures", len(all_of))


def step(patterns):
    with open(os.path.join(TOP, "tools/work.sql"), "rb") as sql:
        path, _ = capture("step", patterns, SQL, sql)
    return tested.Zones(path).named("sqlite3_step")[0]


def steps():
    inside, told = 0, []
    for _ in range(CAPTURES):
        amid = step(["libsqlite3*:sqlite3_*", "libc*:malloc", "libc*:free"])
        alone = step(["libsqlite3*:sqlite3_step"])
        off = amid["comp_total_ns"] - alone["comp_total_ns"]
        inside += abs(off) <= amid["total_margin_ns"] + alone["total_margin_ns"]
        told.append((off / 1e6, amid["total_margin_ns"] / 1e6, alone["comp_total_ns"] / 1e6))
    off, margin, truth = (statistics.median(column) for column in zip(*told))
    note(f"sqlite3_step: {off:+.1f} ±{margin:.1f} ms, alone {truth:.1f} ms")
    row("captures whose margin holds sqlite3_step", "captures", inside, "captures", CAPTURES)


def zone_margin():
    prog = os.path.join(BUILD, "prog")
    twins("", [], [f"{prog}/zone_twin", "20"])
    # malloc ends by probes at exits in the one, by sessions in the other.
    twins("amid mixed exits: ", ["libc*:malloc"],
          ["sh", "-c", f"{prog}/zone_mallocs_throw 20000 >/dev/null; {prog}/zone_twin 200"])
    steps()


GROUPS = (zone_margin,)
