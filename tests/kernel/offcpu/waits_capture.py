"""waits_capture.py: the tables of a capture of waits, for the checks of who kept whom waiting."""

import h5py


class Capture:
    def __init__(self, path):
        with h5py.File(path, "r") as f:
            run = [run for version in f.values() for platform in version.values()
                   for run in platform["profiles"].values()][0]
            self.strings = run["strings"][()].tobytes().decode().split("\0")
            self.threads = run["threads"][()]
            self.blockers = run["blockers"][()] if "blockers" in run else []
            self.reasons = run["reasons"][()] if "reasons" in run else []
            self.metrics = [self.strings[m["name"]] for m in run["metrics"][()]]
            self.samples = {name: column[()] for name, column in run["samples"].items()}
            self.length = int(run.attrs["duration_ns"])

    def name(self, row):
        return self.strings[self.threads[row]["name"]]

    def tids(self, name):
        return {int(t["tid"]) for t in self.threads if self.strings[t["name"]] == name}

    def values(self, metric):
        """By sample."""
        return self.samples[f"value_{self.metrics.index(metric)}"]


def say(ok, name, why):
    print(f"{'ok' if ok else 'not ok'} {name}{'' if ok else ':'} {why}")
    return ok
