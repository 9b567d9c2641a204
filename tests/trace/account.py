"""What --stats adds up while a run goes on, computed again from the trace of the same run: sums, and
both paths. Parts make up the whole, and no path is longer than the run."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["TW_SOURCE_DIR"], "tests", "cli"))
from _cli import check, finish, run, run_json
from _twt import STATES, Trace

CLOCK = 1e-6  # seconds by which two clocks, or two ways to round, may differ in a run


def close(a, b, what, most=CLOCK):
    check(abs(a - b) <= most + 1e-4 * max(abs(a), abs(b)), "%s: %s and %s" % (what, a, b))


def longest(t, counts):
    """The longest path in seconds of those tasks that count."""
    order = sorted(range(t.tasks), key=lambda i: t["task.start"][i])
    before = [[] for _ in range(t.tasks)]
    for source, target in zip(t["edge.from"], t["edge.to"]):
        before[target].append(source)
    until = [0.0] * t.tasks
    for i in order:
        own = t["task.end"][i] - t["task.start"][i] if counts(i) else 0
        until[i] = own + max((until[k] for k in before[i]), default=0)
    return 1e-9 * max(until)


def on_the_path(t, i):
    """By formula: potrf(k), trsm(k+1, k), herk(k+1, k)."""
    p = t.values(i)
    return t.classes[t["task.class"][i]] in ("potrf", "trsm", "herk") and (
        len(p) == 1 or p[0] == p[1] + 1)


def busy(t, counts):
    """Seconds in bodies, those of members of teams left out."""
    return 1e-9 * sum(t["task.end"][i] - t["task.start"][i] for i in range(t.tasks) if counts(i))


def check_sums(a, what):
    close(a["cost"], a["workers"] * a["seconds"], what + "cost")
    close(a["cost_reserved"] + a["cost_other"], a["cost"], what + "parts of the cost")
    close(a["busy_reserved"] + a["busy_other"], a["busy_critical"] + a["busy_ordinary"],
          what + "parts of what is busy")
    close(a["utilisation"] * a["cost"], a["busy_reserved"] + a["busy_other"], what + "utilisation")
    for part in ("reserved", "other"):
        check(a["busy_" + part] <= a["cost_" + part] + CLOCK * a["tasks"], what + part + " is busy")
    check(a["critical_seconds"] <= a["longest_seconds"] + CLOCK, what + "critical <= longest")
    check(a["longest_seconds"] <= a["seconds"] + CLOCK, what + "longest <= time")


def check_run(what, critical, *args):
    (o,) = run_json("potrf", "-n", 330, "--nb", 40, *args, "--stats", "--trace", "run.twt")
    a, t = o["account"], Trace("run.twt")
    what += ": "
    team = 1e-9 * sum(end - start for kind, start, end in zip(t["state.kind"], t["state.start"],
                                                              t["state.end"])
                      if STATES[kind] == "team")
    check_sums(a, what)
    close(a["seconds"], 1e-9 * (max(t["task.end"]) - min(t["task.start"])), what + "seconds")
    check(a["tasks"] == t.tasks == o["tasks"], what + "tasks")
    close(a["longest_seconds"], longest(t, lambda i: True), what + "longest path", 1e-5)
    chosen = (lambda i: on_the_path(t, i)) if critical else (lambda i: False)
    close(a["critical_seconds"], longest(t, chosen), what + "critical path", 1e-5)
    close(a["busy_critical"] + a["busy_ordinary"], team + busy(t, lambda i: True),
          what + "busy", 1e-5)
    close(a["busy_ordinary"], busy(t, lambda i: not chosen(i)), what + "ordinary", 1e-5)
    check(a["critical_tasks"] == sum(map(chosen, range(t.tasks))), what + "critical tasks")
    return a


for workers in (1, 2, 4):
    for sched in ("lws", "prio", "rand"):
        some = ["--workers", workers, "--sched", sched, "--front"]
        name = "%d workers, %s" % (workers, sched)
        for front in ("stf", "ptg"):
            check(check_run(name + ", " + front, False, *some, front)["cost_reserved"] == 0,
                  "a set out of nothing")
        check_run(name + ", regular", True, *some, "dag")
        for mode in ("fixed", "adaptive"):
            a = check_run(name + ", " + mode, True, *some, "dag", "--mode", mode)
            check(workers > 1 or a["cost_reserved"] == 0, "one worker, and it is reserved")
            # the last run begins with the set of the one before
            check(mode != "fixed" or workers == 1 or a["busy_reserved"] > 0, name + ": not reserved")
check_run("two reserved", True, "--workers", 4, "--front", "dag", "--mode", "fixed", "--reserved", 2)

code, out, err = run("potrf", "-n", 200, "--nb", 50, "--front", "dag", "--stats")
for line in ("workers x time", "reserved", "critical path", "longest path"):
    check(code == 0 and "\n  " + line in out, "a line of the report: " + line)
finish()
