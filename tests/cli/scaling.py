"""`bench scaling` with a launcher that is made up: which jobs it starts, and what it makes of what they
print. tests/mpi/scaling.sh has real ones."""
import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
from _cli import BIN, check, finish, folder, run

# mpirun -np RANKS PROGRAM ...: notes its arguments. Rates are made of them, so that one can tell.
LAUNCHER = r"""#!/bin/sh
echo "$*" | sed 's|/[^ ]*/||g' >> LOG
ranks=$2 op=$4
case $3 in
*/twill)
    if [ $op = geqrf ]; then
        printf -- '----\ntwill geqrf: this is for one rank so far\n' >&2
        exit 3
    fi
    if [ $op = getrf ]; then
        exec sleep 100
    fi
    if [ $op = bench ]; then
        echo '{"bench":"tasks","case":"chain","system":"twill","value":100,"unit":"ns/task"}'
        echo '{"bench":"tasks","case":"chain","system":"twill-ptg","value":400,"unit":"ns/task"}'
        exit 0
    fi
    nb=96 grid=1x$ranks
    while [ $# -gt 1 ]; do
        case $1 in
        --nb) nb=$2 ;;
        --grid) grid=$2 ;;
        esac
        shift
    done
    echo "some line that is none of the results"
    printf '{"op":"%s","nb":%d,"grid":"%s","gflops":%d.5,"messages":7,"bytes":%d}\n' $op $nb $grid \
        $((ranks * nb)) $((1000 * ranks)) ;;
*/scalapack_la)
    [ $ranks = 1 ] && [ ${10} = Haswell ] && exit 1
    rate=$6
    [ ${7} = 2x1 ] && rate=$((rate + 3))
    [ ${10} = SkylakeX ] && rate=$((rate + 1))
    echo $rate.5 ;;
esac
"""
SVG = "{http://www.w3.org/2000/svg}"

place = folder()
log, copy, plots = place.name + "/log", place.name + "/twill", place.name + "/plot"
shutil.copy(BIN, copy)
os.mkdir(place.name + "/peers")
for name, text in (("mpirun", LAUNCHER.replace("LOG", log)), ("peers/scalapack_la", "#!/bin/sh\nexit 1\n")):
    with open("%s/%s" % (place.name, name), "w") as f:
        f.write(text)
    os.chmod("%s/%s" % (place.name, name), 0o755)


def scaling(*args, mpirun=None):
    """Run the copy with two cores; returns (status, objects or text, errors, jobs)."""
    if os.path.exists(log):
        os.remove(log)
    command = [copy, "bench", "scaling", "--workers", "2", "--plot", plots, "--mpirun",
               mpirun or place.name + "/mpirun", *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    out = done.stdout
    if "--json" in args:
        out = [json.loads(line) for line in out.splitlines()]
    jobs = []
    if os.path.exists(log):
        with open(log) as f:
            jobs = [line.split() for line in f.read().splitlines()]
    return done.returncode, out, done.stderr, jobs


def marks(case, op):
    """Circles of a figure: (all, hollow ones)."""
    circles = list(xml.parse("%s-%s-%s.svg" % (plots, case, op)).getroot().iter(SVG + "circle"))
    return len(circles), sum(c.get("class") == "page" for c in circles)


def texts(case, op, cls):
    tree = xml.parse("%s-%s-%s.svg" % (plots, case, op)).getroot()
    return [t.text for t in tree.iter(SVG + "text") if t.get("class") == cls]


# ---- beside ScaLAPACK: its best block size, grid and kernels ----------------------------------

code, objects, err, jobs = scaling("--case", "peers", "--op", "potrf", "-n", "100", "--pairs", 3, "--json")
check(code == 0 and err == "", "peers: %d %s" % (code, err))
check([(o["system"], o["unit"]) for o in objects] == [("scalapack", "GFLOP/s"), ("twill", "GFLOP/s"),
                                                      ("ratio:scalapack", "ratio")], "%s" % objects)
for o in objects:
    check(list(o)[:5] == ["bench", "case", "system", "value", "unit"] and
          {"op", "n", "nb", "ranks", "workers", "grid"} <= set(o), "names: %s" % o)
    check((o["bench"], o["case"], o["op"], o["n"]) == ("scaling", "peers", "potrf", 100) and
          (o["ranks"], o["workers"]) == (2, 1), "%s" % o)
peer, ours, ratio = objects
check(peer["value"] == 132.5 and peer["nb"] == 128 and peer["grid"] == "2x1", "the best: %s" % peer)
check(ours["value"] == 192.5 and ours["nb"] == 96 and ours["grid"] == "1x2" and
      ours["messages"] == 7 and ours["bytes"] == 2000, "what it says itself: %s" % ours)
check(abs(ratio["value"] - 192.5 / 132.5) < 1e-6, "the ratio: %s" % ratio)
check([j[9] for j in jobs[:3]] == ["auto", "Haswell", "SkylakeX"], "kernels are tried: %s" % jobs[:3])
check([(j[5], j[6]) for j in jobs[3:7]] == [(b, g) for b in ("64", "128") for g in ("1x2", "2x1")] and
      all(j[9] == "SkylakeX" for j in jobs[3:7]), "then blocks and grids: %s" % jobs[3:7])
check([j[2] for j in jobs[7:]] == ["scalapack_la", "twill", "twill", "scalapack_la", "scalapack_la",
                                   "twill"], "then both in turn: %s" % jobs[7:])
check(all(j == "-np 2 twill potrf -n 100 --workers 1 --json".split() for j in jobs[7:] if j[2] == "twill"),
      "what a run chose is left open for the next: %s" % jobs)

code, out, err, jobs = scaling("--case", "peers", "--op", "potrf", "-n", "100", "--pairs", 1)
rows = out.splitlines()
check(len(rows) == 4 and rows[1].split()[:3] == ["op", "n", "system"] and
      rows[3].split()[-1] == "1.453", "the table: %s" % out)
check(len({len(row.rstrip()) for row in (rows[1], rows[3])}) == 1, "it is aligned: %s" % out)

# ---- figures --------------------------------------------------------------------------------

code, objects, err, jobs = scaling("--case", "tile,split,size,weak,strong", "--op", "gemm", "--nb", "32,64",
                                   "-n", "100,200", "--ranks", "1,2,4", "--pairs", 1, "--json")
check(code == 0 and err == "", "figures: %d %s" % (code, err))
points = {}
for o in objects:
    points.setdefault((o["case"], o["system"]), []).append(
        (o["n"], o["nb"], o["ranks"], o["workers"], o["grid"], o["crowded"]))
check(points[("tile", "twill")] == points[("tile", "scalapack")] ==
      [(100, 32, 2, 1, "1x2", False), (100, 64, 2, 1, "1x2", False)], "tile: %s" % points)
check(points[("split", "twill")] == [(100, 96, 1, 2, "1x1", False), (100, 96, 2, 1, "1x2", False),
                                     (100, 96, 4, 1, "2x2", True)], "split: %s" % points)
check([p[2] for p in points[("split", "scalapack")]] == [2, 4], "without threads: %s" % points)
check([p[0] for p in points[("size", "twill")]] == [100, 200], "size: %s" % points)
check([(p[0], p[2]) for p in points[("weak", "twill")]] == [(100, 1), (141, 2), (200, 4)], "%s" % points)
check([(p[0], p[2]) for p in points[("strong", "scalapack")]] == [(100, 1), (100, 2), (100, 4)],
      "strong: %s" % points)
check(all(o["percent"] > 0 for o in objects), "parts of the rate of products")
for case, all_marks, hollow in (("tile", 4, 0), ("split", 5, 2), ("size", 4, 0), ("weak", 6, 2),
                                ("strong", 6, 2)):
    check(marks(case, "gemm") == (all_marks, hollow), "marks of %s: %s" % (case, marks(case, "gemm")))
    check(texts(case, "gemm", "legend") == ["twill", "scalapack", "GEMM peak"], "legend of " + case)
check(texts("tile", "gemm", "title") == ["gemm of order 100: tile sizes, on a rank per core"] and
      texts("size", "gemm", "title") == ["gemm: problem sizes, on a rank per core"], "titles")
check(texts("weak", "gemm", "tick")[:3] == ["1", "2", "4"], "ticks: %s" % texts("weak", "gemm", "tick"))
check(texts("weak", "gemm", "note")[:3] == ["n = 100", "n = 141", "n = 200"] and
      texts("weak", "gemm", "note")[-1] == "ranks share cores", "%s" % texts("weak", "gemm", "note"))

# ---- comparisons of Twill with itself -------------------------------------------------------

code, objects, err, jobs = scaling("--case", "ranks", "--op", "potrf", "-n", "100", "--pairs", 1, "--json")
check([(o["system"], o["ranks"], o["workers"], o["grid"]) for o in objects] ==
      [("twill", 1, 2, "1x1"), ("twill", 2, 1, "1x2"), ("ratio:twill", 2, 1, "1x2"),
       ("twill", 2, 1, "2x1"), ("ratio:twill", 2, 1, "2x1")], "ranks: %s" % objects)
check(abs(objects[2]["value"] - 192.5 / 96.5) < 1e-6, "%s" % objects[2])

code, objects, err, jobs = scaling("--case", "single", "--op", "gemm,tasks", "-n", "100", "--tasks", 1000,
                                   "--pairs", 1, "--json")
check(code == 0 and err == "", "single: %d %s" % (code, err))
check([(o["op"], o["mpirun"]) for o in objects[:2]] == [("gemm", False), ("gemm", True)], "%s" % objects)
tasks = [o for o in objects if o["op"] == "tasks chain"]
check([o["unit"] for o in tasks] == ["ns/task", "ns/task", "ratio"] and tasks[0]["value"] > 0 and
      abs(tasks[1]["value"] - 200) < 1e-6 and tasks[1]["n"] == 1000, "tasks: %s" % tasks)
check(abs(tasks[2]["value"] - tasks[0]["value"] / 200) < 1e-6, "a ratio of speeds: %s" % tasks)
check(len({o["op"] for o in objects}) == 7, "all kinds of tasks: %s" % objects)

# ---- what goes wrong ------------------------------------------------------------------------

code, objects, err, jobs = scaling("--case", "strong", "--op", "potrf,geqrf", "-n", "100", "--ranks", "2,4",
                                   "--pairs", 1, "--no-peers", "--json")
check(code == 0 and {o["op"] for o in objects} == {"potrf"}, "an operation that refuses: %s" % objects)
check(err.count("\n") == 1 and "for one rank so far" in err and "geqrf" in err, "it says so once: %s" % err)
code, out, err, jobs = scaling("--case", "peers", "--op", "geqrf", "-n", "100", "--no-peers")
check(code == 3 and err.count("\n") == 1, "nothing was measured: %d %s" % (code, err))
code, objects, err, jobs = scaling("--case", "peers", "--op", "getrf,potrf", "-n", "100", "--limit", 5,
                                   "--pairs", 1, "--no-peers", "--json")
check(code == 0 and [o["op"] for o in objects] == ["potrf"] and "within 5 s" in err, "a hang: %s" % err)
os.remove(place.name + "/peers/scalapack_la")
code, objects, err, jobs = scaling("--case", "peers", "--op", "potrf", "-n", "100", "--pairs", 1, "--json")
check(code == 0 and [o["system"] for o in objects] == ["twill"], "without ScaLAPACK: %s" % objects)
check(err.count("\n") == 1 and "scalapack_la is missing" in err, "it is named: %s" % err)
code, out, err, jobs = scaling("--case", "peers", "--op", "potrf", "--no-peers", mpirun="no-such-launcher")
check(code == 3 and err.count("\n") == 1 and "no-such-launcher" in err, "no mpirun: %s" % err)

for args, word in ((("--case", "weak,stronk"), "'strong'"), (("--op", "potrv"), "'potrf'"),
                   (("-n", "0"), "-n 0"), (("--ranks", "2,x"), "--ranks 2,x")):
    code, out, err = run("bench", "scaling", *args)
    check(code == 2 and word in err and err.count("\n") == 1, "%s: %d %s" % (args, code, err))
code, out, err = run("bench", "scaling", "--case", "strong", "--op", "potrf", "-n", 100, "--no-peers", "--plot",
                     place.name + "/no/plot")
check(code == 3 and "--plot" in err and err.count("\n") == 1, "no such folder: %s" % err)

place.cleanup()
finish()
