"""Matrices in LAPACK's layout are worked on in place: the process grows by the matrices, by what the
algorithm needs besides, and by no copy."""
import sys

sys.dont_write_bytecode = True
from _cli import SLOW, check, finish, run_json

if SLOW:
    sys.exit(77)  # sanitizers keep memory of their own

N, MIB = 3000, 1 << 20
WORKSPACE = 24  # MiB: packed tiles, whose memory comes 16 MiB at a time, lists, tasks


def resident(op, n, letter):
    (o,) = run_json(op, "-n", n, "--layout", "wrapped", "--type", letter, "--workers", 2)
    return o["rss_mib"]


for letter, size in (("d", 8), ("c", 8), ("s", 4)):
    matrix = N * N * size / MIB
    for op, matrices in (("potrf", 1), ("getrf", 1), ("trtri", 1), ("lauum", 1), ("trsm", 2), ("gemm", 3)):
        grown = resident(op, N, letter) - resident(op, 8, letter)
        check(grown > 0.5 * matrices * matrix, "%s %s: grew by %g MiB only" % (op, letter, grown))
        check(grown < 1.05 * matrices * matrix + WORKSPACE,
              "%s %s: grew by %g MiB, the matrices have %g" % (op, letter, grown, matrices * matrix))
finish()
