"""spoil.py HOW FILE: damages the call frame information of FILE, in place.

zero, ones, noise: its bytes. index: the bytes of its sorted index. huge: the lengths of its entries.
self: its CIEs lead to themselves, and its FDEs too. overlap: each entry is for all of the code."""

import random
import struct
import sys


def section(data, wanted):
    at, = struct.unpack_from("<Q", data, 40)
    size, n, names = struct.unpack_from("<HHH", data, 58)
    table = [struct.unpack_from("<IIQQQQ", data, at + i * size) for i in range(n)]
    for name, _, _, address, offset, length in table:
        start = table[names][4] + name
        if data[start:data.index(b"\0", start)] == wanted:
            return address, offset, length
    sys.exit("no " + wanted.decode())


def entries(data, start, length):
    """(offset, length, CIE pointer) of each."""
    at = start
    while at + 8 <= start + length:
        size, cie = struct.unpack_from("<II", data, at)
        if not size or size > length:
            return
        yield at, size, cie
        at += 4 + size


how, path = sys.argv[1:]
with open(path, "rb") as f:
    data = bytearray(f.read())
_, start, length = section(data, b".eh_frame")
random.seed(1)
if how in ("zero", "ones"):
    data[start:start + length] = (b"\0" if how == "zero" else b"\xff") * length
elif how == "noise":
    for _ in range(length // 8):
        data[start + random.randrange(length)] = random.randrange(256)
elif how == "index":
    _, at, size = section(data, b".eh_frame_hdr")
    for i in range(4, size):
        data[at + i] = random.randrange(256)
else:
    address, _, bytes_of_text = section(data, b".text")
    frames = section(data, b".eh_frame")[0]
    for at, size, cie in list(entries(data, start, length)):
        if how == "huge":
            struct.pack_into("<I", data, at, 0xFFFFFFF0 if at % 8 else 0x7FFFFFFF)
        elif how == "self":
            struct.pack_into("<I", data, at + 4, 4 if cie else 0)
        elif cie:
            struct.pack_into("<iI", data, at + 8, address - (frames + at + 8 - start),
                             bytes_of_text)
with open(path, "wb") as f:
    f.write(data)
