"""The run of a profile with a timeline, for the judges here."""

import h5py
import numpy


class Timeline:
    def __init__(self, file):
        self.run = _find(h5py.File(file))
        self.events = self.run["events"][:]
        self.threads = self.run["threads"][:]
        self._names = self.run["functions.name"].asstr()[:]
        self._function_of = numpy.cumsum(self.run["frames"]["function"], dtype="u4")

    def name(self, event):
        """Of its function."""
        return self._names[self._function_of[event["frame"]]]

    def tid(self, event):
        return int(self.threads[event["thread"]]["tid"])

    def task(self, event):
        """"4711", or "4711/1" in a coroutine."""
        return str(self.tid(event)) + (f"/{event['coroutine']}" if event["coroutine"] else "")


def _find(group):
    for item in group.values():
        if isinstance(item, h5py.Group):
            found = item if "strings" in item else _find(item)
            if found:
                return found
    return None
