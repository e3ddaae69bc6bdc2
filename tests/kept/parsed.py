"""Outputs that are compared after parsing, as {key: bytes}: a key is a path of names, in which all
elements of a list have the same one, and the bytes are the values there, in their order, a line each.
"""

import json
import os
import re
import subprocess

import h5py
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
# What is of the program and of its file format, not of the profile.
ROOT = ("written_by", "schema", "min_reader", "about", "version")
# Columns of HDF5 that are numbers of texts.
TEXTS = set("""name unit file linkage base build_id path parts platform run version call object note text
cgroup process src_file""".split())


class Keys:
    def __init__(self):
        self.values = {}

    def add(self, path, value):
        self.values.setdefault(path, []).append(json.dumps(value, ensure_ascii=False))

    def walk(self, path, value):
        """Lists also have their lengths; what is by number, or the children of a call tree by name, is
        a list."""
        if isinstance(value, dict) and value and \
                (path.endswith(".children") or all(k.isdigit() for k in value)):
            value = [{"key": k, **v} for k, v in value.items()]
        if isinstance(value, dict):
            for key, inner in value.items():
                self.walk(f"{path}.{key}", inner)
        elif isinstance(value, list):
            self.add(path + "#", len(value))
            for inner in value:
                self.walk(re.sub(r"(\.children\[\])+", ".children[]", path + "[]"), inner)
        else:
            self.add(path, value)

    def done(self):
        # A key is one line: names in a profile may be hostile.
        return {json.dumps(k, ensure_ascii=False)[1:-1]: "\n".join(v).encode()
                for k, v in self.values.items()}


def from_json(data):
    keys, value = Keys(), json.loads(data)
    for name in ROOT:
        value.pop(name, None)
    keys.walk("", value)
    return keys.done()


def pages(paths):
    """The data of pages, each read by the page's own script."""
    if not paths:
        return []
    script = os.path.join(HERE, "page.js")
    read = json.loads(subprocess.run(["node", script, *paths], check=True, capture_output=True).stdout)
    found = []
    for path in paths:
        keys = Keys()
        keys.walk("", read[path])
        found.append(keys.done())
    return found


def decoded(values, encoding):
    """A column as numbers, whatever the file has in place of them."""
    if encoding == "delta":
        return numpy.cumsum(values, dtype=values.dtype)
    if encoding == "back":
        return numpy.arange(len(values)).astype(values.dtype) - values
    return values


def add_table(keys, path, data):
    encodings = dict(e.split(": ") for e in text(data.attrs.get("encoding", b"")).split(", ") if e)
    name = path.rsplit("/", 1)[1]
    values = data[()]
    if not values.dtype.names:
        keys.walk(path, decoded(values, encodings.get(name)).tolist())
        return
    strings = bytes(data.parent["strings"][:]).split(b"\0")
    for name in values.dtype.names:
        column = decoded(values[name], encodings.get(name)).tolist()
        keys.walk(f"{path}.{name}", [text(strings[i]) for i in column] if name in TEXTS else column)


def text(value):
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def from_hdf5(path):
    keys = Keys()

    def visit(name, node):
        # Strings are compared where cells refer to them, of which "functions.name" has copies.
        if name.endswith(("/strings", "/functions.name", "/zones.name")):
            return
        # Of which version, platform and run it is.
        for place, group in enumerate(name.split("/")):
            if place in (0, 1, 3) and group:
                keys.add(f"group {place}", group)
        name = re.sub("^[^/]+(/[^/]+(/profiles(/[^/]+)?)?)?", lambda m: "*" * (m[0].count("/") + 1), name)
        for key, value in node.attrs.items():
            if key == "encoding" or (node.name == "/" and key in ROOT):
                continue
            value = text(value.item() if hasattr(value, "item") else value)
            keys.add(f"{name}@{key}", value)
        if isinstance(node, h5py.Dataset):
            add_table(keys, name, node)

    with h5py.File(path, "r") as file:
        visit("", file)
        file.visititems(visit)
    return keys.done()
