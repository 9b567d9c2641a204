"""twill info: the facts as one JSON object, and the same as text."""
import json
import os
import sys

sys.dont_write_bytecode = True
from _cli import check, finish, run, run_json

(o,) = run_json("info")
check(list(o) == ["version", "machine", "devices", "mpi", "ranks", "places", "workers", "blas", "tuning",
                  "schedulers", "options"], "keys: %s" % list(o))
check(o["mpi"] is None and o["ranks"] == 1, "one rank: %s" % o["mpi"])
(place,) = o["places"]
check(place["rank"] == 0 and place["sharing"] == 1 and place["host"] and place["cpus"] and
      place["workers"] == len(o["workers"]), "place: %s" % place)
allowed = len(os.sched_getaffinity(0))
check(1 <= len(o["workers"]) <= allowed, "workers: %s" % o["workers"])
check(o["machine"]["pus"] >= 1 and o["machine"]["memory"] > 2**20, "machine: %s" % o["machine"])
check([s["name"] for s in o["schedulers"]] == ["lws", "prio", "eager", "rand", "cw", "dmda", "serial"],
      "schedulers: %s" % o["schedulers"])
check(all(s["about"] for s in o["schedulers"]), "schedulers say what they are")
check(o["blas"]["threads"] == 1 and o["blas"]["provider"] and o["blas"]["why"], "%s" % o["blas"])
options = {p["name"]: p for p in o["options"]}
for name in "workers sched sched_seed bind topology window spin_us patience_us watchdog blas " \
            "lapack kernels tune trace trace_mib stats".split():
    p = options.get(name)
    check(p and p["origin"] == "default" and p["variable"] == "TWILL_" + name.upper() and p["help"],
          "option %s: %s" % (name, p))

(o,) = run_json("info", env={"TWILL_WORKERS": "3", "TWILL_SCHED": "prio"})
options = {p["name"]: p for p in o["options"]}
check(options["sched"]["value"] == "prio" and options["sched"]["origin"] == "environment",
      "origin: %s" % options["sched"])
check(len(o["workers"]) == 3, "three workers: %s" % o["workers"])

code, out, err = run("info")
check(code == 0 and err == "", "status %d: %s" % (code, err))
for word in ("machine", "workers", "BLAS", "schedulers", "options", "TWILL_SCHED", "kernels", "lws"):
    check(word in out, "%s is not shown" % word)
check(all(len(line) == len(line.rstrip()) for line in out.splitlines()), "blanks at line ends")

code, out, err = run("info", env={"TWILL_DEVICES": "cpu,host:1*2/room=1M"})
check(code == 0 and "host:1.2: main memory" in out and "room for 1.0 MiB" in out, "devices: %s%s" % (out, err))
(o,) = run_json("info", env={"TWILL_DEVICES": "cpu,host:1*2"})
check(o["devices"] == ["cpu", "host:1.1", "host:1.2"], "devices: %s" % o["devices"])

code, out, err = run("info", env={"TWILL_ROOT": "/opt/twill"})
check(code == 0 and err == "" and "ignored" in out and "TWILL_ROOT" in out, "a variable of a module: %s" % err)
(o,) = run_json("info", env={"TWILL_ROOT": "/opt/twill"})
check(o["options"][-1]["variable"] == "TWILL_ROOT" and o["options"][-1]["origin"] == "ignored",
      "a variable of a module: %s" % o["options"][-1])

code, out, err = run("info", env={"TWILL_BLAS": "/no/such/library.so"})
check(code in (0, 2, 3), "a BLAS that is not there: status %d" % code)
check("/no/such/library.so" in out + err, "a BLAS that is not there is named: %s%s" % (out, err))

finish()
