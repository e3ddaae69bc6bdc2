"""total.py FILE [METRIC]: the sum of the values of all samples, of the first metric or that one."""

import sys

import h5py

metric = sys.argv[2] if len(sys.argv) > 2 else "0"
with h5py.File(sys.argv[1], "r") as f:
    runs = [run for version in f.values() for platform in version.values()
            for run in platform["profiles"].values()]
    print(sum(int(run["samples"][f"value_{metric}"][()].sum()) for run in runs))
