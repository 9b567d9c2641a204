"""The benchmarks, small: objects that they promise, peers that are there or not, and hang or not."""
import os
import shutil
import subprocess
import sys
import json

sys.dont_write_bytecode = True
from _cli import BIN, check, finish, folder, run, run_json

CASES = ["independent", "chain", "chains64", "stencil", "fan", "random"]

objects = run_json("bench", "tasks", "--tasks", 2000, "--repeat", 2, "--no-peers")
check([(o["case"], o["system"]) for o in objects] ==
      [(c, s) for c in CASES for s in ("twill", "twill-dag", "twill-ptg")], "cases: %s" % objects)
for o in objects:
    check(list(o)[:5] == ["bench", "case", "system", "value", "unit"], "keys: %s" % list(o))
    check(o["bench"] == "tasks" and o["unit"] == "ns/task" and o["value"] > 0, "%s" % o)

code, out, err = run("bench", "tasks", "--tasks", 2000, "--repeat", 1, "--no-peers", "--case", "fan")
check(code == 0 and err == "" and len(out.splitlines()) == 3, "table: %s%s" % (out, err))

objects = run_json("bench", "memory", "--tasks", 20000)
check([o["case"] for o in objects] == ["rss_10", "rss_end"] and objects[0]["unit"] == "MiB",
      "memory: %s" % objects)
objects = run_json("bench", "chol", "--nt", 12, "--repeat", 2)
check([o["unit"] for o in objects] == ["ns/task", "tasks/s"], "chol: %s" % objects)
check(all(o["tasks"] == 12 * 13 * 14 // 6 and o["case"] == "nt=12" for o in objects), "%s" % objects)
objects = run_json("bench", "chol", "--front", "ptg", "--nt", 12, "--repeat", 2)
check([(o["system"], o["unit"]) for o in objects] ==
      [("twill-ptg", u) for u in ("ns/task", "tasks/s", "pending")], "chol: %s" % objects)
check(0 < objects[2]["value"] < 8 * 12 ** 2, "pending: %s" % objects)
objects = run_json("bench", "potrf", "--n", "100,150", "--nb", "32,64", "--pairs", 3, "--no-peers")
check([o["case"] for o in objects] == ["n=100", "n=150"], "potrf: %s" % objects)
check(all(o["nb"] in (32, 64) and o["unit"] == "GFLOP/s" for o in objects), "%s" % objects)

objects = run_json("bench", "gemm-peak", "--n", "100,150", "--nb", "32,64", "--pairs", 3, "--no-peers")
check([(o["case"], o["system"]) for o in objects] == [("nb=32", "tiles"), ("nb=64", "tiles")] + [
    (c, s) for c in ("n=100", "n=150") for s in ("twill", "tiles", "ratio:tiles")], "%s" % objects)
check(all(o["nb"] in (32, 64) and o["value"] > 0 for o in objects), "%s" % objects)

objects = run_json("bench", "la", "--case", "potrf,gemm,summa,async", "-n", "100,500", "--pairs", 2,
                   "--no-peers")
check([(o["case"], o["system"]) for o in objects] ==
      [(c + " n=%d" % n, s) for c, systems in (("potrf", ("twill", "products")),
                                               ("gemm", ("twill", "products")),
                                               ("summa", ("twill", "twill-gemm", "products",
                                                          "ratio:twill-gemm")),
                                               ("async", ("twill", "twill-calls", "products",
                                                          "ratio:twill-calls")))
       for n in (100, 500) for s in systems], "la: %s" % objects)
check(all(o["value"] > 0 for o in objects) and
      all(o["percent"] > 0 for o in objects if o["unit"] == "GFLOP/s"), "%s" % objects)
code, out, err = run("bench", "la", "--case", "potrff")
check(code == 2 and "'potrf'" in err, "an unknown case: %d %s" % (code, err))

SMALL = ("potrf", "posv", "potri", "getrf", "gesv", "sysv", "geqrf", "gels", "trsm")
objects = run_json("bench", "small", "-n", "16,400", "--nrhs", 2, "--pairs", 3)
check([(o["case"], o["system"]) for o in objects] ==
      [("%s n=%d" % (c, n), s) for c in SMALL for n in (16, 400)
       for s in ("twill", "lapack", "difference", "time:lapack")], "small: %s" % objects)
check(objects[0]["nb"] == 16 and objects[4]["nb"] < 400, "%s" % objects)
code, out, err = run("bench", "small", "--case", "posv,gesvv")
check(code == 2 and "gesvv" in err and "gesv," in err, "an unknown case: %d %s" % (code, err))

objects = run_json("bench", "trace", "-n", 200, "--tasks", 500, "--repeat", 3)
check([o["case"] for o in objects] == ["potrf n=200", "tasks 1 us"], "trace: %s" % objects)
check(all(o["unit"] == "%" and o["off"] > 0 and o["on"] > 0 and o["lost"] == 0 for o in objects) and
      objects[1]["tasks"] == 500, "%s" % objects)

# What a reserved set gains, in its quick form: kernels, then the best of each mode for each machine; and
# all figures.
with folder() as place:
    objects = run_json("bench", "critical", "--quick", "--workers", "4,14", "--plots", place)
    kernels = [o for o in objects if o["case"] == "kernel"]
    check(len(kernels) == 3 * (2 + 4) and all(o["value"] > 0 for o in kernels), "kernels: %s" % kernels)
    for op, case in (("trsm", "table2"), ("potrf", "table3")):
        for workers in (4, 14):
            best = {o["mode"]: o["value"] for o in objects
                    if o["case"] == case and o["op"] == op and o["workers"] == workers}
            check(sorted(best) == ["adaptive", "fixed", "regular"], "%s on %d: %s" % (op, workers, best))
            check(best["adaptive"] <= 1.05 * best["regular"], "%s on %d: %s" % (op, workers, best))
    figures = sorted(os.listdir(place))
    check(figures == ["efficiency_potrf.svg", "efficiency_trsm.svg"] +
          ["figure%s.svg" % f for f in ("2", "3", "5a", "5b", "6a", "6b", "7a", "7b", "8a", "8b")],
          "%s" % figures)
    for figure in figures:
        with open(os.path.join(place, figure)) as f:
            text = f.read()
        check(text.startswith("<svg") and "circle" in text, figure)

# Peers that we make up, beside a copy of the command.
PEERS = {
    "openmp-gcc_tasks": "echo 500.5",
    "openmp-clang_tasks": "echo $1 $2 $3 >> ARGS; echo 250.25",
    "openmp_potrf": "while read x; do echo 4.0; done; echo end >> ENDS",
    "openblas_la": "if [ $1 = gemm ]; then while read x; do echo 8.0; done; fi\n"
                   "read x; echo 2.0; read x; exit 1",
}
with folder() as place:
    shutil.copy(BIN, place + "/twill")
    os.mkdir(place + "/peers")
    for name, body in PEERS.items():
        path = "%s/peers/%s" % (place, name)
        with open(path, "w") as f:
            f.write("#!/bin/sh\n" + body.replace("ARGS", place + "/args").replace(
                "ENDS", place + "/ends") + "\n")
        os.chmod(path, 0o755)

    def run_copy(*args):
        done = subprocess.run([place + "/twill", "bench"] + list(args), capture_output=True,
                              timeout=120, text=True)
        return done.returncode, done.stdout, done.stderr

    code, out, err = run_copy("tasks", "--tasks", "1000", "--repeat", "3", "--case", "chain",
                              "--workers", "2", "--json")
    values = {o["system"]: o["value"] for o in map(json.loads, out.splitlines())}
    check(code == 0 and values.get("openmp-gcc") == 500.5 and values.get("openmp-clang") == 250.25,
          "peers: %s" % out)
    check(err.count("\n") == 1 and "starpu_tasks is missing" in err, "a missing peer: %s" % err)
    with open(place + "/args") as f:
        check(f.read() == 3 * "chain 1000 2\n", "arguments of a peer")
    code, out, err = run_copy("tasks", "--tasks", "1000", "--repeat", "1", "--case", "chain")
    ratio = float(out.split()[-1])
    ours = float(out.splitlines()[-1].split()[1])
    # the ratio has two decimals
    check(abs(ratio * ours - 250.25) < 25 + 0.006 * ours, "the better OpenMP counts: %s" % out)

    # One that hangs is ended, and what it started with it is not waited for.
    with open(place + "/peers/starpu_tasks", "w") as f:
        f.write("#!/bin/sh\nexec sleep 100\n")
    os.chmod(place + "/peers/starpu_tasks", 0o755)
    code, out, err = run_copy("tasks", "--tasks", "1000", "--repeat", "2", "--case", "chain",
                              "--limit", "1", "--json")
    systems = [json.loads(line)["system"] for line in out.splitlines()]
    check(code == 0 and systems == ["twill", "twill-dag", "twill-ptg", "openmp-gcc", "openmp-clang"],
          "a peer that hangs: %s" % out)
    check("starpu did not finish within 1 s" in err and err.count("\n") == 1,
          "a peer that hangs: %s" % err)

    code, out, err = run_copy("potrf", "--n", "64", "--nb", "32", "--pairs", "3", "--json")
    objects = [json.loads(line) for line in out.splitlines()]
    systems = [o["system"] for o in objects]
    check(code == 0 and systems == ["twill", "openmp-gcc", "ratio:openmp-gcc"], "potrf: %s" % out)
    values = {o["system"]: o["value"] for o in objects}
    check(abs(values["ratio:openmp-gcc"] * 4.0 / values["twill"] - 1) < 1e-3, "ratio: %s" % values)
    check("openblas" in err and err.count("\n") == 1, "a peer that fails: %s" % err)
    code, out, err = run_copy("gemm-peak", "--n", "64", "--nb", "32", "--pairs", "3", "--json")
    values = {o["system"]: o["value"] for o in map(json.loads, out.splitlines())}
    # A library that the program is linked with has none with threads beside it.
    check(code == 0 and ("openblas is missing" in err or err == "" and values["openblas"] == 8.0 and
          abs(values["ratio:openblas"] * 8.0 / values["twill"] - 1) < 1e-3), "gemm-peak: %s" % out)
    with open(place + "/ends") as f:
        check(f.read() == "end\n", "peers end with their input")

finish()
