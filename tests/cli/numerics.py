"""Residuals over shapes, types, triangles and layouts; info of matrices that are not positive
definite; the factor itself, multiplied out here."""
import sys

sys.dont_write_bytecode = True
from _cli import SLOW, TYPES, Matrix, check, finish, folder, run_json

# Around the tile size, both layouts.
for letter in TYPES:
    for uplo in ("lower", "upper"):
        for layout in ("tiled", "wrapped"):
            for n in (0, 1, 2, 199, 200, 201):
                (o,) = run_json("potrf", "-n", n, "--nb", 200, "--type", letter, "--uplo", uplo,
                                "--layout", layout, "--check")
                check(o["passed"] is True and o["info"] == 0, "%s %s %s n=%d: %s" % (
                    letter, uplo, layout, n, o))
            (o,) = run_json("potrf", "-n", 201, "--nb", 7, "--type", letter, "--uplo", uplo,
                            "--layout", layout, "--check")
            check(o["passed"] is True, "nb 7: %s" % o)
            (o,) = run_json("potrf", "-n", 150, "--type", letter, "--uplo", uplo, "--layout",
                            layout, "--check")
            check(o["passed"] is True, "chosen nb: %s" % o)

# info is the order of the first bad minor, counted in the whole matrix.
n = 60
for letter in TYPES:
    for uplo in ("lower", "upper"):
        for kind in ("notspd", "singular"):
            for i in (0, 1, 15, 16, 17, 31, 32, n - 1):
                (o,) = run_json("potrf", "-n", n, "--nb", 16, "--type", letter, "--uplo", uplo,
                                "--matrix", "%s:%d" % (kind, i), "--check", status=1)
                check(o["info"] == i + 1, "%s %s %s:%d: info %d" % (letter, uplo, kind, i, o["info"]))
                check(o["passed"] is False and o["residual"] is None, "%s" % o)
                # Four tiles in a row make 20 tasks; a failure before the last tile leaves some out.
                check(o["tasks"] + o["skipped"] <= 20, "too many tasks: %s" % o)
                check(o["tasks"] < 20 or i >= 48, "nothing was left out: %s" % o)
        for i, j in ((0, 0), (20, 3), (3, 20), (n - 1, 40)):
            (o,) = run_json("potrf", "-n", n, "--nb", 16, "--type", letter, "--uplo", uplo,
                            "--matrix", "nan:%d,%d" % (i, j), status=1)
            check(o["info"] == max(i, j) + 1, "nan:%d,%d: info %d" % (i, j, o["info"]))
            check(o["passed"] is None, "not checked: %s" % o)

# A random Hermitian matrix is not positive definite; many workers and schedulers agree where.
infos = set()
for sched in ("lws", "prio", "eager", "rand", "serial"):
    for workers in (1, 2, 4):
        for again in range(1 if SLOW else 3):
            (o,) = run_json("potrf", "-n", 100, "--nb", 10, "--matrix", "random", "--sched", sched,
                            "--workers", workers, status=1)
            infos.add(o["info"])
check(len(infos) == 1 and infos.pop() > 0, "random: %s" % infos)


def product(factor, uplo, i, j):
    """Element (i, j) of L L^H or U^H U."""
    total = 0
    for k in range(min(i, j) + 1):
        if uplo == "lower":
            total += factor.at(i, k) * factor.at(j, k).conjugate()
        else:
            total += factor.at(k, i).conjugate() * factor.at(k, j)
    return total


n = 30
for letter in TYPES:
    eps = 1e-5 if letter in "sc" else 1e-13
    for uplo in ("lower", "upper"):
        with folder() as place:
            run_json("potrf", "-n", n, "--nb", 8, "--type", letter, "--uplo", uplo, "--save", place)
            a, f = Matrix(place + "/A_in.npy"), Matrix(place + "/A.npy")
        name = "%s %s" % (letter, uplo)
        inside = [(i, j) for i in range(n) for j in range(n) if (i >= j) == (uplo == "lower") or i == j]
        check(all(abs(product(f, uplo, i, j) - a.at(i, j)) < eps * n * n for i, j in inside),
              "%s: the product is not the matrix" % name)
        outside = [(i, j) for i in range(n) for j in range(n) if (i, j) not in set(inside)]
        check(all(f.at(i, j) == a.at(i, j) for i, j in outside), "%s: other triangle" % name)
        check(all(a.at(i, j) == a.at(j, i).conjugate() for i in range(n) for j in range(n)),
              "%s: the input is not Hermitian" % name)
        # n on the diagonal, and random entries in (-0.5, 0.5).
        check(all(abs(a.at(i, i) - n) <= 0.5 for i in range(n)), "%s: diagonal" % name)

finish()
