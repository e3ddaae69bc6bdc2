"""typed.py FILE.csv: the calls of view calls, a line each: function(arguments) = result."""

import csv
import re
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    for row in csv.DictReader(f):
        text = f"{row['function']}({row['arguments']}) = {row['result']}"
        print(re.sub(r"0x[0-9a-f]{6,}", "ADDRESS", text))
