"""LU by the command: residuals over shapes and types, the factors and pivots multiplied out here,
the digest with the pivots as a further column, info of singular matrices, and what is refused."""
import struct
import sys

sys.dont_write_bytecode = True
from _cli import MASK, SLOW, TYPES, Matrix, check, finish, folder, mix, run, run_json


def integers(path):
    """A vector of 64-bit integers."""
    with open(path, "rb") as f:
        data = f.read()
    length = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + length], {"__builtins__": {}})
    assert header["descr"] == "<i8" and len(header["shape"]) == 1, header
    (count,) = header["shape"]
    return struct.unpack("<%dq" % count, data[10 + length:])


for letter in TYPES:
    for m, n in ((0, 0), (0, 4), (4, 0), (1, 1), (63, 63), (64, 64), (65, 65), (130, 70), (70, 130)):
        for layout in ("tiled", "wrapped"):
            (o,) = run_json("getrf", "-m", m, "-n", n, "--nb", 64, "--type", letter, "--layout",
                            layout, "--check")
            check(o["passed"] is True and o["info"] == 0, "%s %d by %d: %s" % (letter, m, n, o))
    for pivoting in ("partial", "tournament", "none"):
        kind = "spd" if pivoting == "none" else "random"
        for op in ("getrf", "gesv", "getri"):
            (o,) = run_json(op, "-n", 100, "--nb", 30, "--type", letter, "--pivoting", pivoting,
                            "--matrix", kind, "--check")
            check(o["passed"] is True and o["pivoting"] == pivoting, "%s %s" % (op, o))
    for n in (0, 1, 65):
        for nrhs in (0, 1, 70):
            (o,) = run_json("gesv", "-n", n, "--nrhs", nrhs, "--nb", 64, "--type", letter, "--check")
            check(o["passed"] is True and o["info"] == 0, "gesv: %s" % o)
        (o,) = run_json("getri", "-n", n, "--nb", 64, "--type", letter, "--check")
        check(o["passed"] is True and o["info"] == 0, "getri: %s" % o)

# A = P L U, and the digest of both.
for letter in TYPES:
    for m, n in ((30, 30), (30, 20), (20, 30)):
        eps = 1e-5 if letter in "sc" else 1e-13
        with folder() as place:
            (o,) = run_json("getrf", "-m", m, "-n", n, "--nb", 8, "--type", letter, "--save", place)
            a, f = Matrix(place + "/A_in.npy"), Matrix(place + "/A.npy")
            ipiv = integers(place + "/ipiv.npy")
        order = list(range(m))
        check(len(ipiv) == min(m, n), "%d pivots" % len(ipiv))
        for i, p in enumerate(ipiv):
            check(i < p <= m, "pivot %d is %d" % (i, p))
            order[i], order[p - 1] = order[p - 1], order[i]
        for j in range(n):
            for i in range(m):
                total = sum((f.at(i, k) if k < i else 1) * f.at(k, j)
                            for k in range(min(i, j, n - 1) + 1))
                check(abs(total - a.at(order[i], j)) < eps * 30, "%s: P L U at %d, %d" % (letter, i, j))
                check(j >= i or abs(f.at(i, j)) < 1.5, "%s: L at %d, %d" % (letter, i, j))
        total = sum(mix(mix(p) ^ f.bits[p]) for p in range(len(f.bits)))
        total += sum(mix(mix((i + n * m) * f.parts) ^ p) for i, p in enumerate(ipiv))
        check(o["digest"] == "%016x" % (total & MASK), "%s: digest" % letter)

# The same bits whoever computes them.
digests = set()
for sched in ("lws", "prio", "eager", "rand", "serial"):
    for workers in (1, 2, 3, 8):
        (o,) = run_json("getrf", "-n", 300, "--nb", 100, "--sched", sched, "--workers", workers)
        digests.add(o["digest"])
check(len(digests) == 1, "%d digests" % len(digests))

# Pivot I is exactly zero; the factorization is completed, a system has no solution.
for letter in TYPES:
    for i in (0, 1, 15, 16, 59):
        for pivoting in ("partial", "tournament"):
            (o,) = run_json("getrf", "-n", 60, "--nb", 16, "--type", letter, "--matrix",
                            "singular:%d" % i, "--pivoting", pivoting, "--check", status=1)
            check(o["info"] == i + 1 and o["residual"] < 30, "singular:%d: %s" % (i, o))
        for op in ("gesv", "getri"):
            (o,) = run_json(op, "-n", 60, "--nb", 16, "--type", letter, "--matrix",
                            "singular:%d" % i, "--check", status=1)
            check(o["info"] == i + 1 and o["residual"] is None, "singular:%d: %s" % (i, o))
(o,) = run_json("getrf", "-n", 60, "--nb", 16, "--matrix", "nan:3,50", "--check", status=1)
check(o["info"] == 0 and o["passed"] is False, "nan: %s" % o)

# What is saved can be loaded, and gives the same.
with folder() as place:
    (first,) = run_json("gesv", "-n", 50, "--nrhs", 3, "--nb", 16, "--save", place)
    (again,) = run_json("gesv", "--load", place, "--nb", 16, "--check")
    check(first["digest"] == again["digest"] and again["passed"], "load: %s" % again)
    x = Matrix(place + "/X.npy")
    check((x.rows, x.cols) == (50, 3), "X is %d by %d" % (x.rows, x.cols))

status, out, err = run("getrf", "-n", 10, "--pivoting", "full")
check(status == 2 and "--pivoting full" in err and "tournament" in err, "%d %s" % (status, err))
status, out, err = run("potrf", "-n", 10, "--pivoting", "none")
check(status == 2 and "--pivoting" in err, "%d %s" % (status, err))
status, out, err = run("gesv", "-n", 10, "-m", 12)
check(status == 2 and "-m" in err, "%d %s" % (status, err))
finish()
