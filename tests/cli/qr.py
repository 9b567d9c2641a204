"""QR, LQ and least squares: residuals over shapes and trees, digests, files, what is refused."""
import os
import sys

sys.dont_write_bytecode = True
from _cli import MASK, Matrix, check, digest, finish, folder, mix, run, run_json

TREES = ("auto", "flat", "binary", "greedy", "fibonacci")
SHAPES = ((0, 0), (0, 7), (7, 0), (1, 1), (31, 31), (32, 32), (33, 33), (97, 40), (40, 97), (300, 5))

# Shapes around the tile size, tall and wide, every tree.
for number, (m, n) in enumerate(SHAPES):
    for place, tree in enumerate(TREES):
        letter = "sdcz"[(number + place) % 4]
        for op in ("geqrf", "gelqf", "gels"):
            more = ("--nrhs", 3, "--trans", "nc"[number % 2]) if op == "gels" else ()
            (o,) = run_json(op, "-m", m, "-n", n, "--nb", 32, "--type", letter, "--tree", tree,
                            "--ib", 1 + 7 * place, "--check", *more)
            check(o["passed"] is True and o["info"] == 0, "%s %s %s: %s" % (op, letter, tree, o))
            if op != "gels":
                check(o["tree"] in TREES[1:] and (tree == "auto" or o["tree"] == tree), "%s" % o)
                check(o["ib"] >= 1, "ib %s" % o["ib"])

# Without right-hand sides there is nothing to solve.
(o,) = run_json("gels", "-m", 7, "-n", 5, "--nrhs", 0, "--nb", 4, "--check")
check(o["passed"] is True and o["residual"] == 0, "no right-hand sides: %s" % o)

# Chosen by the shape alone.
(o,) = run_json("geqrf", "-m", 2000, "-n", 16, "--nb", 16)
check(o["tree"] == "binary", "tall: %s" % o["tree"])
(o,) = run_json("geqrf", "-n", 100, "--nb", 16)
check(o["tree"] == "flat" and o["ib"] == 16, "square: %s" % o)

# The same bits from any number of workers and any scheduler; others from another tree.
for op in ("geqrf", "gelqf", "gels"):
    seen = {}
    for tree in TREES[1:]:
        for sched, workers in (("lws", 1), ("prio", 2), ("eager", 3), ("rand", 8), ("serial", 1)):
            (o,) = run_json(op, "-m", 150, "-n", 160, "--nb", 16, "--tree", tree, "--sched", sched,
                            "--workers", workers)
            seen.setdefault(tree, set()).add(o["digest"])
    check(all(len(s) == 1 for s in seen.values()), "%s: digests %s" % (op, seen))
    check(len(set.union(*seen.values())) == 4, "%s: trees alike: %s" % (op, seen))

# Branches, as on several ranks: other bits, right results, and no more of them than tile rows.
for op in ("geqrf", "gelqf", "gels"):
    seen = {}
    for branches in (None, 1, 2, 3, 9):
        more = ("--branches", branches) if branches else ()
        (o,) = run_json(op, "-m", 150, "-n", 90, "--nb", 32, "--check", *more)
        check(o["passed"] is True, "%s: %s" % (op, o))
        seen[branches] = o["digest"]
        rows = 3 if op == "gelqf" else 5
        check(o["branches"] == min(branches or 1, rows), "%s: %s" % (op, o))
    check(seen[None] == seen[1] and len(set(seen.values())) == (3 if op == "gelqf" else 4),
          "%s: %s" % (op, seen))
with folder() as place:
    run_json("geqrf", "-n", 60, "--nb", 32, "--branches", 2, "--save", place)
    check("tau.npy" not in os.listdir(place), "a tree of two branches has a tau")


def reflect(a, tau, m, n):
    """Q R from LAPACK's reflectors: H(1) ... H(k) R, column by column, in plain Python."""
    columns = [[a.at(i, j) if i <= j else 0 for i in range(m)] for j in range(n)]
    for column in columns:
        for k in reversed(range(min(m, n))):
            v = [1 if i == k else a.at(i, k) if i > k else 0 for i in range(m)]
            product = tau.at(k, 0) * sum(v[i].conjugate() * column[i] if i > k else column[i]
                                         for i in range(k, m))
            for i in range(k, m):
                column[i] -= product * v[i]
    return columns


# What is saved is what LAPACK would have left: A = H(1) H(2) ... R with the tau of the file.
for letter in "dz":
    with folder() as place:
        m, n = 40, 25
        (o,) = run_json("geqrf", "-m", m, "-n", n, "--nb", 8, "--ib", 3, "--tree", "flat", "--type",
                        letter, "--save", place)
        before, after = Matrix(place + "/A_in.npy"), Matrix(place + "/A.npy")
        check(o["digest"] == digest(after, "upper"), "digest of R")
        columns = reflect(after, Matrix(place + "/tau.npy"), m, n)
        worst = max(abs(columns[j][i] - before.at(i, j)) for i in range(m) for j in range(n))
        check(worst < 1e-13, "%s: Q R differs from A by %g" % (letter, worst))

# X solves the normal equations of what was saved.
with folder() as place:
    m, n = 30, 6
    (o,) = run_json("gels", "-m", m, "-n", n, "--nrhs", 2, "--nb", 8, "--save", place)
    a, b, x = (Matrix(place + "/" + name) for name in ("A_in.npy", "B_in.npy", "X.npy"))
    whole = sum(mix(mix(p) ^ bits) for p, bits in enumerate(x.bits)) & MASK
    check(o["digest"] == "%016x" % whole, "digest of X")
    for r in range(2):
        rest = [b.at(i, r) - sum(a.at(i, j) * x.at(j, r) for j in range(n)) for i in range(m)]
        worst = max(abs(sum(a.at(i, j) * rest[i] for i in range(m))) for j in range(n))
        check(worst < 1e-13, "gels: A^T (B - A X) is %g" % worst)
    (again,) = run_json("gels", "--load", place, "--nb", 8)
    check(again["digest"] == o["digest"], "gels --load")

# A zero column is told, counted from 1.
for m, n in ((60, 40), (40, 60)):
    (o,) = run_json("gels", "-m", m, "-n", n, "--nb", 8, "--matrix", "singular:13", "--check", status=1)
    check(o["info"] == 14 and o["passed"] is False, "singular: %s" % o)

# NaN ends, and does not pass the check.
(o,) = run_json("geqrf", "-n", 50, "--nb", 8, "--matrix", "nan:20,3", "--check", status=1)
check(o["passed"] is False, "nan: %s" % o)

# Refusals.
for args, words in ((("geqrf", "--ib", 0), "--ib 0"), (("geqrf", "--tree", "oak"), "--tree oak"),
                    (("geqrf", "--branches", 0), "--branches 0"),
                    (("geqrf", "--nrhs", 3), "nrhs"), (("geqrf", "--uplo", "upper"), "uplo"),
                    (("gels", "-n", 5, "--type", "z", "--trans", "t"), "argument 1")):
    status, out, err = run(*args)
    check(status == 2 and words in err and not out, "%s: %d %s" % (args, status, err))

finish()
