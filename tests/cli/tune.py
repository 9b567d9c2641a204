"""twill tune: measures, remembers, and the library goes by it."""
import json
import os
import sys

sys.dont_write_bytecode = True
from _cli import check, finish, folder, run, run_json

SLOW = os.environ.get("TW_SLOW") == "1"
if SLOW:
    print("measuring takes too long in this build")
    sys.exit(77)

with folder() as place:
    path = place + "/deep/tune"
    env = {"TWILL_TUNE": path}
    (o,) = run_json("tune", "--seconds", 2, "--workers", 2, env=env)
    check(list(o) == ["providers", "tiles", "one_tile", "file"], "keys: %s" % list(o))
    check(o["file"] == path and os.path.exists(path), "file: %s" % o["file"])
    check(sum(p["chosen"] for p in o["providers"]) == 1, "%s" % o["providers"])
    best = [p for p in o["providers"] if p["chosen"]][0]
    check(all(0 < p["gflops"] <= best["gflops"] for p in o["providers"]), "%s" % o["providers"])
    check(len({(p["path"], p["kernels"]) for p in o["providers"]}) == len(o["providers"]),
          "the same one is measured twice: %s" % o["providers"])
    orders = [t["n"] for t in o["tiles"]]
    check(orders and orders == [1000, 2000, 4000][:len(orders)], "%s" % o["tiles"])
    check(all(0 < t["usual_gflops"] <= t["gflops"] for t in o["tiles"]), "%s" % o["tiles"])
    check(o["one_tile"] >= 128, "one tile up to %d" % o["one_tile"])

    # What is measured is used: the library, its kernels, the tile sizes.
    (info,) = run_json("info", env=env)
    check("measured by twill tune" in info["blas"]["why"] or "linked" in info["blas"]["path"],
          "why: %s" % info["blas"])
    check((info["blas"]["path"], info["blas"]["kernels"]) == (best["path"], best["kernels"]),
          "%s instead of %s" % (info["blas"], best))
    check(info["tuning"]["file"] == path and info["tuning"]["tiles"] == len(orders), "%s" % info["tuning"])
    for t in o["tiles"][:1]:
        (r,) = run_json("potrf", "-n", t["n"], "--workers", 2, env=env)
        check(r["nb"] == t["nb"], "n %d: nb %d instead of %d" % (t["n"], r["nb"], t["nb"]))
    (r,) = run_json("potrf", "-n", o["one_tile"], "--workers", 2, env=env)
    check(r["nb"] == o["one_tile"] and r["tasks"] == 0, "one tile: %s" % r)

    # Options come first, and a file that is damaged is no error.
    (info,) = run_json("info", env={"TWILL_TUNE": path, "TWILL_BLAS": "openblas"})
    check("asked for by option blas" in info["blas"]["why"] or "linked" in info["blas"]["path"],
          "%s" % info["blas"])
    (info,) = run_json("info", env={"TWILL_TUNE": "off"})
    check(info["tuning"] is None, "off: %s" % info["tuning"])
    with open(path, "r+b") as f:
        f.seek(40)
        f.write(b"#")
    (info,) = run_json("info", env=env)
    check(info["tuning"] is None and "measured" not in info["blas"]["why"], "damaged: %s" % info)

    # Only looking changes nothing.
    code, out, err = run("tune", "--seconds", "1", "--dry-run", env={"TWILL_TUNE": place + "/other"})
    check(code == 0 and err == "" and "chosen" in out and "one tile up to" in out, out + err)
    check(not os.path.exists(place + "/other"), "--dry-run wrote")

    code, out, err = run("tune", env={"TWILL_TUNE": "off"})
    check(code == 2 and "TWILL_TUNE" in err and out == "", "off: %d %s" % (code, err))
    code, out, err = run("tune", "--seconds", "0")
    check(code == 2 and "--seconds" in err, "--seconds 0: %d %s" % (code, err))

finish()
