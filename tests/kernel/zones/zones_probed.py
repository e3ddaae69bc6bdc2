#!/usr/bin/python3
"""zones_probed.py PID PROGRAM FUNCTION: status 0 when the function's first bytes in the process are
not those in the program's file: a probe is there."""

import subprocess
import sys

pid, program, function = sys.argv[1:]
symbols = "".join(subprocess.run(["nm", *which, program], capture_output=True, text=True,
                                 check=True).stdout for which in ([], ["-D"]))
address = next(int(line.split()[0], 16) for line in symbols.splitlines()
               if line.split()[-1].split("@")[0] == function)
with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
    base = next(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(program))
with open(f"/proc/{pid}/mem", "rb") as memory:
    memory.seek(base + address)
    now = memory.read(16)
with open(program, "rb") as file:
    sys.exit(now in file.read())
