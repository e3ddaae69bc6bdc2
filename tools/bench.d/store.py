"""A store of many runs of 500 zones, at two sizes: listing, adding, loading one run, comparing the
newest version with its baseline; and that adding does not slow down as the store grows. Both the time
that passes and the CPU time, as the first is mostly the disk's syncs, and what other programs do."""

import os
import shutil
import subprocess
import tempfile
import time

import h5py
import numpy

from base import EPROF, KEEP, RENDER, TURNS, note, row, run, the_run

ZONES = 500
SIZES = (100, 1000)
A_VERSION = 10  # runs of each version


def zones_profile():
    """One capture of a program of 500 functions, made once."""
    path = os.path.join(KEEP, "zones500.h5")
    if os.path.exists(path):
        return path
    note(f"capturing {ZONES} zones, once")
    with tempfile.TemporaryDirectory() as d:
        with open(f"{d}/p.c", "w", encoding="ascii") as f:
            for k in range(ZONES):
                f.write(f"__attribute__((noinline)) int some_function_{k}(volatile int *x)"
                        f" {{ for (int i = 0; i < {k}; i++) ++*x; return *x; }}\n")
            f.write("int main(void) { volatile int x = 0; for (int i = 0; i < 20; i++) {\n")
            f.writelines(f"some_function_{k}(&x);\n" for k in range(ZONES))
            f.write("} return 0; }\n")
        subprocess.run(["gcc", "-O1", "-g", "-o", f"{d}/p", f"{d}/p.c"], check=True)
        run([EPROF, "--zone", "some_function_*", "-o", path, "--", f"{d}/p"])
    return path


def variant(path, number):
    """Makes the run another one: its start, its name, and a time of each zone."""
    with h5py.File(path, "r+") as f:
        r = the_run(f)
        r.attrs.modify("started_unix_ns", 1_700_000_000_000_000_000 + number * 1_000_000_000)
        r.attrs["name"] = numpy.bytes_(f"p {number}")  # of fixed length, as eprof has them
        zones = r["zones"][()]
        zones["max_ns"] += number
        r["zones"][...] = zones


def store_of(size):
    """A store of that many runs, made once; the base of those that are added to."""
    path = os.path.join(KEEP, f"store-{size}.h5")
    if os.path.exists(path):
        return path
    note(f"a store of {size} runs, once")
    base = zones_profile()
    with tempfile.TemporaryDirectory(dir=KEEP) as d:
        store = f"{d}/store.h5"
        for at in range(0, size, A_VERSION):
            files = []
            for number in range(at, at + A_VERSION):
                files.append(f"{d}/{number}.h5")
                shutil.copy(base, files[-1])
                variant(files[-1], number)
            run([RENDER, "store", "add", store, *files, "--version-key", f"1.{at // A_VERSION}.0"])
        os.rename(store, path)
    return path


def took(argv):
    job = run(argv)
    return 1e3 * job.took_s, 1e3 * job.cpu_s


def copy_s(path):
    """What any way costs that copies the store and puts the copy in its place."""
    began = time.monotonic()
    with open(path, "rb") as f, open(path + ".copy", "wb") as g:
        shutil.copyfileobj(f, g, 1 << 20)
        g.flush()
        os.fsync(g.fileno())
    os.unlink(path + ".copy")
    return 1e3 * (time.monotonic() - began)


H5PY_LIST = """import sys, h5py
with h5py.File(sys.argv[1], "r") as f:
    for version in f:
        print(version, sum(len(p["profiles"]) for p in f[version].values()))
"""
H5PY_LOAD = """import sys, h5py
with h5py.File(sys.argv[1], "r") as f:
    run = next(iter(f["1.5.0"].values()))["profiles"]["p 55"]
    for name, part in run.items():
        part[()] if isinstance(part, h5py.Dataset) else [x[()] for x in part.values()]
"""


def measure(size):
    store = os.path.join(KEEP, f"store-{size}-work.h5")
    shutil.copy(store_of(size), store)
    single = os.path.join(KEEP, "store-one.h5")
    figures = {name: [] for name in ("add", "copy", "list", "h5py list", "load", "h5py load",
                                     "compare")}
    for turn in range(TURNS):
        shutil.copy(zones_profile(), single)
        variant(single, size + turn)
        figures["add"].append(took([RENDER, "store", "add", store, single, "--version-key", "9.0"]))
        figures["copy"].append((copy_s(store), 0))
        figures["list"].append(took([RENDER, "store", "versions", store]))
        figures["h5py list"].append(took(["/usr/bin/python3", "-c", H5PY_LIST, store]))
        figures["load"].append(took([RENDER, "store", "meta", store, "--version-key", "1.5.0",
                                     "--run", "p 55"]))
        figures["compare"].append(took([RENDER, "compare", store]))
        figures["h5py load"].append(took(["/usr/bin/python3", "-c", H5PY_LOAD, store]))
    os.unlink(store)
    for name in figures:
        figures[name] = [[f[i] for f in figures[name]] for i in (0, 1)]
    what = f"store of {size} runs of {ZONES} zones"
    row(f"{what}: add a run", "ms", figures["add"][0], "copy of the store", figures["copy"][0])
    row(f"{what}: add a run, CPU", "ms", figures["add"][1], "-", None)
    for i, kind in enumerate(("", ", CPU")):
        row(f"{what}: versions{kind}", "ms", figures["list"][i], "h5py", figures["h5py list"][i])
        row(f"{what}: load one run{kind}", "ms", figures["load"][i], "h5py", figures["h5py load"][i])
        row(f"{what}: compare with its baseline{kind}", "ms", figures["compare"][i], "-", None)
    row(f"{what}: bytes a run", "KiB", os.path.getsize(store_of(size)) / size / 1024,
        "a capture's file", os.path.getsize(zones_profile()) / 1024)
    return figures["add"][1]


def store():
    costs = [measure(size) for size in SIZES]
    row(f"adding a run, CPU: to {SIZES[1]} runs against to {SIZES[0]}", "ms", costs[1],
        f"{SIZES[0]} runs", costs[0])


GROUPS = (store,)
