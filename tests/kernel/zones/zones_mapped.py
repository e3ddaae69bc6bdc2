#!/usr/bin/python3
"""zones_mapped.py FILE: status 0 when a process that maps the file now reads something else than
stands in it: probes are there."""

import mmap
import sys

with open(sys.argv[1], "rb") as file:
    with mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ) as mapped:
        sys.exit(mapped[:] == file.read())
