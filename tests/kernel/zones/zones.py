"""What the tests of zones know of a profile.

	zones.py check FILE [TRUTH]	the tables of zones agree with each other, the ledger adds up;
					each line "calls NAME N" in TRUTH holds exactly
	zones.py idle FILE		as check, of a target that may have called no zone
	zones.py timed FILE TRUTH WAY	and each of those calls was timed, its end being seen by WAY
	zones.py callgrind FILE OUT MODULE	so do the calls in callgrind's OUT of a module's functions
	zones.py times FILE TRUTH…	compensated means are those of the lines "time NAME …"
	zones.py margins FILE TRUTH…	net means are those of the lines "twin NAME …" within their margins
	zones.py pauses FILE TRUTH…	running and suspended times are those of lines "running NAME …"
	zones.py list FILE		each zone: module, name, counts, …

Prints one line of what was found; ends with status 1 where something is wrong.
"""

import collections
import os
import statistics
import sys

import h5py
import numpy

SITES = ("unknown", "nop5", "emulated", "stepped", "mixed")
EXITS = ("unknown", "session", "rets", "none", "mixed")
LEDGER_ZONES = 2**32 - 1
TAKEN, KEPT, LOST, NOTE = range(4)
PSEUDO = 2


def fail(*why):
    raise SystemExit(" ".join(map(str, why)))


def run_of(path):
    """The only run in a profile."""
    found = [run for version in h5py.File(path, "r").values() for platform in version.values()
             for run in platform["profiles"].values()]
    if len(found) != 1:
        fail(f"{len(found)} runs in the file")
    return found[0]


class Zones:
    """The tables of zones, as Python's own values."""

    def __init__(self, path):
        self.run = run_of(path)
        if "zones" not in self.run:
            fail("no zones in the profile")
        self.strings = self.run["strings"][()].tobytes().decode(errors="replace").split("\0")
        self.modules = [self.strings[m["path"]] for m in self.run["modules"][()]]
        self.rows = [dict(zip(row.dtype.names, row.tolist())) for row in self.run["zones"][()]]
        for row in self.rows:
            row["name"], row["note"] = self.strings[row["name"]], self.strings[row["note"]]
            row["module"] = os.path.basename(self.modules[row["module"]])
            row["timed"] = row["counts"] - row["unwound"] - row["untimed"]
        self.edges = self.table("zone_edges")
        if self.edges:
            for i, edge in enumerate(self.edges):
                edge["parent"] = i - edge["parent"]
        self.threads = self.table("zone_threads", "zone")
        self.bins = self.table("zone_hist", "zone", "low_ns", "high_ns")

    def table(self, name, *summed):
        """Rows of a table; the columns @summed hold differences."""
        if name not in self.run:
            return []
        data = self.run[name][()]
        columns = {}
        for column in data.dtype.names:
            values = data[column]
            if column in summed:
                values = numpy.cumsum(values, dtype=values.dtype)
            columns[column] = values.tolist()
        return [dict(zip(columns, values)) for values in zip(*columns.values())]

    def functions(self):
        return [row for row in self.rows if not row["flags"] & PSEUDO]

    def named(self, name):
        return [row for row in self.functions() if row["name"] == name]


# --- counts ---------------------------------------------------------------------------------------
def compare(zones, truth):
    """@truth: (name, module or None) → calls. Begun calls must be as many; what cannot be a zone
    is passed over, unless it is all."""
    wrong, seen = [], 0
    for (name, module), n in truth.items():
        rows = [row for row in zones.named(name) if module in (None, row["module"])]
        if not rows:
            continue
        seen += 1
        begun = sum(row["counts"] + row["in_flight"] for row in rows)
        if begun != n:
            wrong.append(f"{name}: {begun} calls instead of {n} "
                         f"({SITES[rows[0]['site_class']]}, {EXITS[rows[0]['exit_way']]})")
    return wrong, seen


def truth_of(path):
    """(name, None) → calls, by lines "calls NAME N"."""
    truth = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("calls "):
                name, n = line[len("calls "):].rsplit(None, 1)
                truth[name, None] = int(n)
    return truth


def check_counts(zones, truth):
    """What is wrong where the target ran from its start under eprof: no call began before."""
    wrong, seen = compare(zones, truth)
    if seen < len(truth):
        wrong.append(f"{len(truth) - seen} functions are no zones")
    return wrong + [f"{row['name']}: {row['at_start']} calls ended that never began"
                    for row in zones.functions()
                    if row["at_start"] and (row["name"], None) in truth]


# --- check ----------------------------------------------------------------------------------------
def check_row(row, duration):
    """What is wrong with a zone by itself."""
    signed = ("total_ns", "mean_ns", "min_ns", "max_ns", "self_ns", "calls_ns", "comp_total_ns",
              "comp_self_ns", "comp_mean_ns", "suspended_ns", "p50_ns", "p90_ns", "p99_ns",
              "p999_ns", "cpu_ns", "runnable_ns", "blocked_ns")
    for column in signed:
        if row[column] < 0:
            yield f"{column} is {row[column]}"
    n = row["timed"]
    if n < 0:
        yield f"{row['counts']} calls, but {row['unwound']} unwound and {row['untimed']} untimed"
    if n > 0:
        if not row["min_ns"] <= row["mean_ns"] <= row["max_ns"]:
            yield f"min {row['min_ns']}, mean {row['mean_ns']}, max {row['max_ns']}"
        if row["mean_ns"] != row["calls_ns"] // n:
            yield f"mean {row['mean_ns']} is not {row['calls_ns']} / {n}"
        if row["max_ns"] > duration:
            yield f"a call of {row['max_ns']} ns in {duration} ns"
        if not row["p50_ns"] <= row["p90_ns"] <= row["p99_ns"] <= row["p999_ns"]:
            yield "percentiles do not rise"
    elif row["calls_ns"] or row["total_ns"]:
        yield "time without timed calls"
    if row["total_ns"] > row["calls_ns"]:
        yield f"outermost {row['total_ns']} ns of {row['calls_ns']}"
    if row["self_ns"] > row["calls_ns"]:
        yield f"self {row['self_ns']} ns of {row['calls_ns']}"
    if row["comp_mean_ns"] > row["mean_ns"] or row["comp_total_ns"] > row["total_ns"]:
        yield "more after compensation than before"


def outermost(edges, i):
    """Whether the zone of edge @i is not above it already."""
    zone, at = edges[i]["zone"], edges[i]["parent"]
    while at:
        if edges[at]["zone"] == zone:
            return False
        at = edges[at]["parent"]
    return True


def check_edges(zones):
    """What is wrong with the call tree."""
    edges = zones.edges
    counts, timed, total, below = (collections.Counter() for _ in range(4))
    for i, edge in enumerate(edges[1:], 1):
        if not 0 <= edge["parent"] < i or edge["zone"] >= len(zones.rows):
            yield f"edge {i} has parent {edge['parent']} and zone {edge['zone']}"
            return
        counts[edge["zone"]] += edge["counts"]
        timed[edge["zone"]] += edge["timed"]
        below[edge["parent"]] += edge["total_ns"]
        if outermost(edges, i):
            total[edge["zone"]] += edge["total_ns"]
    for z, row in enumerate(zones.rows):
        if row["flags"] & PSEUDO:
            continue
        for what, sums in (("counts", counts), ("timed", timed), ("total_ns", total)):
            if sums[z] != row[what]:
                yield f"{row['name']}: {row[what]} {what}, {sums[z]} in the tree"
    for i, edge in enumerate(edges[1:], 1):
        row = zones.rows[edge["zone"]]
        whole = edge["timed"] == edge["counts"] and not row["in_flight"]
        if whole and below[i] > edge["total_ns"]:
            yield f"edge {i}, {row['name']}: {edge['total_ns']} ns, {below[i]} in those it called"


def check_ledger(run):
    sums = collections.Counter()
    for row in run["ledger"][()]:
        if row["metric"] == LEDGER_ZONES:
            sums[int(row["class"])] += int(row["count"])
    if not sums:
        yield "no zones in the ledger"
    if sums[TAKEN] != sums[KEPT] + sums[LOST]:
        yield f"taken {sums[TAKEN]} is not kept {sums[KEPT]} + lost {sums[LOST]}"


def is_crowded(zones):
    """Whether there was no room for all threads' own figures; the ledger says so."""
    return any(int(row["metric"]) == LEDGER_ZONES and row["class"] == NOTE and
               zones.strings[row["name"]].startswith(("threads without", "counted outside"))
               for row in zones.run["ledger"][()])


def idle(path):
    """As check, of a target that may have called no zone."""
    check(path, may_be_idle=True)


def check(path, truth_path=None, may_be_idle=False):
    zones = Zones(path)
    crowded = is_crowded(zones)
    duration, wrong = int(zones.run.attrs["duration_ns"]), []
    for row in zones.functions():
        wrong += [f"{row['name']}: {why}" for why in check_row(row, duration)]
    wrong += check_edges(zones)
    wrong += check_ledger(zones.run)
    for what, table, column, whose in (("threads", zones.threads, "counts", "counts"),
                                       ("histogram", zones.bins, "count", "timed")):
        sums = collections.Counter()
        for row in table:
            sums[row["zone"]] += row[column]
        wrong += [f"{row['name']}: {row[whose]} {whose}, {sums[z]} in its {what}"
                  for z, row in enumerate(zones.rows)
                  if not row["flags"] & PSEUDO and sums[z] != row[whose] and
                  not (what == "threads" and crowded and sums[z] < row[whose])]
    truth = truth_of(truth_path) if truth_path else {}
    wrong += check_counts(zones, truth)
    if wrong:
        fail(f"{len(wrong)} wrong:", "; ".join(wrong[:5]))
    rows = [row for row in zones.functions() if row["counts"]]
    if not rows and not may_be_idle:
        fail("no zone was called")
    print(f"{len(rows)} of {len(zones.functions())} zones called,",
          f"{sum(row['counts'] for row in rows)} calls,",
          f"{sum(row['unwound'] for row in rows)} unwound,",
          f"{sum(row['in_flight'] for row in rows)} in flight" + (f"; all {len(truth)} known counts right" if truth else ""))


# --- timed ----------------------------------------------------------------------------------------
def timed(path, truth_path, way):
    wrong, n = [], 0
    for name, _ in truth_of(truth_path):
        for row in Zones(path).named(name):
            n += row["timed"]
            seen = EXITS[row["exit_way"]]
            if seen == "none":
                good = row["timed"] == 0 and (way == "none" or row["note"])
            else:
                good = row["timed"] == row["counts"] and seen == way
            if not good:
                wrong.append(f"{name}: {row['timed']} of {row['counts']} timed, {seen}")
    if wrong:
        fail(f"{len(wrong)} wrong:", "; ".join(wrong[:5]))
    print(f"{n} calls timed")


# --- callgrind ------------------------------------------------------------------------------------
def callgrind_calls(path, module):
    """Calls of each named function of a module, from a file that was written with
    --compress-strings=no."""
    calls, file, called = collections.Counter(), "", None
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            key, _, value = line.rstrip("\n").partition("=")
            if key == "ob":
                file = value
            elif key == "fn":
                called = None
            elif key == "cob":
                called = value
            elif key == "cfn":
                name = value.split("'")[0].split("@")[0]
            elif key == "calls":
                if os.path.basename(called or file).startswith(module):
                    calls[name, None] += int(value.split()[0])
                called = None
    return {key: n for key, n in calls.items() if not key[0].startswith("0x")}


def callgrind(path, out, module):
    zones = Zones(path)
    zones.rows = [row for row in zones.rows if row["module"].startswith(module)]
    truth = callgrind_calls(out, module)
    wrong, seen = compare(zones, truth)
    others = [row["name"] for row in zones.functions()
              if row["counts"] and (row["name"], None) not in truth]
    if wrong or seen < 50:
        fail(f"{len(wrong)} of {seen} wrong, {len(truth)} in all:", "; ".join(wrong[:8]))
    print(f"{seen} of {len(truth)} functions of {module} are zones, all with callgrind's counts",
          f"({sum(truth.values())} calls); {len(others)} that callgrind has not")


# --- times ----------------------------------------------------------------------------------------
def bare_times(paths):
    """Name → the mean times that runs without probes told."""
    means = collections.defaultdict(list)
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("time "):
                    _, name, _, mean, _ = line.split()
                    means[name].append(int(mean))
    return means


LEVELS = ("inner", "mid", "outer")  # each calls the one in front of it


def times(*paths):
    """As many captures, which end in .h5, as bare runs of the same turns, in the same order. A
    machine's speed drifts by more than probes are off, and so does what they cost, of which the mean
    over a capture is taken off: what counts is the mean of the differences from the bare run beside
    each, but for the seventh at either end, where a host stopped the machine. On a machine so busy
    that probes cost now this and now that, a capture's own margin says so: it is allowed, too, as far
    as it is less than a fifth of what was taken off. What was taken off a call is the cost of every
    call within it, so each of them may be off by as much."""
    captures = [Zones(p) for p in paths if p.endswith(".h5")]
    bare = bare_times([p for p in paths if not p.endswith(".h5")])
    worst, wrong, busy = 0, [], 0
    for name, means in bare.items():
        rows = [row for z in captures for row in z.functions()
                if row["name"] == name and row["timed"]]
        if len(rows) != len(means):
            wrong.append(f"{name}: timed in {len(rows)} captures of {len(means)}")
            continue
        truth = statistics.median(means)
        off = sorted(row["comp_mean_ns"] - mean for row, mean in zip(rows, means))
        off = statistics.mean(off[len(off) // 7:len(off) - len(off) // 7])
        stepped = SITES[rows[0]["site_class"]] == "stepped" or EXITS[rows[0]["exit_way"]] == "rets"
        within = 1 + LEVELS.index(name.rsplit("_", 1)[1])
        allowed = max(truth / 10, (2000 if stepped else 100) * within)
        worst = max(worst, abs(off) / allowed)
        margin = min(statistics.median(row["mean_margin_ns"] for row in rows),
                     statistics.median(row["mean_ns"] - row["comp_mean_ns"] for row in rows) / 5)
        busy += allowed < abs(off) <= margin
        if abs(off) > max(allowed, margin):
            wrong.append(f"{name} ({SITES[rows[0]['site_class']]}, {EXITS[rows[0]['exit_way']]}): "
                         f"{off:+.0f} of {truth:.0f} ns, raw {rows[0]['mean_ns']}")
    if wrong or not bare:
        fail(f"{len(wrong)} of {len(bare)} are off:", "; ".join(wrong[:8]))
    print(f"{len(bare)} zones, at most {100 * worst:.0f} % of what is allowed off; "
          f"{busy} within the captures' own margins alone")


# --- margins --------------------------------------------------------------------------------------
Held = collections.namedtuple("Held", "off margin chance net taken")


def held(path, truth_path):
    """Name → how far the net mean of a capture is off what twins without probes took meanwhile, its
    margin, and what is chance: two standard errors of both means."""
    found = {}
    rows = {row["name"]: row for row in Zones(path).functions()}
    with open(truth_path, encoding="utf-8") as lines:
        for name, calls, mean, _, variance in (line.split()[1:] for line in lines
                                               if line.startswith("twin ")):
            row = rows[name]
            chance = 2 * ((float(variance) + row["std_ns"] ** 2) / int(calls)) ** 0.5
            found[name] = Held(row["comp_mean_ns"] - float(mean), row["mean_margin_ns"], chance,
                               row["comp_mean_ns"], row["mean_ns"] - row["comp_mean_ns"])
    return found


def margins(*paths):
    """As many captures as truths, in the same order; of each zone the median counts."""
    captures = [held(*both) for both in zip((p for p in paths if p.endswith(".h5")),
                                            (p for p in paths if not p.endswith(".h5")))]
    wrong, told = [], []
    for name in captures[0]:
        off, margin, chance = (statistics.median(getattr(c[name], field) for c in captures)
                               for field in ("off", "margin", "chance"))
        told.append(f"{name} {off:+.0f} ±{margin:.0f}")
        if abs(off) > margin + chance:
            wrong.append(f"{name}: {off:+.0f} ns off, margin {margin:.0f}, chance {chance:.0f}")
    if wrong:
        fail(f"{len(wrong)} of {len(captures[0])} are off:", "; ".join(wrong))
    print("; ".join(told))


# --- pauses ---------------------------------------------------------------------------------------
def pauses(*paths):
    """As times: the least of several runs of each, within 10 %."""
    truth, found, wrong, worst = {}, {}, [], 0
    for path in (p for p in paths if not p.endswith(".h5")):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                kind, name, ns = line.split()
                truth[kind, name] = min(int(ns), truth.get((kind, name), 1 << 62))
    columns = {"running": "comp_total_ns", "suspended": "suspended_ns"}
    for path in (p for p in paths if p.endswith(".h5")):
        for row in Zones(path).functions():
            for kind, column in columns.items():
                key = kind, row["name"]
                found[key] = min(row[column], found.get(key, 1 << 62))
    for key, ns in truth.items():
        off = abs(found.get(key, 0) - ns) / ns
        worst = max(worst, off)
        if off > 0.1:
            wrong.append(f"{' '.join(key)}: {found.get(key)} instead of {ns} ns")
    if wrong or not truth:
        fail(f"{len(wrong)} of {len(truth)} are off:", "; ".join(wrong))
    print(f"{len(truth)} times, at most {100 * worst:.0f} % off")


# --- list -----------------------------------------------------------------------------------------
def list_zones(path):
    for row in sorted(Zones(path).rows, key=lambda row: -row["counts"]):
        print(row["module"], row["name"], row["counts"], "in_flight", row["in_flight"], "at_start",
              row["at_start"], "unwound", row["unwound"], "untimed", row["untimed"],
              SITES[row["site_class"]], EXITS[row["exit_way"]], "mean", row["mean_ns"], "comp",
              row["comp_mean_ns"], "min", row["min_ns"], "max", row["max_ns"], row["note"])


COMMANDS = {"check": check, "idle": idle, "timed": timed, "callgrind": callgrind, "times": times,
            "margins": margins, "pauses": pauses, "list": list_zones}
if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](*sys.argv[2:])
