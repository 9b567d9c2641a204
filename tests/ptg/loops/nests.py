"""Random nests of affine loops: the graph does what the sequential program does, kernel by kernel and tile by
tile, with tiles in place and, for some, with values that go from task to task; no edge of control follows from
others. TW_SEED and TW_GRAPHS choose the first seed and how many."""
import os
import random
import re
import subprocess

from _loops import *
from _graphs import SCHEDULERS, execute, finish, library

HARD = "no list of ranges|leave no ranges|too long"
KERNELS = {"step": 1, "relax": 1, "row": 2, "add": 2, "gemm": 3, "minplus": 3, "copy": 2, "average": 4}

MAIN_BOTH = """#include "%(name)s_ptg.c"
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

static int64_t said[2][200000];
static atomic_int count;
static int now;

void ran(const char *task, int n, ...)
{
    va_list args;
    va_start(args, n);
    said[now][atomic_fetch_add(&count, 1)] = va_arg(args, int64_t);
    va_end(args);
    (void)task;
}

static int compare(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

static tile memory[2][3][16][16];

int main(void)
{
    int counts[2];
    for (now = 0; now < 2; now++) {
        for (int k = 0; k < 3 * 256; k++)
            (&memory[now][0][0][0])[k] = k;
        count = 0;
        (now ? f : f_sequential)(%(n)d, memory[now][0], memory[now][1], memory[now][2]);
        counts[now] = count;
        qsort(said[now], (size_t)counts[now], sizeof *said[now], compare);
    }
    bool same = counts[0] == counts[1] && !memcmp(said[0], said[1], (size_t)counts[0] * sizeof *said[0]) &&
                !memcmp(memory[0], memory[1], sizeof memory[0]);
    printf("%%d calls, %%s\\n", counts[0], same ? "equal" : "different");
    return !same;
}
"""


class Nest:
    def __init__(self, rng):
        self.rng, self.lines, self.calls = rng, [], 0

    def index(self, loops):
        if not loops or self.rng.random() < .15:
            return self.rng.choice(("0", "1", "N"))
        i, j = self.rng.choice(loops), self.rng.choice(loops)
        return self.rng.choice((i, i, i, i + " + 1", "N + 1 - " + i, "%s + %s" % (i, j), "2 * " + i))

    def tile(self, loops, array=None):
        array = array or self.rng.choice("ABC")
        return "&%s[%s][%s]" % (array, self.index(loops), self.index(loops))

    def call(self, loops, depth):
        kernel = self.rng.choice(sorted(KERNELS))
        args = [self.tile(loops) for _ in range(KERNELS[kernel])]
        if kernel in ("copy", "average") and self.rng.random() < .6:
            args[-1] = "OUTPUT(%s)" % args[-1]
        self.lines.append("%s%s(%s);" % ("    " * depth, kernel, ", ".join(args)))
        self.calls += 1

    def condition(self, loops):
        i, j = self.rng.choice(loops), self.rng.choice(loops)
        return self.rng.choice(("%s + %s < N" % (i, j), "%s %% 2 == %d" % (i, self.rng.randint(0, 1)),
                                "%s > %s" % (i, j), "%s != 1" % i, "%s <= 2 || %s > %s" % (i, i, j), "!(%s == N - 1)" % i))

    def loop(self, loops, depth):
        name = "ijk"[len(loops)]
        low = self.rng.choice(["0", "1"] + [v for v in loops] + [v + " + 1" for v in loops])
        high = self.rng.choice(["N", "N", "N - 1"] + loops)
        step = self.rng.choice((1, 1, 1, 2, 3))
        if self.rng.random() < .25:
            head = "for (int %s = %s; %s >= %s; %s -= %d) {" % (name, high, name, low, name, step)
        elif step == 1:
            head = "for (int %s = %s; %s <= %s; %s++) {" % (name, low, name, high, name)
        else:
            head = "for (int %s = %s; %s <= %s; %s += %d) {" % (name, low, name, high, name, step)
        self.lines.append("    " * depth + head)
        self.block(loops + [name], depth + 1)
        self.lines.append("    " * depth + "}")

    def block(self, loops, depth):
        for _ in range(self.rng.randint(1, 2 if loops else 3)):
            kind = self.rng.random()
            if len(loops) < 3 and kind < (.8 if not loops else .45):
                self.loop(loops, depth)
            elif loops and kind < .6:
                self.lines.append("    " * depth + "if (%s)" % self.condition(loops))
                self.call(loops, depth + 1)
            elif loops and kind < .66:
                self.lines.append("    " * depth + "if (%s)" % self.condition(loops))
                self.lines.append("    " * (depth + 1) + "continue;")
                self.call(loops, depth)
            else:
                self.call(loops, depth)


def program(rng):
    nest = Nest(rng)
    nest.block([], 1)
    return ('#include "ptg/loops/kernels.h"\n#include <twill/loops.h>\n\n'
            "void f(int N, tile A[16][16], tile B[16][16], tile C[16][16])\n{\n%s\n}\n" % "\n".join(nest.lines)), nest.calls


def implied(jdf, n, name):
    """Edges of control that a longer path makes unnecessary, in the graph for one N."""
    text = twillc("--print", "tasks", jdf, "N=%d" % n)[1]
    edges = re.findall(r"^edge (\S+)\.(\w+) -> (\S+)\.\w+$", text, re.M)
    after = {}
    for source, _, target in edges:
        after.setdefault(source, set()).add(target)

    def reaches(start, goal):
        seen, todo = set(), [t for t in after.get(start, ()) if t != goal]
        while todo:
            task = todo.pop()
            if task == goal:
                return True
            if task not in seen:
                seen.add(task)
                todo += after.get(task, ())
        return False
    control = {(s, t) for s, flow, t in edges if flow == "ORDER"}
    return [e for e in sorted(control) if reaches(*e)], len(control)


def in_place(path, name, n):
    try:
        status, _, errors = twillc("--from-c", path, *INCLUDE, "--in-place", "-o", name + "_ptg.c")
    except subprocess.TimeoutExpired:
        return None
    if status:
        return None if re.search(HARD, errors) else fail(name, errors)
    with open(name + "_main.c", "w") as file:
        file.write(MAIN_BOTH % {"name": name, "n": n})
    command = [CC, *FLAGS, "-std=gnu17", "-O0", "-w", *INCLUDE, name + "_main.c", "-o", name, *library(False)]
    done = subprocess.run(command, capture_output=True)
    if done.returncode:
        return fail(name, done.stderr.decode())
    environment = dict(os.environ, TWILL_SCHED=random.Random(name).choice(SCHEDULERS), TWILL_WORKERS="3")
    done = subprocess.run([os.path.join(".", name)], capture_output=True, timeout=120, env=environment)
    if done.returncode:
        fail(name, "N=%d: %s%s" % (n, done.stdout.decode(), done.stderr.decode()))
    return True


def check(seed, totals):
    rng = random.Random(seed)
    name, n = "nest_%d" % seed, rng.randint(2, 5)
    for attempt in range(40):
        text, calls = program(rng)
        with open(name + ".c", "w") as file:
            given = ", ".join(a if "&%s[" % a in text else "0" for a in "ABC")
            file.write("// values: N=%d\n// call: f(%d, %s)\n%s" % (n, n, given, text))
        status, _, errors = twillc("--from-c", name + ".c", *INCLUDE, "--emit-jdf", "-o", name + ".jdf")
        if "built without them" in errors or "this machine has none" in errors:
            print("skipped: " + errors)
            sys.exit(77)
        if status == 0:
            break
        totals["refused"] += 1
        if status != 1 or not re.search("gets the same tile|calls no kernel|never runs here|no list of ranges|leave no ranges|no function here|too long", errors):
            return fail(name, errors)
        if re.search(HARD, errors):
            totals["too hard"] += 1
    else:
        return fail(name, "nothing was accepted")
    status, said, _ = twillc("--verify", name + ".jdf")
    if "refuted" in said:
        return fail(name, said)
    totals["proved"] += said.count(": proved") == 4
    more, control = implied(name + ".jdf", n, name)
    totals["implied"] += len(more)
    totals["control"] += control
    totals["too hard"] += in_place(name + ".c", name, n) is None
    if seed % 5 == 0:
        kept = [array for array, _ in arrays(name + ".jdf")]
        given = ", ".join(a if a in kept else "0" for a in "ABC")
        source = re.sub(r"call: .*", "call: f(%d, %s)" % (n, given), read(name + ".c"), count=1)
        wanted = sequential(name + ".c", source, name + ".jdf", name)
        for said in execute(name + ".jdf", name, values(source), memory=True)[::2]:
            wrong = difference(wanted, said, True)
            if wrong:
                fail(name, "as values: " + wrong)


first = int(os.environ.get("TW_SEED", "1"))
graphs = int(os.environ.get("TW_GRAPHS", "12" if os.environ.get("TW_SLOW") == "1" else "50"))
totals = {"refused": 0, "too hard": 0, "proved": 0, "implied": 0, "control": 0}
for number in range(first, first + graphs):
    check(number, totals)
print(totals)
if totals["implied"]:
    fail("nests", "%d of %d edges of control are implied by others" % (totals["implied"], totals["control"]))
finish(graphs)
