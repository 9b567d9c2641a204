"""--save and --load: what is saved is what was used, and can be used again."""
import os
import shutil
import struct
import sys

sys.dont_write_bytecode = True
from _cli import TYPES, Matrix, check, finish, folder, run, run_json, write_npy

# Round trips: the loaded input gives the same result, bit by bit.
for letter in TYPES:
    for layout in ("tiled", "wrapped"):
        for n, nb in ((0, 5), (1, 5), (23, 5), (64, 16)):
            with folder() as first, folder() as second:
                name = "%s %s n=%d" % (letter, layout, n)
                (o,) = run_json("potrf", "-n", n, "--nb", nb, "--type", letter, "--layout", layout,
                                "--save", first, "--seed", 5)
                (p,) = run_json("potrf", "--load", first, "--nb", nb, "--layout", layout, "--save",
                                second, "--check", "--repeat", 1)
                check(o["digest"] == p["digest"], "%s: digests" % name)
                check(p["n"] == n and p["type"] == letter, "%s: from the file" % name)
                check(p["passed"] is True, "%s: residual %s" % (name, p["residual"]))
                check(p["matrix"] == "load" and p["seed"] is None, "%s: %s" % (name, p))
                for file in ("A_in.npy", "A.npy"):
                    with open(first + "/" + file, "rb") as f, open(second + "/" + file, "rb") as g:
                        check(f.read() == g.read(), "%s: %s differs" % (name, file))
                check(sorted(os.listdir(second)) == ["A.npy", "A_in.npy"], "%s: leftovers" % name)

# Loading from and saving into one folder, and A.npy where there is no A_in.npy.
with folder() as place:
    run("potrf", "-n", 20, "--nb", 8, "--save", place + "/new")
    before = Matrix(place + "/new/A_in.npy").bits
    run_json("potrf", "--load", place + "/new", "--save", place + "/new", "--repeat", 2)
    check(Matrix(place + "/new/A_in.npy").bits == before, "the input changed")
    os.mkdir(place + "/only")
    shutil.copy(place + "/new/A_in.npy", place + "/only/A.npy")
    (o,) = run_json("potrf", "--load", place + "/only", "--check")
    check(o["passed"] is True, "A.npy alone: %s" % o)

# Rows first, and newer versions of the format.
n = 9
values = [[(10.0 if i == j else 0.1 * (i + 1) * (j + 1) / n) for j in range(n)] for i in range(n)]
by_columns = [values[i][j] for j in range(n) for i in range(n)]
marked = [row[:] for row in values]
marked[1][7] = 99.0  # above the diagonal, so the two orders differ
with folder() as place:
    digests = set()
    for order, fortran, version in (("columns", True, 1), ("rows", False, 1), ("columns", True, 2),
                                    ("rows", False, 3)):
        flat = ([marked[i][j] for j in range(n) for i in range(n)] if fortran else
                [marked[i][j] for i in range(n) for j in range(n)])
        write_npy(place + "/A.npy", flat, n, n, fortran=fortran, version=version)
        out = place + "/out"
        (o,) = run_json("potrf", "--load", place, "--nb", 4, "--save", out)
        digests.add(o["digest"])
        check(Matrix(out + "/A_in.npy").at(1, 7) == 99.0, "%s: transposed" % order)
    check(len(digests) == 1, "orders of the file: %s" % digests)
    header = "{'shape': (9, 9), 'fortran_order': True, 'descr': '<f8'}"
    write_npy(place + "/A.npy", by_columns, n, n, header=header)
    run_json("potrf", "--load", place)

# Sizes and types that contradict the file.
with folder() as place:
    run("potrf", "-n", 20, "--save", place)
    run_json("potrf", "--load", place, "-n", 20, "--type", "d")
    for args, word in ((["-n", 21], "-n 21"), (["--type", "s"], "--type s"),
                       (["--matrix", "spd"], "--matrix spd")):
        code, out, err = run("potrf", "--load", place, *args)
        check(code == 2 and word in err and err.count("\n") == 1, "%s: %d %s" % (args, code, err))


def refused(place, what):
    code, out, err = run("potrf", "--load", place)
    check(code == 2, "%s: status %d: %s" % (what, code, err))
    check(out == "" and err.count("\n") == 1 and "A.npy" in err, "%s: %s%s" % (what, out, err))


GOOD = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }"
HEADERS = [
    "", "{", "{}", "nonsense", GOOD[:-1], GOOD + "x", GOOD.replace("2, 2", "2"),
    GOOD.replace("2, 2", "4,"), GOOD.replace("2, 2", "2, 2, 1"), GOOD.replace("2, 2", "-2, -2"),
    GOOD.replace("2, 2", "2.0, 2"), GOOD.replace("2, 2", "1, 4"), GOOD.replace("2, 2", "3, 2"),
    GOOD.replace("(2, 2)", "[2, 2]"), GOOD.replace("True", "Maybe"), GOOD.replace("True", "1"),
    GOOD.replace("<f8", ">f8"), GOOD.replace("<f8", "<i4"), GOOD.replace("<f8", "|O"),
    GOOD.replace("<f8", "<f2"), GOOD.replace("'descr': '<f8', ", ""),
    GOOD.replace("'shape': (2, 2), ", ""), GOOD.replace("'descr'", "'desc'"),
    GOOD.replace("2, 2", "4294967296, 4294967296"),
    GOOD.replace("2, 2", "9223372036854775807, 9223372036854775807"),
    GOOD.replace("2, 2", "2305843009213693952, 8"), GOOD.replace("2, 2", "99999999999999999999, 1"),
    GOOD.replace("2, 2", "4611686018427387904, 4"), GOOD.replace(", }", ", 'more': 1}"),
    GOOD.replace("<f8", "<f8\0"), GOOD + " " * 5000,
]
with folder() as place:
    path = place + "/A.npy"
    for header in HEADERS:
        write_npy(path, [4.0, 1.0, 1.0, 4.0], 2, 2, header=header)
        refused(place, "header %s" % header.strip())
    write_npy(path, [4.0, 1.0, 1.0, 4.0], 2, 2)
    with open(path, "rb") as f:
        good = f.read()
    (o,) = run_json("potrf", "--load", place, "--check")
    check(o["passed"] is True, "a good file: %s" % o)
    for cut in list(range(0, 12)) + [50, 127, 128, 129, 152, len(good) - 1]:
        with open(path, "wb") as f:
            f.write(good[:cut])
        refused(place, "cut to %d bytes" % cut)
    for what, data in (("more data", good + b"\0"), ("magic", b"\x92" + good[1:]),
                       ("version", good[:6] + b"\x09" + good[7:]),
                       ("length", good[:8] + struct.pack("<H", 65535) + good[10:]),
                       ("version 2 length", good[:6] + b"\x02\x00\xff\xff\xff\xff" + good[12:])):
        with open(path, "wb") as f:
            f.write(data)
        refused(place, what)
    os.unlink(path)
    refused(place, "no file")
    os.mkdir(path)
    refused(place, "a folder")

# What NumPy saves of lists: vectors, which are columns, and integers of 64 bits.
with folder() as place:
    spd = [[5, -1, 2], [-1, 7, 0], [2, 0, 6]]
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }"
    for order in (True, False):
        write_npy(place + "/a.npy", [struct.unpack("<d", struct.pack("<q", x))[0] for row in spd for x in row], 3, 3,
                  header=(header % ("<i8", "3, 3")).replace("False", str(order)))
        write_npy(place + "/b.npy", [1.0, 2.0, 4.0], 3, 1, header=header % ("<f8", "3,"))
        (o,) = run_json("posv", "--load", place + "/a.npy", "--b", place + "/b.npy", "--check", "--save", place + "/out")
        check(o["passed"] is True and (o["type"], o["n"], o["nrhs"]) == ("d", 3, 1), "a vector: %s" % o)
        a, b = Matrix(place + "/out/A_in.npy"), Matrix(place + "/out/B_in.npy")
        check([[a.at(i, j) for j in range(3)] for i in range(3)] == spd, "integers are not what was read")
        check((b.rows, b.cols) == (3, 1) and [b.at(i, 0) for i in range(3)] == [1, 2, 4], "a vector is not what was read")

# A folder that cannot be written.
with folder() as place:
    open(place + "/file", "w").close()
    code, out, err = run("potrf", "-n", 5, "--save", place + "/file")
    check(code in (2, 3) and err.count("\n") == 1 and "--save" in err, "a file: %d %s" % (code, err))

finish()
