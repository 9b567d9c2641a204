"""Statistics, computed again from the raw trace by other means, agree; parts make up the whole."""
import math
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["TW_SOURCE_DIR"], "tests", "cli"))
from _cli import check, finish, run, run_json
from _twt import STATES, Trace


def close(a, b, what):
    check(abs(a - b) <= 1e-6 * max(abs(a), abs(b)) + 1e-12, "%s: %s and %s" % (what, a, b))


def covered(intervals):
    """Length of the union."""
    total, until = 0.0, -math.inf
    for start, end in sorted(intervals):
        if end > until:
            total += end - max(start, until)
            until = end
    return total


def check_workers(t, stats):
    for r, worker in enumerate(stats["workers"]):
        mine = [i for i in range(t.tasks) if t["task.row"][i] == r]
        work = [(t["task.start"][i], t["task.end"][i]) for i in mine]
        states = [(STATES[t["state.kind"][i]], t["state.start"][i], t["state.end"][i])
                  for i in range(len(t["state.kind"])) if t["state.row"][i] == r]
        team = [(a, b) for kind, a, b in states if kind == "team"]
        idle = [(a, b) for kind, a, b in states if kind in ("sleep", "search")]
        name = "worker %d" % r
        check(worker["name"] == t.rows[r] == name, "name %s" % worker["name"])
        close(worker["busy"], 1e-9 * (covered(work) + covered(team)), name + " busy")
        close(worker["idle"], 1e-9 * covered(idle), name + " idle")
        close(worker["busy"] + worker["idle"] + worker["overhead"], stats["seconds"], name)
        check(worker["tasks"] == len(mine), "%s: %d tasks" % (name, len(mine)))
        # nobody is idle and at work at the same time
        close(covered(work + team + idle), covered(work) + covered(team) + covered(idle),
              name + " overlaps")
    for part in ("busy", "idle", "overhead"):
        close(stats[part], sum(w[part] for w in stats["workers"]), "sum of " + part)
    close(stats["utilisation"], stats["busy"] / stats["cost"], "utilisation")
    check(stats["tasks"] == sum(w["tasks"] for w in stats["workers"]) == t.tasks, "tasks")


def check_classes(t, stats):
    for c, row in enumerate(stats["classes"]):
        times = [1e-3 * (t["task.end"][i] - t["task.start"][i]) for i in range(t.tasks)
                 if t["task.class"][i] == c]
        flops = sum(t["task.flops"][i] for i in range(t.tasks) if t["task.class"][i] == c)
        check(row["count"] == len(times) and row["name"] == t.classes[c], "class %s" % row)
        if not times:
            continue
        mean = sum(times) / len(times)
        close(row["mean_us"], mean, "mean")
        close(row["min_us"], min(times), "min")
        close(row["max_us"], max(times), "max")
        close(row["stddev_us"], math.sqrt(sum((x - mean) ** 2 for x in times) / len(times)), "sd")
        close(row["gflops"] or 0, 1e-3 * flops / sum(times), "rate of " + row["name"])
        if row["gflops"] and row["intensity"]:
            memory = t.bandwidth * row["intensity"]
            close(row["ceiling_gflops"], min(memory, t.peak), "ceiling")
            check((row["verdict"] == "compute-bound") == (memory >= t.peak), "verdict %s" % row)
    # no tasks inside one another here, and no teams
    close(sum(c["seconds"] for c in stats["classes"]), stats["busy"], "classes make up busy")


def longest(t):
    """Seconds of the longest path, forwards over the edges of each task."""
    into = {}
    for a, b in zip(t["edge.from"], t["edge.to"]):
        check(a < b and t["task.end"][a] <= t["task.start"][b] + 1e-3, "edge %d %d" % (a, b))
        into.setdefault(b, []).append(a)
    until = [0.0] * t.tasks
    for i in range(t.tasks):
        before = max((until[a] for a in into.get(i, [])), default=0.0)
        until[i] = before + t["task.end"][i] - t["task.start"][i]
    return 1e-9 * max(until)


def check_paths(t, stats):
    path = longest(t)
    close(stats["longest_path"]["seconds"], path, "longest path")
    close(stats["bounds"]["path"], path, "bound by the path")
    close(stats["bounds"]["work"], stats["busy"] / len(t.rows), "bound by work")
    close(stats["bounds"]["efficiency"], max(path, stats["busy"] / len(t.rows)) / stats["seconds"],
          "efficiency")
    i = max(range(t.tasks), key=lambda k: t["task.end"][k])
    seconds, waited, tasks = 0.0, 0.0, 0
    while i >= 0:
        seconds += 1e-9 * (t["task.end"][i] - t["task.start"][i])
        waited += 1e-9 * (t["task.start"][i] - t["task.ready"][i])
        tasks += 1
        i = t["task.by"][i]
    close(stats["critical_path"]["seconds"], seconds, "critical path")
    close(stats["critical_path"]["waited"], waited, "waited on it")
    check(stats["critical_path"]["tasks"] == tasks, "tasks on it: %d" % tasks)


def check_trace(path, stats):
    t = Trace(path)
    close(stats["seconds"], 1e-9 * t.span, "seconds")
    close(t.span, max(t["task.end"]), "the last end is the end")
    check(min(t["task.ready"]) == 0, "the first task is ready at 0")
    check(stats["lost"] == t.lost == 0, "lost %d" % t.lost)
    check(len(t["edge.from"]) == stats["edges"], "edges")
    check(all(0 <= r <= s for r, s in zip(t["task.ready"], t["task.start"])), "ready, then begun")
    check_workers(t, stats)
    check_classes(t, stats)
    check_paths(t, stats)
    close(sum(c["seconds"] for c in stats["why_idle"]), stats["idle"], "causes make up idle")
    close(sum(c["share"] for c in stats["why_idle"]), 1 if stats["idle"] > 0 else 0, "shares")
    return t


def potrf_tasks(nt):
    for k in range(nt):
        yield "potrf", (k,)
        for m in range(k + 1, nt):
            yield "trsm", (m, k)
            yield "herk", (m, k)
            for n in range(k + 1, m):
                yield "gemm", (m, n, k)


for sched, front, uplo in [("lws", "stf", "lower"), ("prio", "stf", "upper"),
                           ("serial", "stf", "lower"), ("lws", "ptg", "lower"),
                           ("prio", "ptg", "upper")]:
    (o,) = run_json("potrf", "-n", 330, "--nb", 40, "--workers", 2, "--sched", sched, "--uplo",
                    uplo, "--front", front, "--stats", "--trace", "run.twt")
    check(o["trace"] == "run.twt", "the object names the file")
    t = check_trace("run.twt", o["stats"])
    ran = sorted((t.classes[t["task.class"][i]].lower(), tuple(t.values(i)))
                 for i in range(t.tasks))
    check(ran == sorted(potrf_tasks(9)), "%s %s %s: the tasks of the algorithm" % (sched, front,
                                                                                   uplo))
    total = sum(t["task.flops"])
    check(abs(total / (330**3 / 3) - 1) < 0.05, "flops %g" % total)
    # the command that reads the file says the same
    (again,) = run_json("trace", "run.twt")
    check(again == o["stats"], "twill trace --json differs from --stats --json")

# A cancelled run: what ran is there, what did not run is not.
(o,) = run_json("potrf", "-n", 330, "--nb", 40, "--workers", 2, "--matrix", "notspd:100", "--stats",
                "--trace", "run.twt", status=1)
t = Trace("run.twt")
check(t.tasks == o["tasks"] == o["stats"]["tasks"], "tasks %d of %d" % (t.tasks, o["tasks"]))

# Every counted run has statistics, and the warm-up has none.
objects = run_json("potrf", "-n", 100, "--nb", 50, "--repeat", 3, "--stats")
check(len(objects) == 3 and all(o["stats"]["tasks"] == 4 for o in objects), "runs: %s" % objects)

# The whole of a program, by variables.
code, out, err = run("potrf", "-n", 100, "--nb", 50, "--front", "stf",
                     env={"TWILL_TRACE": "all.twt", "TWILL_STATS": "on"})
check(code == 0 and "critical" in err and "time" in err, "TWILL_STATS: %s" % err)
t = Trace("all.twt")
check({"fill", "potrf", "trsm", "herk"} <= set(t.classes), "classes %s" % t.classes)
code, out, err = run("potrf", "-n", 100, "--stats", env={"TWILL_TRACE": "all.twt"})
check(code == 3 and "recorded already" in err, "both at once: %d %s" % (code, err))
finish()
