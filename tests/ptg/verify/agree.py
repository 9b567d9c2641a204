#!/usr/bin/env python3
"""Random graphs, some with a mistake: what --verify says must agree with looking at all instances.

Usage: agree.py [FIRST [COUNT]]   seeds; every graph is checked for N from -2 to 6 by code that
shares nothing with the compiler, or from 0 where N gives a parameter its range: sizes are not
negative. Graphs are affine, with / and % by literals.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from _space import N, Space, expr, replace

TWILLC = os.path.join(os.environ.get("TW_BUILD_DIR", "build"), "twillc")
SIZES = range(-2, 7)
PROPERTIES = ("every arrow has its arrow back", "one source per flow", "no cycle", "no race")
OVERLAP = 4  # of guards of one flow: no property, but a warning


# ---- Graphs -----------------------------------------------------------------------------------

class Class(Space):
    def __init__(self, rng, name):
        super().__init__(Space.random(rng, (1, 1, 2)).params)
        self.name, self.flows = name, []


class Flow:
    def __init__(self, mode, name):
        self.mode, self.name, self.deps = mode, name, []


class Dep:
    def __init__(self, out, guard, target, flow, args):
        self.out, self.guard, self.target, self.flow, self.args = out, guard, target, flow, args

    def text(self):
        args = ", ".join(a.text if not isinstance(a, tuple) else
                         f"{a[0].text} .. {a[1].text} .. {a[2]}" for a in self.args)
        where = f"{self.flow} {self.target.name}" if self.flow else "A"
        return f"{'->' if self.out else '<-'} {self.guard.text} ? {where}({args})"

    def targets(self, env):
        if not self.guard.value(env):
            return
        lists = [[a.value(env)] if not isinstance(a, tuple) else
                 list(range(a[0].value(env), a[1].value(env) + 1, a[2])) for a in self.args]
        points = [()]
        for values in lists:
            points = [p + (v,) for p in points for v in values]
        yield from points


def shifted(rng, e):
    return e + rng.choice((-1, 1))


def connect(rng, graph, index, wrong):
    """An arrow between two classes, told by both ends; `wrong` spoils one of them."""
    x, y = rng.choice(graph), rng.choice(graph)
    mode = rng.choice(("READ", "CTL"))
    name = f"E{index}"
    offsets = [rng.choice((-1, 0, 0, 1, 1, 2)) for _ in range(2)]
    if x is y and rng.random() < .7:
        offsets[0] = 1
    double = rng.random() < .2 and len(x.params) == len(y.params) == 1
    if len(x.params) == len(y.params):
        forth = [p * (2 if double else 1) + o for p, o in zip(x.names(), offsets)]
        back = [p - o for p, o in zip(y.names(), offsets)]
        even = back[0].mod(2).eq(0) if double else expr(1)
        back = [b.div(2) for b in back] if double else back
        send, take = y.inside(forth), even.both(x.inside(back))
    elif len(x.params) < len(y.params):
        (low, high, step) = y.params[1][1:]
        first = x.names()[0] + offsets[0]
        inner = {y.params[0][0]: first}
        forth = [first, (replace(low, inner), replace(high, inner), step)]
        y_first = Space(y.params[:1])
        back = [y.names()[0] - offsets[0]]
        send, take = y_first.inside([first]), x.inside(back)
    else:
        return
    if wrong == "send guard":
        send = rng.choice((expr(1), send.both(x.names()[0].le(3))))
    elif wrong == "take guard":
        take = rng.choice((expr(1), take.both(y.names()[0].le(3))))
    elif wrong == "send index":
        forth[0] = shifted(rng, forth[0])
    elif wrong == "take index":
        back[0] = shifted(rng, back[0])
    out = next(f for f in x.flows if f.name == ("V" if mode == "READ" else "C"))
    out.deps.append(Dep(True, send, y, name, forth))
    flow = Flow(mode, name)
    flow.deps.append(Dep(False, take, x, out.name, back))
    y.flows.append(flow)


def tile(rng, names):
    e = rng.choice(names) + rng.choice((0, 0, 1))
    return rng.choice((e, e, e, e.mod(3), e.div(2), e * 2))


def make(seed):
    rng = random.Random(seed)
    graph = [Class(rng, f"T{i}") for i in range(rng.choice((1, 2, 2, 3)))]
    for c in graph:
        values = Flow(rng.choice(("RW", "RW", "READ")), "V")
        first = rng.choice((expr(1), expr(1), c.names()[0].le(1)))
        tiles = [tile(rng, c.names()) for _ in range(rng.choice((1, 1, 2)))]
        values.deps.append(Dep(False, first, None, None, tiles[:1]))
        if rng.random() < .2:
            values.deps.append(Dep(False, rng.choice((expr(2).le(c.names()[0]), c.names()[0].eq(1))),
                                   None, None, tiles[:1]))
        if rng.random() < .4:
            values.deps.append(Dep(True, expr(1), None, None, tiles[-1:]))
        c.flows += [values, Flow("CTL", "C")]
    wrong = rng.choice((None, None, "send guard", "take guard", "send index", "take index"))
    count = rng.choice((1, 2, 3))
    for i in range(count):
        connect(rng, graph, i, wrong if i == 0 else None)
    for c in graph:
        c.flows = [f for f in c.flows if f.deps]
    return graph


def text(graph):
    lines = ['N [ type="int" ]', 'A [ type="void*" ]', ""]
    for c in graph:
        lines.append(f"{c.name}({', '.join(p[0] for p in c.params)})")
        lines.append(c.text() + ": A(0)")
        for f in c.flows:
            lines.append(f"{f.mode} {f.name}")
            lines += ["    " + d.text() for d in f.deps]
        lines += ["BODY", "END", ""]
    return "\n".join(lines)


# ---- Looking at all instances -----------------------------------------------------------------

def closure(waits):
    """Task -> all it waits for; None if there is a cycle."""
    done, state = {}, {}

    def visit(t):
        if state.get(t) == 1:
            return False
        if t in done:
            return True
        state[t] = 1
        found = set()
        for s in waits[t]:
            if not visit(s):
                return False
            found |= done[s] | {s}
        state[t] = 2
        done[t] = found
        return True
    return done if all(visit(t) for t in waits) else None


def violated(graph, n):
    """Which properties do not hold for N = n?"""
    tasks = {(c.name, args) for c in graph for args in c.instances(n)}
    sent, taken, touched, bad = {}, {}, {}, set()
    waits = {t: [] for t in tasks}
    for c in graph:
        for args in c.instances(n):
            env = c.env(n, args)
            for f in c.flows:
                sources = 0
                for d in f.deps:
                    for target in d.targets(env):
                        if not d.out and f.mode != "CTL":
                            sources += 1
                            if sources > 1:  # the first one counts
                                bad.add(OVERLAP)
                                continue
                        if d.target is None:
                            writes = d.out or f.mode == "RW"
                            touched.setdefault(target, []).append(((c.name, args), writes))
                            continue
                        here, there = (c.name, args, f.name), (d.target.name, target, d.flow)
                        key = here + there if d.out else there + here
                        side = sent if d.out else taken
                        side[key] = side.get(key, 0) + 1
                        if there[:2] not in tasks:
                            bad.add(0)
                        elif not d.out:
                            waits[(c.name, args)].append(there[:2])
    if sent != taken:
        bad.add(0)
    before = closure(waits)
    if before is None:
        bad.add(2)
        return bad, True
    for users in touched.values():
        for i, (s, s_writes) in enumerate(users):
            for t, t_writes in users[:i]:
                if s != t and (s_writes or t_writes) and s not in before[t] and t not in before[s]:
                    bad.add(3)
    return bad, False


# ---- The comparison ---------------------------------------------------------------------------

def verdicts(path):
    run = subprocess.run([TWILLC, "--verify", path], capture_output=True, text=True, timeout=60)
    if run.returncode == 3:
        print(run.stderr.strip())
        sys.exit(77)
    states, sizes, found, overlaps = [], [], [], []
    for line in run.stdout.splitlines():
        for name in PROPERTIES:
            m = re.match(rf"\S+: {name}: (proved|refuted|not proved)", line)
            if m:
                states.append(m.group(1))
                sizes.append(found)
                found = []
        m = re.search(r", with N=(-?\d+)$", line)
        if ": warning: " in line and "two sources" in line:
            overlaps += [int(m.group(1)) if m else SIZES[-1]]
        elif m:
            found.append(int(m.group(1)))
    if len(states) != 4 or (run.returncode == 1) != ("refuted" in states):
        raise AssertionError(f"unexpected output ({run.returncode}):\n{run.stdout}{run.stderr}")
    return states, sizes, overlaps


def check(seed, folder, counts):
    graph = make(seed)
    path = os.path.join(folder, f"g{seed}.jdf")
    with open(path, "w") as out:
        out.write(text(graph))
    states, sizes, overlaps = verdicts(path)
    problems = []
    sized = any("N" in line for line in text(graph).splitlines() if re.match(r"\s*\w+ = ", line))
    small = {n: violated(graph, n) for n in SIZES if n >= 0 or not sized}
    counts[OVERLAP]["warned" if overlaps else "silent"] = \
        counts[OVERLAP].get("warned" if overlaps else "silent", 0) + 1
    if not overlaps and [n for n in small if OVERLAP in small[n][0]]:
        problems.append("guards overlap, and no warning says so")
    for n in overlaps:
        if OVERLAP not in violated(graph, n)[0]:
            problems.append(f"guards are said to overlap for N={n}, where they do not")
    for i, state in enumerate(states):
        counts[i][state] = counts[i].get(state, 0) + 1
        at = [n for n in small if i in small[n][0]]
        if state == "proved" and at:
            problems.append(f"{PROPERTIES[i]}: proved, but not so for N={at[0]}")
        # Arrows that do not meet leave open what orders what.
        if state == "not proved" and [n for n in at if 0 <= n < 4 and 0 not in small[n][0]]:
            problems.append(f"{PROPERTIES[i]}: not refuted, though N={at[0]} does")
        for n in sizes[i]:
            bad, cyclic = violated(graph, n)
            if i not in bad and not (cyclic and i == 3):
                problems.append(f"{PROPERTIES[i]}: refuted for N={n}, where it holds")
    for p in problems:
        print(f"seed {seed}: {p}\n{text(graph)}")
    return not problems


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    slow = os.environ.get("TW_SLOW") == "1"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 50 if slow else 150
    counts = [{} for _ in (*PROPERTIES, OVERLAP)]
    with tempfile.TemporaryDirectory() as folder:
        good = sum(check(seed, folder, counts) for seed in range(first, first + count))
    for name, c in zip((*PROPERTIES, "overlaps"), counts):
        print(name, c)
    print(f"{good} of {count} graphs agree")
    # All answers but "not proved" must have come up, or the graphs are not worth looking at. Flows
    # without iterators have one source at most.
    if count >= 100 and any(len(set(c) - {"not proved"}) < (1 if i == 1 else 2) for i, c in enumerate(counts)):
        return 1
    return good != count


if __name__ == "__main__":
    sys.exit(main())
