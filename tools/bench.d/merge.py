"""Merging: many profiles of one program to one, beside what dask takes for trees in memory."""

import os
import random
import time

import h5py
import numpy

from base import KEEP, QUICK, RENDER, note, row, run

FUNCTIONS, STACKS = 2000, 20000  # of the program
NODES, SAMPLES = 5000, 1000      # of a profile
START_NS = 1_700_000_000_000_000_000

TABLES = {
    "modules": [("path", "<u4"), ("build_id", "<u4")],
    "functions": [("name", "<u4"), ("linkage", "<u4"), ("file", "<u4"), ("line", "<u4"),
                  ("module", "<u4"), ("kind", "u1"), ("named", "u1")],
    "frames": [("function", "<u4"), ("line", "<u4"), ("inlined", "u1"), ("guessed", "u1")],
    "nodes": [("parent", "<u4"), ("frame", "<u4")],
    "threads": [("pid", "<u4"), ("tid", "<u4"), ("name", "<u4"), ("process", "<u4"),
                ("cgroup", "<u4"), ("start_ns", "<u8"), ("born_ns", "<u8")],
    "metrics": [("name", "<u4"), ("unit", "<u4"), ("kind", "u1"), ("base", "<u4")],
    "ledger": [("name", "<u4"), ("metric", "<u4"), ("class", "u1"), ("count", "<i8")],
    "cost": [("name", "<u4"), ("unit", "<u4"), ("value", "<f8")],
}
DELTA = {"functions": ("name", "linkage"), "frames": ("function",)}
STRINGS = ["", "root", "/usr/bin/program", "0a1b2c3d", "program", "cpu-clock", "ns", "taken", "kept"]


def grow():
    """All stacks that the program can have: per node its parent, and the function called."""
    rng, parents, functions, taken = random.Random(1), [0], [0], set()
    while len(parents) < STACKS:
        # Deep rather than wide, as stacks are.
        parent = rng.randrange(max(0, len(parents) - 60), len(parents))
        function = 1 + (functions[parent] * 7 + rng.randrange(12)) % FUNCTIONS
        if (parent, function) not in taken:
            taken.add((parent, function))
            parents.append(parent)
            functions.append(function)
    return parents, functions


ALL = grow()


def tree(seed):
    """The NODES of them that one capture met, in the same way."""
    rng, chosen = random.Random(seed), {0}
    while len(chosen) < NODES:
        node = rng.randrange(STACKS)
        while node not in chosen and len(chosen) < NODES:
            above = node
            while ALL[0][above] not in chosen:
                above = ALL[0][above]
            chosen.add(above)
    chosen = sorted(chosen)
    place = {node: i for i, node in enumerate(chosen)}
    return [place[ALL[0][node]] for node in chosen], [ALL[1][node] for node in chosen]


def samples(seed):
    rng = random.Random(-1 - seed)
    return [rng.randrange(1, NODES) for _ in range(SAMPLES)]


def put(run_group, name, data):
    deflate = {"compression": 6, "shuffle": True} if data.nbytes > 400 else {}
    run_group.create_dataset(name, data=data, **deflate)


def put_table(run_group, name, rows):
    data = numpy.array(rows, dtype=TABLES[name])
    for column in DELTA.get(name, ()):
        data[column][1:] = numpy.diff(data[column])
    if name == "nodes":
        data["parent"] = numpy.arange(len(data), dtype="<u4") - data["parent"]
    put(run_group, name, data)


def write(path, seed):
    """A profile as eprof's files are; see `h5dump -a about`."""
    parents, functions = tree(seed)
    strings = STRINGS + [f"namespace::function_{i}" for i in range(1, FUNCTIONS + 1)]
    with h5py.File(path, "w", libver=("v110", "v110")) as f:
        f.attrs.update({"format": numpy.bytes_("eprof"), "schema": numpy.uint32(3), "min_reader": numpy.uint32(2)})
        f.create_group("v1/linux/meta")
        g = f.create_group(f"v1/linux/profiles/run-{seed}")
        g.attrs.update({"name": numpy.bytes_(f"run-{seed}"), "command": numpy.bytes_("program"),
                        "parts": numpy.bytes_("samples"), "hz": 99.0,
                        "started_unix_ns": numpy.int64(START_NS + seed * 10**10),
                        "duration_ns": numpy.int64(10**10)})
        put(g, "strings", numpy.frombuffer(("\0".join(strings) + "\0").encode(), dtype="u1"))
        put_table(g, "modules", [(0, 0), (2, 3)])
        put_table(g, "functions", [(0,) * 7] + [
            (len(STRINGS) + i - 1, 0, 0, i, 1, 0, 1) for i in range(1, FUNCTIONS + 1)])
        put_table(g, "frames", [(i, i, 0, 0) for i in range(FUNCTIONS + 1)])
        put_table(g, "nodes", list(zip(parents, functions)))
        put_table(g, "threads", [(4711, 4711, 4, 4, 0, 0, 0)])
        put_table(g, "metrics", [(5, 6, 0, 0)])
        put_table(g, "ledger", [(7, 0, 0, SAMPLES), (8, 0, 1, SAMPLES)])
        put_table(g, "cost", [])
        put(g, "samples/time_ns", numpy.full(SAMPLES, 10**7, dtype="<u8"))
        put(g, "samples/thread", numpy.zeros(SAMPLES, dtype="<u4"))
        put(g, "samples/node", numpy.array(samples(seed), dtype="<u4"))
        put(g, "samples/value_0", numpy.full(SAMPLES, 10**7, dtype="<i8"))


def profiles(n):
    """Files of @n profiles, made once."""
    folder = os.path.join(KEEP, "merge")
    os.makedirs(folder, exist_ok=True)
    paths = [os.path.join(folder, f"{i}.h5") for i in range(n)]
    missing = [i for i in range(n) if not os.path.exists(paths[i])]
    if missing:
        note(f"writing {len(missing)} profiles of {NODES:,} nodes, once")
    for i in missing:
        write(paths[i] + ".part", i)
        os.rename(paths[i] + ".part", paths[i])
    return paths


def as_dask(seed):
    """The same as dask has it: nested, with counts."""
    parents, functions = tree(seed)
    counts = [0] * NODES
    for node in samples(seed):
        counts[node] += 1
    nodes = []
    for parent, function in zip(parents, functions):
        name = f"namespace::function_{function};program;{function}"
        nodes.append({"identifier": name, "count": 0, "description": {
            "name": name, "filename": "program", "line_number": function, "line": ""}, "children": {}})
        if len(nodes) > 1:
            nodes[parent]["children"][name] = nodes[-1]
    for i in range(NODES - 1, -1, -1):
        nodes[i]["count"] += counts[i]
        if i:
            nodes[parents[i]]["count"] += nodes[i]["count"]
    nodes[0]["identifier"] = "root"
    return nodes[0]


def dask_seconds(n):
    """CPU time, of trees that are in memory already; None where dask is not there."""
    try:
        from distributed.profile import merge as dask_merge  # pylint: disable=import-error
    except ImportError:
        return None, None
    trees = [as_dask(i) for i in range(n)]
    began = time.process_time()
    merged = dask_merge(*trees)
    return time.process_time() - began, merged["count"]


def merge():
    out = os.path.join(KEEP, "merged.h5")
    for n in (10, 100) if QUICK else (100, 1000):
        paths = profiles(n)
        took, cpu, peak = [], [], []
        for _ in range(2 if QUICK else 5):
            job = run([RENDER, "merge", *paths, "-o", out, "--force"])
            took.append(job.took_s)
            cpu.append(job.cpu_s)
            peak.append(job.peak_kib / 1024)
        theirs, count = dask_seconds(n)
        if count is not None and count != n * SAMPLES:
            note(f"dask counts {count} samples of {n * SAMPLES}")
        row(f"merge {n:,} profiles of {NODES:,} nodes, files in and out, CPU", "s", cpu,
            "dask profile.merge, in memory", theirs)
        row(f"  the same, {n:,} profiles, elapsed", "s", took, "", None)
        row(f"  peak memory of that, {n:,} profiles", "MiB", peak, "", None)


GROUPS = (merge,)
