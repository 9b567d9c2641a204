"""Products of matrices and triangular solves: residuals over letters and shapes, results multiplied out
here, equal digests, and options that make no sense."""
import itertools
import sys

sys.dont_write_bytecode = True
from _cli import SLOW, TYPES, Matrix, check, digest, finish, folder, run, run_json

RANK = ("syrk", "herk", "syr2k", "her2k")


def letters(op):
    """Every list of options that makes a difference to the operation."""
    sides, uplos = [("--side", s) for s in "lr"], [("--uplo", u) for u in ("lower", "upper")]
    trans, diags = [("--trans", t) for t in "ntc"], [("--diag", d) for d in "nu"]
    if op == "gemm":
        tables = [[("--transa", t) for t in "ntc"], [("--transb", t) for t in "ntc"]]
    elif op == "summa":
        tables = []
    elif op in ("symm", "hemm"):
        tables = [sides, uplos]
    elif op in RANK:
        tables = [uplos, trans]
    else:
        tables = [sides, uplos, trans, diags]
    return [sum(choice, ()) for choice in itertools.product(*tables)]


def refused(op, letter, options):
    """The wrong kind of transpose of a complex matrix."""
    wrong = "t" if op in ("herk", "her2k") else "c"
    return op in RANK and letter in "cz" and options[-1] == wrong


def sizes(op, m, n, k):
    return ("-m", m, "-n", n, "-k", k) if op in ("gemm", "summa") else \
        ("-n", n, "-k", k) if op in RANK else ("-m", m, "-n", n)


OPERATIONS = ("gemm", "summa", "symm", "hemm") + RANK + ("trmm", "trsm")
SHAPES = [(33, 17, 40), (8, 50, 0), (7, 9, 23)]
count = 0
for op in OPERATIONS:
    for options in letters(op):
        count += 1
        letter = "sdcz"[count % 4]
        shape = SHAPES[count % 3]
        if refused(op, letter, options):
            code, out, err = run(op, *sizes(op, *shape), "--type", letter, *options)
            check(code == 2 and "--trans %s: must be n or" % options[-1] in err and out == "", "%s %s: %d %s" % (
                op, options, code, err))
            continue
        (o,) = run_json(op, *sizes(op, *shape), "--nb", 8, "--type", letter, "--layout",
                        ("tiled", "wrapped")[count % 2], "--check", *options)
        check(o["passed"] is True and o["info"] == 0 and o["op"] == op, "%s %s: %s" % (op, options, o))
        for name, value in zip(options[::2], options[1::2]):
            check(o[name[2:]] == value, "%s is not in the report: %s" % (name, o))

# Nothing, one element, around the tile size.
for op in OPERATIONS:
    for n in (0, 1, 15, 16, 17):
        (o,) = run_json(op, *sizes(op, n, n, n), "--nb", 16, "--type", "z", "--check")
        check(o["passed"] is True and o["m"] == n, "%s n=%d: %s" % (op, n, o))

# The same bits over workers and schedulers.
for op in OPERATIONS:
    digests = set()
    for workers, sched in ((1, "serial"), (1, "lws"), (2, "lws"), (3, "rand"), (8, "prio"), (2, "eager")):
        (o,) = run_json(op, "-n", 60, "--nb", 16, "--type", "c", "--workers", workers, "--sched", sched)
        digests.add(o["digest"])
    (o,) = run_json(op, "-n", 60, "--nb", 16, "--type", "c", "--priority", "off")
    digests.add(o["digest"])
    check(len(digests) == 1, "%s: %s" % (op, digests))

# Multiplied out here. The factors are those of the manual.
n, k = 13, 9
for letter in TYPES:
    alpha = 0.7 - 0.3j if letter in "cz" else 0.7
    eps = 1e-4 if letter in "sc" else 1e-12
    with folder() as place:
        (o,) = run_json("gemm", "-m", 11, "-n", n, "-k", k, "--nb", 4, "--type", letter, "--transb", "c",
                        "--save", place)
        a, b = Matrix(place + "/A_in.npy"), Matrix(place + "/B_in.npy")
        before, after = Matrix(place + "/C_in.npy"), Matrix(place + "/C.npy")
        check(o["digest"] == digest(after), "gemm: digest")
        for i in range(11):
            for j in range(n):
                want = 1.1 * before.at(i, j) + alpha * sum(
                    a.at(i, q) * b.at(j, q).conjugate() for q in range(k))
                check(abs(after.at(i, j) - want) < eps, "gemm %s (%d, %d)" % (letter, i, j))
        (o,) = run_json("trsm", "-m", n, "-n", 5, "--nb", 4, "--type", letter, "--uplo", "upper", "--save",
                        place)
        a, before, after = Matrix(place + "/A_in.npy"), Matrix(place + "/B_in.npy"), Matrix(place + "/B.npy")
        for i in range(n):
            for j in range(5):
                got = sum(a.at(i, q) * after.at(q, j) for q in range(i, n))
                check(abs(got - alpha * before.at(i, j)) < eps, "trsm %s (%d, %d)" % (letter, i, j))
        (o,) = run_json("herk", "-n", n, "-k", k, "--nb", 4, "--type", letter, "--save", place)
        a, before, after = Matrix(place + "/A_in.npy"), Matrix(place + "/C_in.npy"), Matrix(place + "/C.npy")
        for i in range(n):
            for j in range(n):
                want = 1.1 * before.at(i, j) + 0.7 * sum(
                    a.at(i, q) * a.at(j, q).conjugate() for q in range(k)) if i >= j else before.at(i, j)
                check(abs(after.at(i, j) - want) < eps, "herk %s (%d, %d)" % (letter, i, j))
        # What was saved can be loaded, and gives the same.
        (again,) = run_json("herk", "--nb", 4, "--load", place)
        check(again["digest"] == o["digest"] and again["k"] == k, "load: %s" % again)

# Tiles large enough for Twill's own products: several tiles of C at once with few workers, one by one
# with many, and the same bits.
if not SLOW:
    for letter in "sd":
        for transa, transb in (("n", "n"), ("t", "n"), ("n", "t"), ("t", "t")):
            digests = set()
            for workers in (1, 2, 16):
                (o,) = run_json("gemm", "-m", 740, "-n", 700, "-k", 330, "--nb", 104, "--type", letter,
                                "--transa", transa, "--transb", transb, "--workers", workers, "--check")
                check(o["passed"] is True, "tiles at once: %s" % o)
                digests.add(o["digest"])
            check(len(digests) == 1, "tiles at once: %s" % digests)

# A wrong answer is noticed: NaN in, NaN out.
(o,) = run_json("gemm", "-n", 20, "--matrix", "nan:3,4", "--check", status=1)
check(o["passed"] is False, "NaN passed: %s" % o)

for args, words in ((("gemm", "--side", "l"), "--side"), (("symm", "-k", "5"), "-k"),
                    (("syrk", "-m", "5"), "-m"), (("trsm", "--transa", "t"), "--transa"),
                    (("gemm", "--trans", "t"), "--trans"), (("trmm", "--front", "ptg"), "--front")):
    code, out, err = run(*args)
    check(code == 2 and words in err and err.count("\n") == 1, "%s: %d %s" % (args, code, err))

finish()
