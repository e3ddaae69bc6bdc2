"""fastcgi.py SOCKET SCRIPT SECONDS: asks a FastCGI server to run a script of PHP, and prints what it
says."""

import socket
import struct
import sys

BEGIN, END, PARAMS, STDIN = 1, 3, 4, 5


def record(kind, body):
    return struct.pack(">BBHHBB", 1, kind, 1, len(body), 0, 0) + body


def main():
    path, script, seconds = sys.argv[1:]
    values = {"SCRIPT_FILENAME": script, "REQUEST_METHOD": "GET",
              "QUERY_STRING": f"seconds={seconds}"}
    params = b"".join(bytes([len(k), len(v)]) + k.encode() + v.encode() for k, v in values.items())
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
        s.sendall(record(BEGIN, struct.pack(">HB5x", 1, 0)) + record(PARAMS, params) +
                  record(PARAMS, b"") + record(STDIN, b""))
        with s.makefile("rb") as answer:
            while len(head := answer.read(8)) == 8:
                _, kind, _, n, padding, _ = struct.unpack(">BBHHBB", head)
                body = answer.read(n + padding)[:n]
                if kind == END:
                    return
                sys.stdout.write(body.decode())


main()
