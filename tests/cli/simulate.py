"""twill simulate: virtual runs of recorded ones, against bounds and a simulation made here."""
import heapq
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["TW_SOURCE_DIR"], "tests", "trace"))
from _cli import check, finish, folder, run, run_json
from _twt import Trace


def paths(t):
    """Seconds of each task and what it waits for; the longest path by tasks and by time."""
    seconds = [(e - s) * 1e-9 for s, e in zip(t["task.start"], t["task.end"])]
    after = [[] for _ in seconds]
    for a, b in zip(t["edge.from"], t["edge.to"]):
        after[a].append(b)
    height, longest = [1] * len(seconds), list(seconds)
    for i in reversed(range(len(seconds))):
        for j in after[i]:
            height[i] = max(height[i], height[j] + 1)
            longest[i] = max(longest[i], seconds[i] + longest[j])
    return seconds, after, height, max(longest)


def list_schedule(seconds, after, priority, workers):
    """The highest first, on whichever worker is free: what a shared queue does, without overhead."""
    waits = [0] * len(seconds)
    for a in after:
        for b in a:
            waits[b] += 1
    ready = [(-priority[i], i) for i, w in enumerate(waits) if w == 0]
    heapq.heapify(ready)
    running, now, free = [], 0.0, workers
    while ready or running:
        while ready and free:
            i = heapq.heappop(ready)[1]
            heapq.heappush(running, (now + seconds[i], i))
            free -= 1
        now, i = heapq.heappop(running)
        free += 1
        for j in after[i]:
            waits[j] -= 1
            if waits[j] == 0:
                heapq.heappush(ready, (-priority[j], j))
    return now


FREE = ["--dispatch", 0, "--wake", 0, "--barrier", 0]

with folder() as place:
    file = os.path.join(place, "run.twt")
    run_json("potrf", "-n", 600, "--nb", 60, "--workers", 1, "--trace", file)
    trace = Trace(file)
    seconds, after, height, longest = paths(trace)
    work = sum(seconds)
    check(len(seconds) == 10 * 11 * 12 / 6, "%d tasks" % len(seconds))

    for workers in (1, 2, 3, 14):
        for sched in ("lws", "prio", "eager", "rand"):
            (o,) = run_json("simulate", file, "--workers", workers, "--sched", sched, *FREE)
            check(o["virtual"] is True and o["workers"] == workers and o["tasks"] == len(seconds),
                  "what it was: %s" % o)
            check(max(work / workers, longest) * 0.999 <= o["seconds"] <=
                  (work / workers + longest) * 1.001, "bounds of %d %s: %s" % (workers, sched, o))
            check(abs(o["longest_seconds"] / longest - 1) < 1e-3, "longest path: %s" % o)
            check(abs(o["cost"] - workers * o["seconds"]) < 1e-9 and
                  abs(o["busy_ordinary"] + o["busy_critical"] - work) < 1e-3 * work,
                  "sums: %s" % o)
        priority = trace["task.priority"]
        want = list_schedule(seconds, after, priority, workers)
        (o,) = run_json("simulate", file, "--workers", workers, "--sched", "prio", *FREE)
        check(abs(o["seconds"] / want - 1) < 0.1, "prio on %d: %g, not %g" % (workers, o["seconds"],
                                                                             want))

    # One worker takes what it took, but for the gaps between tasks.
    (o,) = run_json("simulate", file, "--workers", 1, *FREE)
    check(abs(o["seconds"] - work) < 1e-9 + 1e-6 * work, "one worker: %s, not %g" % (o, work))

    # The reserved workers do the critical path; alone it is as fast as a team of one.
    (o,) = run_json("simulate", file, "--workers", 8, "--mode", "fixed", "--reserved", 1, *FREE)
    check(o["critical_tasks"] == max(height) == 28, "critical tasks: %s" % o)
    check(abs(o["cost_reserved"] - o["seconds"]) < 1e-9, "one is reserved: %s" % o)
    one = o["critical_seconds"]
    (o,) = run_json("simulate", file, "--workers", 8, "--mode", "fixed", "--reserved", 3, *FREE)
    check(abs(o["critical_seconds"] * 1.8 / one - 1) < 1e-6, "three: %s" % o)
    (o,) = run_json("simulate", file, "--workers", 8, "--mode", "fixed", "--reserved", 2,
                    "--speedup", "amdahl", "--alone", 50, *FREE)
    check(abs(o["critical_seconds"] / 0.75 / one - 1) < 1e-6, "Amdahl: %s" % o)
    (o,) = run_json("simulate", file, "--workers", 8, "--mode", "prescribed", "--prescribed", "1,2",
                    *FREE)
    check(o["changes"] == 1 and o["critical_seconds"] < one, "prescribed: %s" % o)


    # The controller changes the size; that does not take much longer than to leave it, also where
    # times of tasks were disturbed. What it gains is for tests/unit/simulate/adaptive.c.
    (o,) = run_json("simulate", file, "--workers", 14, "--mode", "adaptive", *FREE)
    (r,) = run_json("simulate", file, "--workers", 14, *FREE)
    check(o["mode"] == "adaptive" and o["seconds"] < 1.25 * r["seconds"], "adaptive: %s" % o)
    chain = os.path.join(place, "chain.twt")
    run_json("trsm", "-m", 2000, "-n", 100, "--nb", 50, "--workers", 1, "--front", "dag", "--trace", chain)
    (o,) = run_json("simulate", chain, "--workers", 28, "--mode", "adaptive", *FREE)
    (r,) = run_json("simulate", chain, "--workers", 28, *FREE)
    check(o["changes"] > 0 and o["cost_reserved"] > 0 and o["seconds"] < 1.25 * r["seconds"],
          "adaptive: %s, regular %s" % (o, r["seconds"]))

    code, out, err = run("simulate", file, "--workers", 14)
    check(code == 0 and err == "" and "virtual run of 220 tasks on 14 workers" in out, out + err)
    code, out, err = run("simulate", file, "--mode", "prescribed")
    check(code == 2 and "--prescribed" in err, err)
    code, out, err = run("simulate", file, "--prescribed", "1")
    check(code == 2 and "--mode prescribed" in err, err)
    code, out, err = run("simulate", file, "--mode", "prescribed", "--prescribed", "1,x")
    check(code == 2 and "1,x" in err, err)
    code, out, err = run("simulate", file, "--sched", "none")
    check(code == 2 and "none" in err, err)
    code, out, err = run("simulate", os.path.join(place, "none.twt"))
    check(code != 0 and "none.twt" in err, err)
    code, out, err = run("simulate")
    check(code == 2 and "FILE" in err, err)

# Real runs in these modes: right, and with the same bits.
digests = set()
for how in ([], ["--mode", "fixed", "--reserved", 1], ["--mode", "fixed", "--reserved", 2],
            ["--mode", "fixed", "--reserved", 99], ["--mode", "prescribed", "--prescribed", "1,2"],
            ["--mode", "adaptive"]):
    for workers in (1, 3):
        (o,) = run_json("potrf", "-n", 500, "--nb", 90, "--front", "dag", "--workers", workers,
                        "--check", *how)
        check(o["passed"] and o["front"] == "dag", "potrf %s: %s" % (how, o))
        digests.add(o["digest"])
check(len(digests) == 1, "potrf: %s" % digests)
for how in (["--mode", "fixed"], ["--commute"], ["--mode", "fixed", "--commute", "--uplo", "upper"]):
    (o,) = run_json("trsm", "-m", 500, "-n", 200, "--nb", 90, "--workers", 3, "--check", *how)
    check(o["passed"] and o["front"] == "dag", "trsm %s: %s" % (how, o))
code, out, err = run("potrf", "-n", 100, "--front", "ptg", "--mode", "fixed")
check(code == 2 and "--front dag" in err, err)
code, out, err = run("gemm", "-n", 100, "--reserved", 2)
check(code == 2 and "--reserved" in err, err)
code, out, err = run("gemm", "-n", 100, "--mode", "regular", "--quiet")
check(code == 0, err)
finish()
