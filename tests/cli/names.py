"""Every name in README's table of routines is a subcommand that passes its own check in all types, and what is
particular to those that begin with a factor: shapes, digests, files, failures."""
import os
import re
import struct
import sys

sys.dont_write_bytecode = True
from _cli import MASK, TYPES, Matrix, check, digest, finish, folder, mix, run, run_json

HERE = os.path.dirname(os.path.abspath(__file__))
FACTORED = ("potrs", "pocon", "sytrs", "hetrs", "getrs", "gecon", "unmqr", "unmlq", "ungqr", "unglq")


def names():
    """Those of the table: in backquotes, after `call, or say`."""
    with open(os.path.join(HERE, "..", "..", "README.md")) as f:
        table = f.read().split("| you want |")[1].split("\n\n")[0]
    return re.findall(r"`([a-z_0-9]+)`", table.split("|---|---|")[1])


found = names()
check(len(found) == 37 == len(set(found)), "README has %d names: %s" % (len(found), found))
listed = run("help")[1]
for op in found:
    check(re.search(r"(?m)^  %s +\S" % op, listed), "twill help lacks %s" % op)
    code, out, err = run("help", op)
    check(code == 0 and out.startswith("usage: twill %s " % op), "help %s: %s" % (op, err))
    for letter in TYPES:
        args = [op, "-n", 130, "--nb", 48, "--type", letter, "--check"]
        if op.endswith("_mixed") and letter in "sc":
            code, out, err = run(*args)
            check(code == 2 and "--type %s: must be d or z" % letter in err and not out,
                  "%s %s: %d %s" % (op, letter, code, err))
            continue
        (o,) = run_json(*args)
        check(o["op"] == op and o["passed"] is True and o["info"] == 0 and o["residual"] is not None,
              "%s %s: %s" % (op, letter, o))
        check((o["gflops"] is None) == (op in ("pocon", "gecon")), "%s: rate %s" % (op, o["gflops"]))
    # Everything left to the library, and for a person.
    code, out, err = run(op, "-n", 100, "--check")
    check(code == 0 and "PASSED" in out, "%s: %s %s" % (op, out, err))
    check(("GFLOP/s" in out) == (op not in ("pocon", "gecon")), "%s: %s" % (op, out))

# The same bits whoever computes them, and what is saved is what the digest says.
RESULT = {"potrs": "X", "sytrs": "X", "hetrs": "X", "getrs": "X", "posv_mixed": "X", "gesv_mixed": "X",
          "unmqr": "C", "unmlq": "C", "ungqr": "Q", "unglq": "Q", "sytrf": "A", "hetrf": "A"}
for op, name in RESULT.items():
    seen = set()
    for sched, workers in (("lws", 1), ("prio", 2), ("rand", 8)):
        with folder() as place:
            (o,) = run_json(op, "-n", 90, "--nb", 32, "--type", "z", "--sched", sched, "--workers",
                            workers, "--save", place)
            seen.add(o["digest"])
            result = Matrix("%s/%s.npy" % (place, name))
            check(digest(result, "lower" if name == "A" else None) == o["digest"], op + ": digest")
    check(len(seen) == 1, "%s: %s" % (op, seen))
for op in ("pocon", "gecon"):
    (o,) = run_json(op, "-n", 90, "--nb", 32, "--workers", 2)
    (bits,) = struct.unpack("<Q", struct.pack("<d", o["rcond"]))
    check(o["digest"] == "%016x" % (mix(mix(0) ^ bits) & MASK), "%s: %s" % (op, o))
    check(0 < o["rcond"] < 1, "%s: %s" % (op, o))

# Triangles, transposes, sides, shapes around the tile size, nothing at all.
for n in (0, 1, 31, 32, 33, 70):
    for uplo in ("lower", "upper"):
        for op in ("potrs", "sytrf", "hetrf", "sytrs", "hetrs", "pocon"):
            for letter in "dz":
                (o,) = run_json(op, "-n", n, "--nb", 32, "--uplo", uplo, "--type", letter, "--check")
                check(o["passed"] is True and o["uplo"] == uplo, "%s n=%d: %s" % (op, n, o))
    for trans in "ntc":
        (o,) = run_json("getrs", "-n", n, "--nrhs", 3, "--nb", 32, "--trans", trans, "--type", "z", "--check")
        check(o["passed"] is True and o["trans"] == trans and o["uplo"] is None, "getrs: %s" % o)
for m, n, k in ((70, 33, 20), (33, 70, 40), (64, 64, 100), (1, 50, 7), (50, 1, 7), (0, 5, 5), (20, 20, 0)):
    for op in ("unmqr", "unmlq"):
        for side in "lr":
            for trans in "nc":
                (o,) = run_json(op, "-m", m, "-n", n, "-k", k, "--nb", 16, "--side", side, "--trans", trans,
                                "--type", "c", "--tree", "greedy", "--check")
                check(o["passed"] is True and o["side"] == side, "%s %s: %s" % (op, (m, n, k), o))
    few, many = sorted((m, n))
    (o,) = run_json("ungqr", "-m", many, "-n", few, "-k", k, "--nb", 16, "--type", "z", "--check")
    check(o["passed"] is True and (o["m"], o["n"], o["k"]) == (many, few, k), "ungqr: %s" % o)
    (o,) = run_json("unglq", "-m", few, "-n", many, "-k", k, "--nb", 16, "--type", "z", "--check")
    check(o["passed"] is True, "unglq: %s" % o)

# Q by LAPACK's meaning: orthonormal columns that span A's.
with folder() as place:
    run_json("ungqr", "-m", 20, "-n", 6, "-k", 6, "--nb", 8, "--save", place)
    a, q = Matrix(place + "/A_in.npy"), Matrix(place + "/Q.npy")
    dot = lambda x, i, y, j: sum(x.at(r, i).conjugate() * y.at(r, j) for r in range(20))
    check(all(abs(dot(q, i, q, j) - (i == j)) < 1e-13 for i in range(6) for j in range(6)), "Q^H Q")
    check(all(abs(dot(q, i, a, j)) < 1e-13 for i in range(6) for j in range(i)), "Q^H A")



def integers(path):
    with open(path, "rb") as f:
        data = f.read()
    (length,) = struct.unpack("<H", data[8:10])
    return struct.unpack("<%dq" % ((len(data) - 10 - length) // 8), data[10 + length:])


def times(x, y):
    return [[sum(x[i][k] * y[k][j] for k in range(len(y))) for j in range(len(y[0]))] for i in range(len(x))]


def multiplied(f, e, ipiv, n, lower, hermitian):
    """P L D L^T P^T, or with L^H, or with U, from what <twill/indefinite.h> says is in files."""
    mirror = (lambda x: x.conjugate()) if hermitian else (lambda x: x)
    inside = (lambda i, j: i > j) if lower else (lambda i, j: i < j)
    l = [[1 if i == j else f.at(i, j) if inside(i, j) else 0 for j in range(n)] for i in range(n)]
    d = [[f.at(i, i) if i == j else 0 for j in range(n)] for i in range(n)]
    for i in range(n):
        k = i + 1 if lower else i - 1
        if 0 <= k < n:
            d[k][i], d[i][k] = e.at(i, 0), mirror(e.at(i, 0))
    product = times(times(l, d), [[mirror(l[j][i]) for j in range(n)] for i in range(n)])
    swaps, i = [], 0
    while i < n:
        block = ipiv[i] < 0
        row = i + 1 if block and lower else i
        swaps.append((row, abs(ipiv[row]) - 1))
        i += 2 if block else 1
    for i, k in reversed(swaps) if lower else swaps:
        product[i], product[k] = product[k], product[i]
        for row in product:
            row[i], row[k] = row[k], row[i]
    return product


# Factors multiplied out, with blocks of order 2 and interchanges.
n, blocks = 14, 0
for op in ("sytrf", "hetrf"):
    for uplo in ("lower", "upper"):
        with folder() as place:
            run_json(op, "-n", n, "--nb", 5, "--type", "z", "--uplo", uplo, "--save", place)
            a, f, e = (Matrix("%s/%s.npy" % (place, name)) for name in ("A_in", "A", "e"))
            ipiv = integers(place + "/ipiv.npy")
        blocks += sum(p < 0 for p in ipiv)
        product = multiplied(f, e, ipiv, n, uplo == "lower", op == "hetrf")
        worst = max(abs(product[i][j] - a.at(i, j)) for i in range(n) for j in range(n))
        check(worst < 1e-13, "%s %s: off by %g" % (op, uplo, worst))
check(blocks > 0, "no block of order 2")

# What cannot be factored leaves nothing to measure: no rate, no residual, and nothing is solved.
for op, kind in (("potrs", "notspd:3"), ("pocon", "notspd:3"), ("getrs", "singular:5"),
                 ("gecon", "singular:5"), ("sytrs", "singular:5"), ("hetrs", "singular:5")):
    (o,) = run_json(op, "-n", 40, "--nb", 16, "--matrix", kind, "--check", status=1)
    check(o["info"] > 0 and o["passed"] is False and o["gflops"] is None and o["residual"] is None,
          "%s %s: %s" % (op, kind, o))
    code, out, err = run(op, "-n", 40, "--nb", 16, "--matrix", kind)
    check(code == 1 and "FAILED" in out and "info %d: " % o["info"] in out, "%s: %s" % (op, out))
for op in ("potrf", "getrf", "sytrf", "gesv"):
    kind = "notspd:3" if op == "potrf" else "singular:3"
    (o,) = run_json(op, "-n", 40, "--nb", 16, "--matrix", kind, status=1)
    check(o["info"] > 0 and o["gflops"] is None, "%s: the rate of a failed run: %s" % (op, o))
    out = run(op, "-n", 40, "--nb", 16, "--matrix", kind)[1]
    check("GFLOP" not in out and "FAILED" in out, "%s: %s" % (op, out))
(o,) = run_json("gemm", "-n", 20, "--matrix", "nan:3,4", "--check", status=1)
check(o["gflops"] is None, "a failed check has no rate: %s" % o)

# null is what a routine does not have.
(o,) = run_json("getrf", "-n", 20)
check(o["uplo"] is None and "trans" not in o and o["pivoting"] == "partial", "getrf: %s" % o)
(o,) = run_json("trtri", "-n", 20, "--diag", "u", "--uplo", "upper")
check(o["uplo"] == "upper" and o["diag"] == "u", "trtri: %s" % o)
(o,) = run_json("posv_mixed", "-n", 60, "--refine", "gmres", "--check")
check(o["refine"] == "gmres" and o["iterations"] > 0 and "precision" not in o, "posv_mixed: %s" % o)

for args, words in ((("ungqr", "-m", 5, "-n", 6), "-n 6: must be at most 5"),
                    (("unglq", "-m", 6, "-n", 5), "-m 6: must be at most 5"),
                    (("unmqr", "--type", "z", "--trans", "t"), "--trans t: must be n or c"),
                    (("gecon", "--uplo", "upper"), "--uplo"), (("posv_mixed", "--precision", "full"), "precision")):
    code, out, err = run(*args)
    check(code == 2 and words in err and err.count("\n") == 1, "%s: %d %s" % (args, code, err))

finish()
