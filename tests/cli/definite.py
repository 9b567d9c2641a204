"""posv, potri, trtri, lauum, sysv and hesv: residuals, info, digests, files, mixed precision."""
import sys

sys.dont_write_bytecode = True
from _cli import TYPES, Matrix, check, digest, finish, folder, run, run_json

OPERATIONS = ("posv", "potri", "trtri", "lauum", "sysv", "hesv")
SOLVES = ("posv", "sysv", "hesv")


def columns(op, nrhs):
    return ("--nrhs", nrhs) if op in SOLVES else ()


# Around the tile size, all types and triangles.
for op in OPERATIONS:
    for letter in TYPES:
        for uplo in ("lower", "upper"):
            few = ((49, 50), (97, 3))
            for n, nrhs in ((0, 1), (1, 2), (47, 0)) + few if letter == "d" else few:
                (o,) = run_json(op, "-n", n, "--nb", 48, "--type", letter, "--uplo", uplo,
                                *columns(op, nrhs), "--check")
                check(o["passed"] is True and o["info"] == 0,
                      "%s %s %s n=%d: %s" % (op, letter, uplo, n, o))

# Bits are equal whoever computes them, and the digest is that of the saved result.
for op in OPERATIONS:
    seen = set()
    for sched, workers in (("lws", 1), ("prio", 2), ("eager", 3), ("rand", 8), ("serial", 1)):
        with folder() as place:
            (o,) = run_json(op, "-n", 130, "--nb", 40, "--type", "z", "--sched", sched, "--workers",
                            workers, "--save", place, *columns(op, 3))
            result = Matrix(place + ("/X.npy" if op in SOLVES else "/A.npy"))
            check(digest(result, None if op in SOLVES else "lower") == o["digest"], op + ": digest")
        seen.add(o["digest"])
    check(len(seen) == 1, "%s: %s" % (op, seen))

# info: LAPACK's, counted in the whole matrix.
for i in (0, 31, 32, 59):
    for op in ("posv", "potri"):
        (o,) = run_json(op, "-n", 60, "--nb", 16, "--matrix", "notspd:%d" % i, "--check", status=1)
        check(o["info"] == i + 1 and o["passed"] is False, "%s notspd:%d: %s" % (op, i, o))
    (o,) = run_json("trtri", "-n", 60, "--nb", 16, "--matrix", "singular:%d" % i, status=1)
    check(o["info"] == i + 1, "trtri singular:%d: %s" % (i, o))
for op in ("sysv", "hesv"):
    for uplo in ("lower", "upper"):
        (o,) = run_json(op, "-n", 60, "--nb", 16, "--type", "z", "--uplo", uplo, "--matrix",
                        "singular:7", status=1)
        check(o["info"] > 0, "%s singular: %s" % (op, o))

# Mixed precision: as good, and its steps are told.
for op in ("posv", "gesv"):
    for precision in ("full", "mixed", "gmres"):
        for letter in "dz":
            (o,) = run_json(op, "-n", 200, "--nb", 48, "--type", letter, "--nrhs", 3, "--precision",
                            precision, "--check")
            check(o["passed"] is True and o["precision"] == precision, "%s: %s" % (op, o))
            check((o["iterations"] > 0) == (precision != "full"), "%s: %s" % (op, o))
    code, out, err = run(op, "-n", 10, "--type", "s", "--precision", "mixed")
    check(code == 2 and "--type s: must be d or z" in err, "single precision cannot be refined: %s" % err)
code, out, err = run("posv", "--precision", "half")
check(code == 2 and "full, mixed" in err.replace("|", ", "), "precision: %s" % err)

finish()
