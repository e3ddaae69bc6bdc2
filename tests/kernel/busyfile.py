"""busyfile.py FOLDER N: N ELF files made to keep a reader busy, without section headers and with 511
segments that show the same 16 MiB: CIEs that read well, none of which has an entry behind it."""

import os
import struct
import sys

folder, n = sys.argv[1], int(sys.argv[2])
SIZE, SEGMENTS, BASE = 16 << 20, 512, 1 << 17

head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1" + bytes(9), 3, 62, 1, 0, 64, 0, 0, 64, 56,
                   SEGMENTS, 64, 0, 0)
for i in range(SEGMENTS - 1):
    # Each begins a byte later: no two are the same.
    head += struct.pack("<IIQQQQQQ", 1, 4, BASE + i, 0x10000000 + i * SIZE, 0, SIZE - i, SIZE - i, 1)
head += struct.pack("<IIQQQQQQ", 1, 5, 0, 0x1000, 0, BASE, BASE, 4096)
code = (head + bytes(65536 - len(head)) + b"\xeb\xfe" * 512).ljust(BASE, b"\0")
unit = b"\x40\0\0\0" + bytes(4) + b"\1zR\0" + b"\1\x78\x10\1\x1b"
body = (unit * (SIZE // len(unit) + 1))[:SIZE]
for i in range(n):
    with open(os.path.join(folder, f"f{i:04}"), "wb") as f:
        f.write(code)
        f.write(body)
