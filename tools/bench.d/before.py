"""This tree's eprof against another's on the same work, the two taking turns: whether a change made
something slower or larger. BEFORE names the other tree's build folder, where `make all progs` ran:

	git worktree add ../before COMMIT && make -C ../before all progs
	BEFORE=../before/build tools/bench before
"""

import collections
import os
import statistics
import sys

import naming
import sampling
import zones
from base import BEFORE, BUILD, OURS, QUICK, TURNS, eprof_before, row, tool_before


def check_before():
    if not BEFORE or not os.access(eprof_before(), os.X_OK):
        sys.exit("tools/bench: before: BEFORE must name the build folder of another tree, with its "
                 "eprof")


def sampling_before(old):
    sampling.startup(old)
    sampling.cost(old)
    sampling.sample(old)
    works = {n: {"argv": [os.path.join(BUILD, "prog/bench_deep"), "40", str(rounds)],
                 "stdin": None} for n, rounds in ((sampling.SHORT, 8_000), (sampling.LONG, 33_000))}
    got = sampling.measure_lengths("-p", 999, works, (OURS, old), "deep")
    row("cost a sample with a whole stack, slope of two lengths: 40 frames, -p, 999 Hz", "µs",
        sampling.slope(got, OURS), old.name, sampling.slope(got, old))


def naming_before(old):
    cost = {tool: [] for tool in (OURS, old)}
    for turn in range(TURNS):
        for tool in (OURS, old) if turn % 2 else (old, OURS):
            cost[tool].append(naming.name_once(tool))
    row("naming an address, 20 MB of DWARF, inlines", "µs", cost[OURS], old.name, cost[old])


def calls_before(old):
    """What a call costs, all four in one process."""
    probers = {}
    for what, extra in ((zones.COUNT, ("--clock", "none")), (zones.FULL, ())):
        probers[what] = lambda extra=extra: zones.eprof_zones(*extra)
        probers[what, old.name] = lambda extra=extra: zones.eprof_zones(*extra,
                                                                        program=eprof_before())
    for kind, site, rounds, calls in (("push", "emulated site", 100, 1000),
                                      ("plain", "stepped site", 40, 100)):
        cost = collections.defaultdict(list)
        for turn in range(2 * TURNS):
            for tool, ns in zones.one_run(kind, turn, rounds // 2 if QUICK else rounds, calls,
                                          probers)[0].items():
                cost[tool].append(ns)
        for what in (zones.COUNT, zones.FULL):
            row(f"cost a call, {what}: {site}", "ns", cost.get(what), old.name,
                cost.get((what, old.name)))


def probes_before(old):
    """Hanging probes at thousands of functions, and taking them away."""
    with zones.sleeper() as (pid, library, names):
        prefix = zones.prefix_of(names.values(), 10000)
        for what, extra in ((zones.COUNT, ("--clock", "none")), (zones.FULL, ())):
            took = {OURS: [], old: []}
            for turn in range(TURNS):
                for tool in (OURS, old) if turn % 2 else (old, OURS):
                    took[tool].append(zones.attach_eprof(pid, library, prefix, *extra,
                                                         program=tool.record[0]))
            n = statistics.median(x[2] for x in took[OURS])
            for i, name in enumerate(("from the command to all probes", "from Ctrl-C to the profile")):
                row(f"{name}: {n:.0f} functions, {what}", "s", [x[i] for x in took[OURS]], old.name,
                    [x[i] for x in took[old]])


def before():
    check_before()
    old = tool_before()
    sampling_before(old)
    naming_before(old)
    calls_before(old)
    probes_before(old)


GROUPS = (before,)
