"""Who ran what, in all modes and under every scheduler, in real runs and in virtual ones: what traces
say about the critical set is checked against what the set promises. And the pictures of it."""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["TW_SOURCE_DIR"], "tests", "cli"))
from _cli import check, finish, run, run_json
from _twt import STATES, Trace

NEAR = 1e-3  # ns: of sums of the same numbers in another order
TEAM = STATES.index("team")


class Set:
    """The critical set over time: when it changed, and (first, members, wanted) from then on."""

    def __init__(self, t):
        self.times = list(t["set.time"])
        self.entries = list(zip(t["set.row"], t["set.members"], t["set.wanted"]))
        self.span = t.span

    def at(self, time):
        entry = (0, 0, 0)
        for when, what in zip(self.times, self.entries):
            if when > time + NEAR:
                break
            entry = what
        return entry

    def reserved(self, row):
        """When this worker is a member."""
        ends = self.times[1:] + [self.span]
        for begin, end, (first, members, _) in zip(self.times, ends, self.entries):
            if first <= row < first + members:
                yield begin, end


def overlap(a, b):
    return min(a[1], b[1]) - max(a[0], b[0]) > NEAR


def check_path(t, name):
    """The critical tasks are a longest path, one after the other."""
    critical = [i for i in range(t.tasks) if t["task.critical"][i]]
    edges = set(zip(t["edge.from"], t["edge.to"]))
    height = [1] * t.tasks
    for a, b in sorted(edges, reverse=True):
        height[a] = max(height[a], height[b] + 1)
    check(len(critical) == max(height), "%s: %d critical tasks, path of %d" % (name, len(critical), max(height)))
    for a, b in zip(critical, critical[1:]):
        check((a, b) in edges and t["task.end"][a] <= t["task.start"][b] + NEAR,
              "%s: critical task %d before %d" % (name, a, b))


def check_workers(t, name):
    """No worker does two things at a time; members of a team work inside their task."""
    rows = [[] for _ in t.rows]
    members = [[0] for _ in range(t.tasks)]
    for i in range(t.tasks):
        rows[t["task.row"][i]].append((t["task.start"][i], t["task.end"][i]))
    for s, kind in enumerate(t["state.kind"]):
        if kind != TEAM:
            continue
        begin, end, row = t["state.start"][s], t["state.end"][s], t["state.row"][s]
        task, member = t["state.task"][s] - 1, t["state.member"][s]
        rows[row].append((begin, end))
        check(task >= 0 and row == t["task.row"][task] + member, "%s: member %d of task %d is worker %d"
              % (name, member, task, row))
        check(begin >= t["task.start"][task] - NEAR and end <= t["task.end"][task] + NEAR,
              "%s: member %d of task %d works outside of it" % (name, member, task))
        members[task].append(member)
    for i, list_ in enumerate(members):
        check(sorted(list_) == list(range(t["task.team"][i])), "%s: task %d of a team of %d: members %s"
              % (name, i, t["task.team"][i], list_))
    for row, pieces in enumerate(rows):
        pieces.sort()
        for a, b in zip(pieces, pieces[1:]):
            check(a[1] <= b[0] + NEAR, "%s: worker %d at %s and %s" % (name, row, a, b))


def check_set(t, name, workers):
    """Reserved workers run critical tasks together and nothing else; nobody else runs these."""
    s = Set(t)
    reserved = [list(s.reserved(row)) for row in range(workers)]
    for i in range(t.tasks):
        when, row = (t["task.start"][i], t["task.end"][i]), t["task.row"][i]
        if not t["task.critical"][i]:
            check(not any(overlap(when, r) for r in reserved[row]),
                  "%s: reserved worker %d ran ordinary task %d" % (name, row, i))
            check(t["task.team"][i] == 1, "%s: a team for ordinary task %d" % (name, i))
            continue
        first, members, wanted = s.at(when[0])
        if s.at(t["task.ready"][i])[1] > 0 and members > 0:
            check(row == first, "%s: critical task %d on %d, not %d" % (name, i, row, first))
        check(t["task.team"][i] <= max(members, 1), "%s: task %d: a team of %d, set of %d"
              % (name, i, t["task.team"][i], members))
        if members <= wanted:
            continue
        check(False, "%s: task %d began with %d members, %d wanted" % (name, i, members, wanted))
    for first, members, wanted in s.entries:
        check(first <= 1 and members < workers and wanted < workers,
              "%s: set %d %d %d" % (name, first, members, wanted))
    return s


def check_mode(t, s, how, name, workers, virtual):
    """What the mode says."""
    teams = [t["task.team"][i] for i in range(t.tasks) if t["task.critical"][i]] or [1]
    if how[1] == "regular":
        check(max(teams) == 1 and all(e[1] == 0 for e in s.entries), "%s: %s" % (name, teams))
    elif how[1] == "fixed":
        q = int(how[3])
        check(max(teams) <= q and all(e[2] <= q for e in s.entries), "%s: %s" % (name, teams))
        check(not virtual or teams == [q] * len(teams), "%s: teams of %d: %s" % (name, q, teams))
    elif how[1] == "prescribed":
        sizes = [int(q) for q in how[3].split(",")]
        sizes += [sizes[-1]] * (len(teams) - len(sizes))
        # a set that grows waits for nobody
        check(all(got <= max(want, 1) for got, want in zip(teams, sizes)), "%s: %s" % (name, teams))
    else:
        check(max(teams) < workers, "%s: %s" % (name, teams))


def check_all(file, how, name, workers, virtual):
    t = Trace(file)
    if how[1] != "regular" or virtual:
        check_path(t, name)  # regular runs need not know their path
    check_workers(t, name)
    check_mode(t, check_set(t, name, workers), how, name, workers, virtual)
    return t


MODES = (["--mode", "regular"], ["--mode", "fixed", "--reserved", 1], ["--mode", "fixed", "--reserved", 2],
         ["--mode", "prescribed", "--prescribed", "1,2,2,1,2"], ["--mode", "adaptive"])
SCHEDS = ("lws", "prio", "eager", "rand")
POTRF = ("potrf", "-n", 300, "--nb", 50, "--front", "dag")
TRSM = ("trsm", "-m", 400, "-n", 50, "--nb", 50, "--front", "dag", "--commute")

for sched in SCHEDS:
    for how in MODES:
        for problem in (POTRF, TRSM) if sched == "lws" else (POTRF,):
            name = "%s %s %s" % (problem[0], sched, " ".join(str(h) for h in how[1:]))
            run_json(*problem, "--workers", 4, "--sched", sched, "--trace", "run.twt", *how)
            check_all("run.twt", how, name, 4, False)

run_json(*TRSM, "--workers", 1, "--trace", "one.twt")
run_json(*POTRF, "--workers", 1, "--trace", "two.twt")
for sched in SCHEDS:
    for how in MODES:
        for file in ("one.twt", "two.twt"):
            name = "virtual %s %s %s" % (file, sched, " ".join(str(h) for h in how[1:]))
            (o,) = run_json("simulate", file, "--workers", 14, "--sched", sched, "--trace", "run.twt", *how)
            t = check_all("run.twt", how, name, 14, True)
            check(abs(1e-9 * t.span - o["seconds"]) < 1e-9 and t.tasks == o["tasks"], "%s: %s" % (name, o))

# The picture: bars over several rows, the ground and the size of the set; pdflatex makes one page of it.
for how in MODES:
    run("simulate", "one.twt", "--workers", 14, "--trace", "run.tex", *how)
    run("simulate", "one.twt", "--workers", 14, "--trace", "run.twt", *how)
    with open("run.tex", encoding="utf-8") as f:
        text = f.read()
    t = Trace("run.twt")
    heights = [float(h) for h in re.findall(r"\\fill\[c\d+\].*rectangle \+\([\d.]+,([\d.]+)\);", text)]
    teams = max(t["task.team"])
    check(abs(max(heights) - 0.8 * (teams - 1) - 0.64) < 1e-3, "%s: a bar of %d rows: %s" % (how, teams, max(heights)))
    check(("fill[reserved]" in text) == (how[1] != "regular"), "%s: the ground of the set" % how)
    check(text.count("critical task") == 1, "%s: legend" % how)
    if shutil.which("pdflatex"):
        done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "run.tex"], stdout=subprocess.PIPE, text=True)
        check(done.returncode == 0 and "(1 page," in done.stdout.replace("\n", ""), "%s: pdflatex: %s" % (how, done.stdout[-400:]))
code, out, err = run("simulate", "one.twt", "--trace", "run.png")
check(code == 2 and "--trace" in err and ".png" in err, err)
finish()
