"""Strict readers of what `eprof-render export` writes, for export.test. Each resolves every index,
and says what it found in one line; what breaks a rule of the format is an AssertionError.

	formats.py FORMAT FILE [H5]
"""

import csv
import html
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict

# Of Debian's libdevel-nytprof-perl.
FLAMEGRAPH = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"


def load(path):
    """JSON without what only Python takes: NaN, or a key twice."""
    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    def once(pairs):
        keys = [k for k, _ in pairs]
        assert len(keys) == len(set(keys)), f"a key twice in {keys[:5]}"
        return dict(pairs)
    with open(path, encoding="utf-8") as f:
        return json.load(f, parse_constant=refuse, object_pairs_hook=once)


def chrome(path):
    """Begins and ends of each thread are balanced, in order of time, and never overlap; every
    sample has a stack that ends."""
    trace = load(path)
    open_slices, last, slices = defaultdict(list), defaultdict(float), 0
    for e in trace["traceEvents"]:
        thread = (e["pid"], e["tid"])
        if e["ph"] == "M":
            assert e["name"] in ("process_name", "thread_name") and e["args"]["name"] is not None
            continue
        assert e["ts"] >= last[thread], (e, last[thread])
        if e["ph"] == "X":
            # Complete events nest: those that go on enclose this one.
            while open_slices[thread] and open_slices[thread][-1] <= e["ts"] + 1e-9:
                open_slices[thread].pop()
            end = e["ts"] + e["dur"]
            assert not open_slices[thread] or end <= open_slices[thread][-1] + 1e-6, e
            open_slices[thread].append(end)
            slices += 1
            continue
        last[thread] = e["ts"]
        if e["ph"] == "B":
            assert e["name"]
            open_slices[thread].append(e["ts"])
            slices += 1
        else:
            assert e["ph"] == "E" and e["ts"] >= open_slices[thread].pop(), e
    if not any(e["ph"] == "X" for e in trace["traceEvents"]):
        assert not any(open_slices.values()), "a slice without an end"
    frames, depth = trace["stackFrames"], {}
    for key in sorted(frames, key=int):
        parent = frames[key].get("parent")
        assert parent is None or parent in depth, "a parent that comes later, or never"
        depth[key] = 1 + (depth[parent] if parent else 0)
    weights = defaultdict(int)
    for s in trace["samples"]:
        assert "sf" not in s or s["sf"] in frames
        weights[s["name"]] += s["weight"]
    print("slices", slices, "frames", len(frames), "deepest", max(depth.values(), default=0),
          "samples", len(trace["samples"]), *(f"{k} {v}" for k, v in weights.items()))


def columns(table, **kinds):
    """All columns of a table are there, and equally long; returns the length."""
    n = table["length"]
    for name, check in kinds.items():
        assert len(table[name]) == n, (name, len(table[name]), n)
        for value in table[name]:
            assert check(value), (name, value)
    return n


def below(n, null=False):
    return lambda v: (null and v is None) or (isinstance(v, int) and 0 <= v < n)


def firefox(path):
    """Every index of the processed profile leads somewhere."""
    p = load(path)
    meta, shared = p["meta"], p["shared"]
    assert meta["preprocessedProfileVersion"] == 60 and meta["interval"] > 0
    assert any(c["color"] == "grey" for c in meta["categories"])
    assert all(c["subcategories"] == ["Other"] for c in meta["categories"])
    null = lambda v: v is None
    number = lambda v: v is None or (isinstance(v, int) and v > 0)
    strings = len(shared["stringArray"])
    resources = columns(shared["resourceTable"], lib=below(len(p["libs"])), name=below(strings),
                        host=null, type=lambda v: v == 1)
    sources = columns(shared["sources"], uuid=null, filename=below(strings))
    functions = columns(
        shared["funcTable"], name=below(strings), isJS=lambda v: v is False,
        relevantForJS=lambda v: v is False, resource=lambda v: -1 <= v < resources,
        source=below(sources, True), lineNumber=number, columnNumber=null)
    frames = columns(
        shared["frameTable"], address=lambda v: v == -1, inlineDepth=below(256),
        category=below(len(meta["categories"])), subcategory=lambda v: v == 0,
        func=below(functions), nativeSymbol=null, innerWindowID=null, line=number, column=null)
    stack_table = shared["stackTable"]
    stacks = columns(stack_table, frame=below(frames), prefix=below(stack_table["length"], True))
    depth = shared["frameTable"]["inlineDepth"]
    for i, prefix in enumerate(stack_table["prefix"]):
        assert prefix is None or prefix < i, "a parent that comes later"
        outer = -1 if prefix is None else depth[stack_table["frame"][prefix]]
        assert depth[stack_table["frame"][i]] in (0, outer + 1), "inlined into nothing"
    assert columns(shared["nativeSymbols"], name=null) == 0
    weights, samples = defaultdict(float), 0
    for t in p["threads"]:
        assert isinstance(t["pid"], str) and isinstance(t["tid"], int) and t["markers"]["length"] == 0
        assert t["samples"]["weightType"] in ("samples", "tracing-ms", "bytes")
        samples += columns(t["samples"], stack=below(stacks, True),
                           time=lambda v: v >= 0, weight=lambda v: True)
        assert t["samples"]["time"] == sorted(t["samples"]["time"])
        weights[t["samples"]["weightType"]] += sum(t["samples"]["weight"])
    print("stacks", stacks, "threads", len(p["threads"]), "libs", len(p["libs"]),
          "inlined", sum(d > 0 for d in depth), "samples", samples,
          *(f"{k} {v:.0f}" for k, v in weights.items()))


def speedscope(path):
    """What its schema does not say: indexes, sums; the one shown first is there."""
    p = load(path)
    frames, total, samples = p["shared"]["frames"], defaultdict(int), 0
    assert not p["profiles"] or 0 <= p["activeProfileIndex"] < len(p["profiles"])
    for one in p["profiles"]:
        assert one["type"] == "sampled" and len(one["samples"]) == len(one["weights"])
        assert one["endValue"] - one["startValue"] == sum(one["weights"])
        assert all(0 <= f < len(frames) for stack in one["samples"] for f in stack)
        total[one["unit"]] += one["endValue"]
        samples += len(one["samples"])
    print("profiles", len(p["profiles"]), "samples", samples,
          *(f"{k} {v}" for k, v in total.items()))


def decode(values, coding):
    """A column as its file's attribute "encoding" says: all wraps around."""
    import numpy  # pylint: disable=import-outside-toplevel
    if coding == "delta":
        return numpy.cumsum(values, dtype=values.dtype)
    if coding == "back":
        return numpy.arange(len(values), dtype=values.dtype) - values
    return values


def codings(dataset):
    text = dataset.attrs.get("encoding", b"")
    text = text.decode() if isinstance(text, bytes) else text
    return dict(part.split(": ") for part in text.split(", ") if part)


def same_column(there, here, strings):
    if here and isinstance(here[0], str):
        there = ["".join(c if c >= " " else "?" for c in strings[i]) for i in there]
    assert list(there) == here, (list(there)[:5], here[:5])


# Columns that are for adding up alone.
INNER = {"adds"} | {name + half for half in ("", "_high") for name in (
    "exact", "squares", "self_squares", "comp_calls", "margin_calls")}


def json_profile(path, h5):
    """The same as h5py reads in the file: tables, their columns, texts and numbers."""
    import h5py  # pylint: disable=import-outside-toplevel
    p, compared = load(path), 0
    with h5py.File(h5, "r") as f:
        version = next(iter(f.values()))
        run = next(iter(next(iter(version.values()))["profiles"].values()))
        strings = run["strings"][()].tobytes().decode().split("\0")
        for name, there in run.items():
            if name in ("strings", "samples") or "." in name:  # names as text: tests/cli/h5py.test
                continue
            rows, coding = there[()], codings(there)
            for column in rows.dtype.names:
                if column in INNER:
                    continue
                same_column(decode(rows[column], coding.get(column)), p["tables"][name][column],
                            strings)
                compared += 1
        for column, there in run["samples"].items():
            if not column.startswith("value_"):
                same_column(decode(there[()], codings(there).get(column)),
                            p["tables"]["samples"][column], [])
        for i, metric in enumerate(p["tables"]["metrics"]["name"]):
            same_column(run["samples"][f"value_{i}"][()], p["tables"]["samples"]["values"][metric], [])
    print("columns", compared, "samples", len(p["tables"]["samples"]["time_ns"]))


def table(path):
    """A CSV whose rows all have the columns of its first line."""
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f, strict=True))
    assert all(len(r) == len(rows[0]) for r in rows)
    assert [r[0] for r in rows[1:]] == [str(i) for i in range(len(rows) - 1)]
    print(",".join(rows[0]), len(rows) - 1)


def dask(path):
    """distributed's own functions take the tree: merged with itself all counts double."""
    from distributed import profile  # pylint: disable=import-outside-toplevel
    tree = load(path)

    def count(node):
        stack, total = [node], 0
        while stack:
            n = stack.pop()
            total += n["count"]
            stack.extend(n["children"].values())
        return total
    both = profile.merge(tree, tree)
    assert both["count"] == 2 * tree["count"] and count(both) == 2 * count(tree)
    data = profile.plot_data(tree)
    assert len({len(v) for v in data.values()}) == 1
    print("count", tree["count"], "boxes", len(data["name"]))


def flamegraph(folded):
    """Stacks and counts as flamegraph.pl draws them: a box for each path, with the samples of all
    stacks that begin so. It writes < and > as brackets."""
    svg = subprocess.run(["perl", FLAMEGRAPH, "--minwidth", "0", folded], check=True,
                         capture_output=True)
    assert not svg.stderr, svg.stderr
    drawn = re.findall(r"<title>(.*) \(([\d,]+) samples, [\d.]+%\)", svg.stdout.decode())
    drawn = Counter((html.unescape(name), int(count.replace(",", ""))) for name, count in drawn)
    paths = Counter()
    with open(folded, encoding="utf-8") as f:
        for line in f:
            stack, count = line.rsplit(" ", 1)
            frames = stack.translate({ord("<"): "(", ord(">"): ")"}).split(";")
            for depth in range(len(frames) + 1):
                paths[tuple(frames[:depth])] += int(count)
    told = Counter((path[-1] if path else "all", count) for path, count in paths.items())
    assert drawn == told, (drawn - told, told - drawn)
    print("samples", paths[()], "boxes", drawn.total())


if __name__ == "__main__":
    {"folded": flamegraph, "chrome": chrome, "firefox": firefox, "speedscope": speedscope, "csv": table,
     "json-profile": json_profile, "json": dask}[sys.argv[1]](*sys.argv[2:])
