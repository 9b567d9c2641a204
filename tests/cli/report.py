"""What potrf reports: the keys of --json and their order, numbers that can be known, the line."""
import re
import sys

sys.dont_write_bytecode = True
from _cli import SLOW, check, finish, run, run_json

KEYS = ("op type m n k nrhs nb ib workers ranks grid sched front mode reserved devices lookahead "
        "tree seed run seconds gflops residual threshold passed info digest rss_mib messages bytes "
        "uplo layout matrix tasks skipped").split()
KNOWN = {"op": "potrf", "type": "d", "m": 300, "n": 300, "k": None, "nrhs": None, "nb": 64,
         "ib": None, "workers": 2, "ranks": 1, "grid": "1x1", "sched": "prio", "front": "ptg",
         "mode": "regular", "reserved": 0, "devices": "cpu", "lookahead": None, "tree": None,
         "seed": 7, "residual": None, "threshold": 30, "passed": None, "info": 0, "messages": 0,
         "bytes": 0, "uplo": "upper", "layout": "tiled", "matrix": "spd", "tasks": 35,
         "skipped": 0}

ARGS = ["potrf", "-n", 300, "--nb=64", "--workers", 2, "--sched", "prio", "--uplo", "upper",
        "--seed", 7]

objects = run_json(*ARGS, "--repeat", 3)
check([o["run"] for o in objects] == [1, 2, 3], "runs: %s" % [o["run"] for o in objects])
check(len({o["digest"] for o in objects}) == 1, "runs from the same input differ")
for o in objects:
    check(list(o) == KEYS, "keys: %s" % list(o))
    for key, value in KNOWN.items():
        check(o.get(key, "missing") == value, "%s is %s, not %s" % (key, o.get(key), value))
    check(re.fullmatch("[0-9a-f]{16}", o["digest"]), "digest %s" % o["digest"])
    flops = 300**3 / 3 + 300**2 / 2 + 300 / 6
    check(abs(o["gflops"] * o["seconds"] * 1e9 / flops - 1) < 1e-6, "flops of potrf")
    check(0 < o["seconds"] < 60 and o["rss_mib"] > 1, "seconds, rss_mib: %s" % o)

# Complex arithmetic counts 6 for a multiplication and 2 for an addition.
for o in run_json(*ARGS, "--type", "z"):
    muls, adds = 300**3 / 6 + 300**2 / 2 + 300 / 3, 300**3 / 6 - 300 / 6
    check(abs(o["gflops"] * o["seconds"] * 1e9 / (6 * muls + 2 * adds) - 1) < 1e-6, "flops of z")

# Defaults.
(o,) = run_json("potrf", "-n", 600, "--check")
check(o["type"] == "d" and o["seed"] == 42 and o["run"] == 1 and o["sched"] == "lws", "defaults")
check(o["passed"] is True and 0 <= o["residual"] < 30, "check: %s" % o)
check(o["nb"] >= 1, "a tile size is chosen: %s" % o["nb"])

# The variable decides when no option does.
(o,) = run_json("potrf", "-n", 10, env={"TWILL_SCHED": "eager", "TWILL_WORKERS": "3"})
check(o["sched"] == "eager" and o["workers"] == 3, "environment: %s" % o)
(o,) = run_json("potrf", "-n", 10, "--sched", "prio", env={"TWILL_SCHED": "eager"})
check(o["sched"] == "prio", "the option comes before the environment: %s" % o)

# For a person.
code, out, err = run("potrf", "-n", 600, "--nb", 100, "--check", "--repeat", 2)
check(code == 0 and err == "", "status %d: %s" % (code, err))
line = re.compile(r"potrf  d  n 600  nb 100  \d+ workers?  lws +[\d.]+ m?s +[\d.]+ GFLOP/s"
                  r" +\d+% of GEMM  residual [\d.e-]+  PASSED")
check(len(out.splitlines()) == 2, "two runs are two lines: %s" % out)
for text in out.splitlines():
    check(line.fullmatch(text), "line: %s" % text)
code, out, err = run("potrf", "-n", 100, "--nb", 30, "--matrix", "notspd:16")
check(code == 1, "status %d" % code)
check(out.splitlines()[-1] == "info 17: the leading minor of order 17 is not positive definite",
      "line of info: %s" % out)
check("FAILED" in out and err == "", "failed run: %s %s" % (out, err))

# Quiet: nothing when all is well.
code, out, err = run("potrf", "-n", 100, "--quiet", "--check")
check((code, out, err) == (0, "", ""), "quiet: %d %s %s" % (code, out, err))
code, out, err = run("potrf", "-n", 100, "--quiet", "--matrix", "notspd:3")
check(code == 1 and "info 4" in out, "quiet failure: %d %s" % (code, out))

# Progress is for terminals, and for who asks; runs under a second have none.
code, out, err = run("potrf", "-n", 300, "--nb", 32, "--progress", "on")
check(code == 0 and err == "", "progress of a short run: %s" % err)
if not SLOW:
    args = ["potrf", "-n", 1200, "--nb", 3, "--workers", 1]
    (o,) = run_json(*args, timeout=280)
    code, out, err = run(*args, "--progress", "on", timeout=280)
    check(code == 0, "status %d" % code)
    shown = re.findall(r"(?m)^potrf \[[#.]+\] +(\d+)%$", err)
    check(o["seconds"] < 2.5 or len(shown) > 0, "no progress in %s s: %s" % (o["seconds"], err))
    check([int(x) for x in shown] == sorted(int(x) for x in shown), "progress goes back: %s" % err)

finish()
