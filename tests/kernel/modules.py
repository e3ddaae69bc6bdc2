"""modules.py LIBRARY FOLDER N: N copies of a library, m0.so … , each with a build-id of its own."""

import struct
import sys

library, folder, n = sys.argv[1:]
with open(library, "rb") as f:
    data = bytearray(f.read())
note = data.index(struct.pack("<III", 4, 20, 3) + b"GNU\0") + 16
for i in range(int(n)):
    struct.pack_into("<I", data, note, i)
    with open(f"{folder}/m{i}.so", "wb") as f:
        f.write(data)
