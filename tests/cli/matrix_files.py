"""--load and --b of files: .npy and Matrix Market, in all their kinds, and what is wrong with them."""
import itertools
import os
import sys

sys.dont_write_bytecode = True
from _cli import Matrix, check, finish, folder, run, run_json, write_npy


def write(path, banner, sizes, lines):
    with open(path, "w") as f:
        f.write("%%%%MatrixMarket matrix %s\n%% a comment\n\n%s\n" % (banner, sizes))
        f.write("".join(line + "\n" for line in lines))


def text(x, field):
    return {"real": repr(x.real), "integer": "%d" % x.real, "complex": "%r %r" % (x.real, x.imag), "pattern": ""}[field]


def entries(n, field, symmetry):
    """A matrix as a dictionary of what a file holds, and as what it is."""
    held, whole = {}, [[0] * n for _ in range(n)]
    for i, j in itertools.product(range(n), range(n)):
        if (symmetry != "general" and i < j) or (symmetry == "skew-symmetric" and i == j) or (i + 2 * j) % 3 == 2:
            continue
        x = complex(i + 1, j - 2 if field == "complex" and not (symmetry == "hermitian" and i == j) else 0)
        x = 1 if field == "pattern" else x
        held[i, j] = complex(x)
        whole[i][j] = x
        if symmetry != "general" and i != j:
            conj = complex(x).conjugate()
            whole[j][i] = conj if symmetry == "hermitian" else -x if symmetry == "skew-symmetric" else x
    return held, whole


def loaded(place, *args):
    """The input A as the command saw it."""
    (o,) = run_json("getrf", "--load", place + "/x.mtx", "--nb", 3, "--pivoting", "none", "--save", place + "/out", *args)
    return o, Matrix(place + "/out/A_in.npy")


n = 7
for field, symmetry in itertools.product(("real", "integer", "complex", "pattern"),
                                         ("general", "symmetric", "hermitian", "skew-symmetric")):
    held, whole = entries(n, field, symmetry)
    for form in ("coordinate", "array"):
        if form == "array" and field == "pattern":
            continue
        with folder() as place:
            if form == "coordinate":
                lines = ["%d %d %s" % (i + 1, j + 1, text(x, field)) for (i, j), x in reversed(list(held.items()))]
                sizes = "%d %d %d" % (n, n, len(lines))
            else:
                first = {"general": lambda j: 0, "skew-symmetric": lambda j: j + 1}.get(symmetry, lambda j: j)
                lines = [text(held.get((i, j), 0j), field) for j in range(n) for i in range(first(j), n)]
                sizes = "%d %d" % (n, n)
            write(place + "/x.mtx", "%s %s %s" % (form, field, symmetry), sizes, lines)
            code, out, err = run("geqrf", "--load", place + "/x.mtx", "--nb", 3, "--save", place + "/out", "--json")
            check(code == 0, "%s %s %s: %s" % (form, field, symmetry, err))
            a = Matrix(place + "/out/A_in.npy")
            check(a.dtype == ("<c16" if field == "complex" else "<f8"), "type %s" % a.dtype)
            check(all(a.at(i, j) == whole[i][j] for i in range(n) for j in range(n)),
                  "%s %s %s is not what was read" % (form, field, symmetry))

# Any case, blanks, several entries on a line, no end of the last line; entries that come twice add up.
with folder() as place:
    with open(place + "/x.mtx", "w") as f:
        f.write("%%matrixmarket MATRIX Coordinate Real General\n%c\n 2   3 4\n1 1 2.5 2 3 -1e2\n\n 1 1 0.5\n2 1 4")
    run_json("geqrf", "--load", place + "/x.mtx", "--save", place)
    a = Matrix(place + "/A_in.npy")
    check((a.rows, a.cols, a.at(0, 0), a.at(1, 2), a.at(1, 0), a.at(0, 1)) == (2, 3, 3, -100, 4, 0), "free form")

# The type is what --type says, or the other file's.
with folder() as place:
    write(place + "/x.mtx", "coordinate real symmetric", "2 2 3", ["1 1 4", "2 2 4", "2 1 1"])
    write(place + "/z.mtx", "array complex general", "2 1", ["1 2", "3 4"])
    write_npy(place + "/b.npy", [1.0, 2.0, 3.0, 4.0], 2, 2, letter="s")
    write(place + "/three.mtx", "coordinate real general", "3 3 3", ["1 1 4", "2 2 4", "3 3 1"])
    for letter in "sdcz":
        (o,) = run_json("potrf", "--load", place + "/x.mtx", "--type", letter, "--check")
        check(o["type"] == letter and o["n"] == 2 and o["passed"] is True, "%s" % o)
    (o,) = run_json("posv", "--load", place + "/x.mtx", "--b", place + "/b.npy", "--check")
    check(o["type"] == "s" and o["nrhs"] == 2 and o["passed"] is True and o["seed"] is None, "%s" % o)
    check(o["matrix"] == "load", "%s" % o)
    (o,) = run_json("posv", "--load", place + "/x.mtx", "--check")
    check(o["nrhs"] == 1 and o["seed"] == 42 and o["passed"] is True, "B from the seed: %s" % o)
    (o,) = run_json("posv", "--b", place + "/b.npy", "--check", "--save", place + "/out")
    check(o["n"] == 2 and o["seed"] == 42 and o["matrix"] == "spd" and o["passed"] is True, "A from the seed: %s" % o)
    b = Matrix(place + "/out/B_in.npy")
    check([b.at(i, j) for j in range(2) for i in range(2)] == [1, 2, 3, 4], "B is not what was read")
    (o,) = run_json("gemm", "--load", place + "/x.mtx", "--b", place + "/b.npy", "--check")
    check((o["m"], o["n"], o["k"]) == (2, 2, 2) and o["passed"] is True, "gemm: %s" % o)
    for args, words in ((("posv", "--load", "x.mtx", "--b", "z.mtx"), "--type d: must be c or z, because z.mtx is complex"),
                        (("posv", "--load", "x.mtx", "-n", 3), "-n 3: must be 2, the size of x.mtx"),
                        (("posv", "--load", "three.mtx", "--b", "b.npy"),
                         "--load three.mtx: must have 2 rows to go with b.npy, but has 3"),
                        (("posv", "--load", "x.mtx", "--b", "three.mtx"),
                         "--b three.mtx: must have 2 rows to go with x.mtx, but has 3"),
                        (("posv", "--b", "b.npy", "--nrhs", 5), "--nrhs 5: must be 2, the size of b.npy"),
                        (("potrf", "--load", "z.mtx"), "--load z.mtx: it must be square for potrf, but is 2 by 1"),
                        (("posv", "--load", "x.mtx", "--type", "d", "--b", "b.npy"), "--type d: must be s"),
                        (("posv", "--b", "no.mtx"), "--b no.mtx: no.mtx cannot be read"),
                        (("potrf", "--load", "x.mtx", "--matrix", "spd"), "--matrix spd")):
        code, out, err = run(*[place + "/" + a if str(a)[-4:] in (".mtx", ".npy") else a for a in args])
        check(code == 2 and words in err.replace(place + "/", "") and err.count("\n") == 1, "%s: %d %s" % (args, code, err))

# What is wrong is told with its line.
GOOD = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n2 2 4\n"
WRONG = [
    ("", "begin with %%MatrixMarket"), (GOOD.replace("%%Matrix", "%Matrix"), "line 1"), (GOOD.replace("matrix", "vector"), "line 1"),
    (GOOD.replace("coordinate", "elemental"), "array or coordinate"), (GOOD.replace("real", "quaternion"), "line 1: entries must be"),
    (GOOD.replace("general", "upper"), "line 1: the symmetry must"), (GOOD.replace("2 2 2", "2 2"), "line 3"),
    (GOOD.replace("2 2 2", "-2 2 2"), "line 2: there must be the numbers"), (GOOD.replace("2 2 2", "2 2 x"), "line 2: there must be the number of"),
    (GOOD.replace("2 2 2", "2 2 3"), "line 4: an entry must"), (GOOD.replace("2 2 2", "2 2 1"), "line 4: there are more"),
    (GOOD.replace("2 2 4", "3 2 4"), "line 4: an entry must begin"), (GOOD.replace("2 2 4", "0 2 4"), "line 4"),
    (GOOD.replace("2 2 4", "2 2 4x"), "line 4: an entry has no value"), (GOOD.replace("2 2 4", "2 2"), "line 4: an entry has no value"),
    (GOOD.replace("general", "symmetric").replace("2 2 2", "2 3 2"), "must be square"),
    ("%%MatrixMarket matrix array pattern general\n2 2\n", "line 1: a pattern"),
    ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "line 5: an entry is missing"),
    ("%%MatrixMarket matrix array real general\n99999999999 2\n1\n", "line 2"),
]
with folder() as place:
    for content, words in WRONG:
        with open(place + "/x.mtx", "w") as f:
            f.write(content)
        code, out, err = run("potrf", "--load", place + "/x.mtx")
        check(code == 2 and out == "" and err.count("\n") == 1 and words in err, "%r: %d %s" % (content, code, err))
    with open(place + "/x.mtx", "w") as f:
        f.write("%%MatrixMarket matrix coordinate pattern general\n2000000 2000000 1\n1 1\n")
    code, out, err = run("potrf", "--load", place + "/x.mtx")
    check(code == 3 and "TiB" in err, "too large: %d %s" % (code, err))
    os.chmod(place + "/x.mtx", 0o644)

# One .npy file as A, in either order of its elements.
with folder() as place:
    for fortran in (True, False):
        write_npy(place + "/any.npy", [4.0, 1.0, 2.0, 5.0], 2, 2, fortran=fortran)
        run_json("getrf", "--load", place + "/any.npy", "--save", place)
        a = Matrix(place + "/A_in.npy")
        check(a.at(1, 0) == (1 if fortran else 2) and a.at(0, 1) == (2 if fortran else 1), "order of any.npy")

finish()
