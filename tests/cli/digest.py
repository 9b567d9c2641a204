"""The digest: recomputed from the saved result, and equal however the tasks were run."""
import sys

sys.dont_write_bytecode = True
from _cli import SLOW, TYPES, Matrix, check, digest, finish, folder, run_json

for letter in TYPES:
    for uplo in ("lower", "upper"):
        for layout in ("tiled", "wrapped"):
            for n in (0, 1, 37, 100):
                with folder() as place:
                    (o,) = run_json("potrf", "-n", n, "--nb", 16, "--type", letter, "--uplo", uplo,
                                    "--layout", layout, "--save", place)
                    result = Matrix(place + "/A.npy")
                    name = "%s %s %s n=%d" % (letter, uplo, layout, n)
                    check((result.rows, result.cols) == (n, n), "%s: shape" % name)
                    check(result.dtype == TYPES[letter][0], "%s: %s" % (name, result.dtype))
                    check(digest(result, uplo) == o["digest"], "%s: digest" % name)

# Equal bits whatever runs the tasks, and different ones for another seed.
n = 200 if SLOW else 500
for letter in TYPES:
    seen = set()
    for uplo in ("lower", "upper"):
        digests = set()
        for sched in ("lws", "prio", "eager", "rand", "serial"):
            for workers in (1, 2, 5):
                for priority in ("on", "off"):
                    if priority == "off" and (workers != 2 or sched == "serial"):
                        continue
                    (o,) = run_json("potrf", "-n", n, "--nb", 48, "--type", letter, "--uplo", uplo,
                                    "--sched", sched, "--workers", workers, "--priority", priority)
                    digests.add(o["digest"])
        check(len(digests) == 1, "%s %s: %s" % (letter, uplo, digests))
        seen |= digests
    (o,) = run_json("potrf", "-n", n, "--nb", 48, "--type", letter, "--seed", 43)
    check(o["digest"] not in seen, "%s: another seed, the same digest" % letter)

finish()
