"""What the tests of the command share: running it, reading .npy files, the digest, a failure list.

Everything is computed here independently of the library: a test must not believe the code that it
tests.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

BIN = os.environ["TW_BIN"]
SLOW = os.environ.get("TW_SLOW", "0") == "1"
TYPES = {"s": ("<f4", "f", 1), "d": ("<f8", "d", 1), "c": ("<c8", "f", 2), "z": ("<c16", "d", 2)}
MASK = (1 << 64) - 1

_failures = []


def check(condition, text):
    """Note a failure and go on, so that one run shows all of them."""
    if not condition:
        _failures.append(text)
        print("FAILED:", text, flush=True)
    return condition


def finish():
    print("%d failures" % len(_failures))
    sys.exit(1 if _failures else 0)


def run(*args, timeout=120, env=None):
    """Run the command; returns (status, stdout, stderr)."""
    full = dict(os.environ, **(env or {}))
    done = subprocess.run([BIN] + [str(a) for a in args], capture_output=True, timeout=timeout,
                          env=full, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def run_json(*args, status=0, **more):
    """Run with --json; returns the objects, and checks the exit status."""
    code, out, err = run(*args, "--json", **more)
    check(code == status, "%s: status %d, not %d: %s" % (" ".join(map(str, args)), code, status,
                                                         err.strip()))
    return [json.loads(line) for line in out.splitlines()]


def folder():
    """A folder that goes away with the object."""
    return tempfile.TemporaryDirectory(dir=os.getcwd())


class Matrix:
    """A matrix of a .npy file: `bits` are the patterns of its real components, column by column."""

    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        assert data[:8] == b"\x93NUMPY\x01\x00", path
        length = struct.unpack("<H", data[8:10])[0]
        assert (10 + length) % 64 == 0, "the data of %s is not aligned" % path
        header = eval(data[10:10 + length], {"__builtins__": {}})
        assert sorted(header) == ["descr", "fortran_order", "shape"], header
        assert header["fortran_order"] is True
        self.dtype = header["descr"]
        self.rows, self.cols = header["shape"]
        code, self.parts = {t[0]: t[1:] for t in TYPES.values()}[self.dtype]
        count = self.rows * self.cols * self.parts
        body = data[10 + length:]
        self.values = struct.unpack("<%d%s" % (count, code), body)
        self.bits = struct.unpack("<%d%s" % (count, "I" if code == "f" else "Q"), body)

    def component(self, i, j, part):
        return (i + j * self.rows) * self.parts + part

    def at(self, i, j):
        """Element (i, j) as a complex number."""
        k = self.component(i, j, 0)
        return complex(self.values[k], self.values[k + 1] if self.parts == 2 else 0.0)


def write_npy(path, values, rows, cols, letter="d", fortran=True, header=None, version=1):
    """Write real components in the order of the file."""
    dtype, code, _ = TYPES[letter]
    if header is None:
        header = "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }" % (
            dtype, fortran, rows, cols)
    prefix = 10 if version == 1 else 12
    text = header.encode()
    text += b" " * (-(prefix + len(text) + 1) % 64) + b"\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY" + bytes([version, 0]))
        f.write(struct.pack("<H" if version == 1 else "<I", len(text)) + text)
        f.write(struct.pack("<%d%s" % (len(values), code), *values))


def mix(x):
    """The splitmix64 finaliser."""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


def digest(matrix, uplo="general"):
    """The digest of a matrix or of a triangle of it, as the command prints it."""
    total = 0
    for j in range(matrix.cols):
        rows = range(j if uplo == "lower" else 0, j + 1 if uplo == "upper" else matrix.rows)
        for i in rows:
            for part in range(matrix.parts):
                p = matrix.component(i, j, part)
                total += mix(mix(p) ^ matrix.bits[p])
    return "%016x" % (total & MASK)
