"""Random affine graphs, what they mean, and whether a run says the same.

A task mixes what its flows bring into one number, writes it into those it may write, and reports it.
What must come out is computed here, by running the tasks one after the other: each flow takes what
its source left in it, whoever has changed that since. Arrows may go to one task or to many, reach a
flow only where a condition holds, and carry no data; flows may begin in memory, in a tile that an
earlier task has stored, in a fresh buffer, or with nothing. The graphs are right, so --verify must not
refute any of them.

TW_SEED and TW_GRAPHS choose the first seed and how many files.
"""
import os
import random
import re

from _graphs import execute, fail, finish, initial, twillc
from _space import N, Space, expr, replace, var

MASK = (1 << 64) - 1
FACTOR = 0x9E3779B97F4A7C15
NOTHING = 0x55

PROLOGUE = """extern "C" %%{
#include <stdint.h>
void ran(const char *task, int count, ...);
static inline uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * %dU;
    return h ^ h >> 29;
}
static inline uint64_t get(const void *data)
{
    return data ? *(const uint64_t *)data : %d;
}
static inline void put(void *data, uint64_t v)
{
    if (data)
        *(uint64_t *)data = v;
}
%%}
""" % (FACTOR, NOTHING)


def mix(h, v):
    h = (h ^ v) * FACTOR & MASK
    return h ^ h >> 29


def signed(v):
    return v - (1 << 64) if v >> 63 else v


# ---- Graphs -----------------------------------------------------------------------------------

class Arg:
    """An argument: an expression in the taker's parameters; `plain` if it is one of them and a number."""

    def __init__(self, value, plain=None):
        self.value, self.plain = value, plain


class Source:
    """Where a flow comes from when the guard holds: flow `flow` of cls(args), or memory."""

    def __init__(self, guard, kind, cls=None, flow=None, args=()):
        self.guard, self.kind, self.cls, self.flow, self.args = guard, kind, cls, flow, args


class Flow:
    def __init__(self, name, mode):
        self.name, self.mode, self.sources, self.lines = name, mode, [], []
        self.stored = None  # the guard of its store into the tile of its own
        self.array = None

    def writes(self):
        return self.mode in ("RW", "WRITE")


class Class(Space):
    def __init__(self, rng, number):
        super().__init__(Space.random(rng, (1, 2, 2, 3)).params)
        self.name = "T%d" % number
        modes = [rng.choice(("RW", "RW", "READ", "WRITE")) for _ in range(rng.randint(1, 3))]
        self.flows = [Flow("XYZ"[i], mode) for i, mode in enumerate(modes)]
        self.control = Flow("C", "CTL")


def tile(args):
    """The indices of a tile that belongs to this instance, if it has no more than two parameters."""
    return [(list(args) + [expr(0)])[d] + 1 for d in range(2)]


def argument(rng, names, dim):
    kind = rng.random()
    i = dim if dim < len(names) and rng.random() < .7 else rng.randrange(len(names))
    name, other = names[i], rng.choice(names)
    if kind < .6:
        offset = rng.choice((0, 0, 1, -1, -2))
        return Arg(name + offset, (name.text, offset))
    return Arg(rng.choice((N - 1 - name, expr(rng.randint(0, 2)), name + other - 1, name * 2, name.div(2),
                           name.mod(2))))


def condition(rng, names):
    a, b = rng.choice(names), rng.choice(names)
    return rng.choice((expr(1), expr(1), a.le(rng.randint(0, 3)), a.eq(b), (a + b).mod(2).eq(0), a.le(N - 2)))


def choose(rng, graph, taker, layers):
    """A task for the taker to wait for: one that runs before it in the order of the whole."""
    here = graph.index(taker)
    cls = rng.choice(graph[:here + 1] if layers else graph)
    before = graph.index(cls) < here
    names = taker.names()
    args = [argument(rng, names, d) for d in range(len(cls.params))]
    if not (layers and before):
        distance = rng.randint(0 if before else 1, 2)
        args[0] = Arg(names[0] - distance, (names[0].text, -distance))
    return cls, args, cls.inside([a.value for a in args]).both(condition(rng, names))


def none_of(sources):
    rest = expr(1)
    for s in sources:
        rest = rest.both(s.guard.negated())
    return rest


def has_tiles(cls):
    return len(cls.params) < 3


def begin(rng, cls, flow):
    """Where the flow comes from if from no task."""
    kinds = {"READ": ("memory", "memory", "null", None), "RW": ("own", "own", "own", "null", None),
             "WRITE": ("new", "new", "own", "null", None)}
    kind = rng.choice(kinds[flow.mode])
    if not flow.sources and flow.mode != "WRITE":
        kind = kind or "null"  # what begins nowhere at all would be a fresh buffer
    if kind == "own" and not has_tiles(cls):
        kind = "null"
    if kind:
        flow.sources.append(Source(none_of(flow.sources), kind))


def connect(rng, graph, layers):
    for taker in graph:
        for flow in taker.flows:
            for _ in range(rng.choice((0, 1, 1, 2))):
                cls, args, guard = choose(rng, graph, taker, layers)
                guard = guard.both(none_of(flow.sources))
                flow.sources.append(Source(guard, "task", cls, rng.choice(cls.flows), args))
            begin(rng, taker, flow)
        for _ in range(rng.choice((0, 0, 1, 2))):
            cls, args, guard = choose(rng, graph, taker, layers)
            taker.control.sources.append(Source(guard, "task", cls, cls.control, args))


def flows_with_data(graph):
    """Those that are never NULL."""
    flows = [f for c in graph for f in c.flows]
    sure = set(flows)
    changed = True
    while changed:
        changed = False
        for f in list(sure):
            last = f.sources[-1] if f.sources else None
            fine = last.kind in ("memory", "own", "new") if last else f.mode == "WRITE"
            if not fine or any(s.flow not in sure for s in f.sources if s.kind == "task"):
                sure.remove(f)
                changed = True
    return sure


def store(rng, graph, layers):
    """Some flows go to memory, from where tasks that wait for theirs by control may read them."""
    sure = flows_with_data(graph)
    number = 1
    for c in graph:
        for f in c.flows:
            if f in sure and has_tiles(c) and rng.random() < .6:
                f.stored = rng.choice((expr(1), expr(1), condition(rng, c.names())))
            if f.stored or any(s.kind == "own" for s in f.sources):
                f.array, number = number, number + 1
    for taker in graph:
        if rng.random() < .6:
            cls, args, guard = choose(rng, graph, taker, layers)
            stored = [f for f in cls.flows if f.stored and f.stored.text == "1"]
            if stored:
                late = Flow("L", "READ")
                late.sources.append(Source(guard, "late", cls, rng.choice(stored), args))
                taker.flows.append(late)
                taker.control.sources.append(Source(guard, "task", cls, cls.control, args))
    for taker in graph:
        cls, args, guard = choose(rng, graph, taker, layers)
        if cls.flows[-1].name == "L":  # what was read there is written here, but not there
            flow = Flow("K", "RW")
            flow.sources.append(Source(guard, "task", cls, cls.flows[-1], args))
            taker.flows.append(flow)


def make(rng):
    graph = [Class(rng, number) for number in range(rng.randint(1, 4))]
    layers = rng.random() < .5
    connect(rng, graph, layers)
    store(rng, graph, layers)
    return graph, layers


# ---- As text ----------------------------------------------------------------------------------

def place(array, indices):
    return "%s(%s)" % (array, ", ".join(e.text for e in indices))


def target(taker, source):
    if source.kind == "memory":
        return place("A", tile(taker.names()))
    if source.kind in ("own", "late"):
        names = taker.names() if source.kind == "own" else [a.value for a in source.args]
        return place("M%d" % source.flow.array, tile(names))
    if source.kind == "new":
        return "NEW [ type = whole ]"
    if source.kind == "null":
        return "NULL"
    return "%s %s" % (source.flow.name, place(source.cls.name, [a.value for a in source.args]))


def takes(rng, taker, flow):
    """The lines of a flow that say where it comes from."""
    for s in flow.sources:
        if s.kind == "own":
            s.flow = flow
    if flow.mode == "WRITE" and len(flow.sources) == 1 and flow.sources[0].kind == "new" and rng.random() < .5:
        return []
    if len(flow.sources) == 2 and flow.mode != "CTL" and flow.sources[1].kind not in ("task", "new") and \
            rng.random() < .5:
        first, second = flow.sources
        return ["<- %s ? %s : %s" % (first.guard.text, target(taker, first), target(taker, second))]
    return ["<- %s%s" % ("" if s.guard.text == "1" else s.guard.text + " ? ", target(taker, s))
            for s in flow.sources]


def sends(rng, taker, flow, source):
    """The line at the other end: all instances of the taker that take from this one."""
    known, rest = {}, []
    for (name, *_), arg in zip(source.cls.params, source.args):
        if arg.plain and arg.plain[0] not in known and rng.random() < .8:
            known[arg.plain[0]] = var(name) - arg.plain[1]
        else:
            rest.append((arg.value, var(name)))
    guard, iterators, names, ranges = expr(1), [], {}, []
    for i, (name, low, high, step) in enumerate(taker.params):
        low, high = replace(low, names), replace(high, names)
        if name in known:
            names[name] = known[name]
            guard = guard.both(low.le(known[name])).both(known[name].le(high))
            if step > 1:
                guard = guard.both((known[name] - low).mod(step).eq(0))
        else:
            names[name] = var("j%d" % i)
            ranges.append("%s .. %s .. %d" % (low.text, high.text, step))
            iterators.append("j%d = %s" % (i, ranges[-1]))
    for value, own in rest:
        guard = guard.both(replace(value, names).eq(own))
    guard = guard.both(replace(source.guard, names))
    args = [names[p[0]].text for p in taker.params]
    before = "[%s] " % ", ".join(iterators) if iterators else ""
    behind = ""
    if not re.search(r"\bj\d\b", guard.text) and rng.random() < .7:
        before, behind = "", before
        if len(iterators) == 1 and rng.random() < .5:
            args, behind = [ranges[0] if re.fullmatch(r"j\d", a) else a for a in args], ""
    return "-> %s%s ? %s%s %s(%s)" % (before, guard.text, behind, flow.name, taker.name, ", ".join(args))


def body(c):
    lines = ["    uint64_t h = 1;"]
    lines += ["    h = mix(h, (uint64_t)%s);" % p[0] for p in c.params]
    lines += ["    h = mix(h, get(%s));" % f.name for f in c.flows if f.mode != "WRITE"]
    lines += ["    put(%s, h + %d);" % (f.name, i) for i, f in enumerate(c.flows) if f.writes()]
    args = [p[0] for p in c.params] + ["(int64_t)h"]
    lines.append("    ran(\"%s\", %d, %s);" % (c.name, len(args), ", ".join(args)))
    return "\n".join(lines)


def text(rng, graph, placed):
    for c in graph:
        for f in c.flows + [c.control]:
            f.lines = takes(rng, c, f)
    for c in graph:
        for f in c.flows + [c.control]:
            for s in f.sources:
                if s.kind == "task":
                    s.flow.lines.append(sends(rng, c, f, s))
            if f.stored:
                f.lines.append("-> %s ? %s" % (f.stored.text, place("M%d" % f.array, tile(c.names()))))
    arrays = sorted(f.array for c in graph for f in c.flows if f.array)
    parts = [PROLOGUE, "N", "A", *["M%d" % a for a in arrays], ""]
    for c in graph:
        where = place("A", placed(c))
        parts.append("%s(%s)\n%s: %s" % (c.name, ", ".join(p[0] for p in c.params), c.text(), where))
        for f in c.flows + [c.control]:
            if f.lines or f.mode == "WRITE":
                parts.append("  %s %s" % (f.mode, f.name) + "".join("\n    " + line for line in f.lines))
        parts.append("BODY\n%s\nEND\n" % body(c))
    return "\n".join(parts)


# ---- One task after the other -----------------------------------------------------------------

class Meaning:
    """What a graph does: `tasks` and `tiles` as the program reports them, `edges` between tasks. Tiles
    that a task may write in place, but never stores into, are `open`."""

    def __init__(self, graph, layers, n):
        self.n, self.left, self.memory = n, {}, {}
        self.tasks, self.tiles, self.open, self.edges = {}, {}, set(), []
        tasks = [(c, p) for c in graph for p in c.instances(n)]
        order = {c: i for i, c in enumerate(graph)}
        tasks.sort(key=lambda t: (order[t[0]], t[1]) if layers else (t[1][0], order[t[0]], t[1]))
        for c, p in tasks:
            self.run(c, p)
        self.tiles = {"M%d(%d,%d" % tile: signed(v) for tile, v in self.memory.items() if v != initial(*tile)}

    def place(self, array, args):
        return (array, *(e.value({}) for e in tile([expr(a) for a in args])))

    def load(self, array, args):
        place = self.place(array, args)
        return self.memory.get(place, initial(*place))

    def take(self, source, env, p):
        """The value that comes from there, and the task."""
        args = tuple(a.value.value(env) for a in source.args)
        if source.kind == "task":
            return self.left[source.cls, args].get(source.flow), (source.cls.name, args)
        if source.kind == "memory":
            return self.load(0, p), None
        if source.kind in ("own", "late"):
            return self.load(source.flow.array, p if source.kind == "own" else args), None
        return None if source.kind == "null" else 0, None

    def run(self, c, p):
        env, value, h = c.env(self.n, p), {}, 1
        for v in p:
            h = mix(h, v & MASK)
        for f in c.flows + [c.control]:
            found = [self.take(s, env, p) for s in f.sources if s.guard.value(env)]
            self.edges += [(task, (c.name, p)) for _, task in found if task]
            if f is c.control:
                continue
            assert len(found) <= 1
            value[f] = found[0][0] if found else 0 if f.mode == "WRITE" and not f.sources else None
            if f.mode != "WRITE":
                h = mix(h, NOTHING if value[f] is None else value[f])
        for i, f in enumerate(c.flows):
            if f.writes() and value[f] is not None:
                value[f] = h + i & MASK
            if f.stored and f.stored.value(env):
                self.memory[self.place(f.array, p)] = value[f]
            elif f.array:
                self.open.add("M%d(%d,%d" % self.place(f.array, p))
        self.left[c, p] = value
        self.tasks[c.name, p] = signed(h)


# ---- The comparison ---------------------------------------------------------------------------

def differences(meaning, said, ordered=True):
    """What a run said that it should not have, and what it left out; and, if its lines are in order, what ran
    too early."""
    order, tasks, tiles = {}, {}, {}
    for number, line in enumerate(said):
        place, value = line[:-1].rsplit(",", 1)
        name, args = place.split("(")
        if name[0] == "T":
            task = name, tuple(map(int, args.split(",")))
            if task in tasks:
                yield "%s ran twice" % place
            order[task], tasks[task] = number, int(value)
        elif place not in meaning.open:
            tiles[place] = int(value)
    for got, wanted in ((tasks, meaning.tasks), (tiles, meaning.tiles)):
        for key in sorted(set(got) | set(wanted), key=str):
            if got.get(key) != wanted.get(key):
                yield "%s: %s instead of %s" % (key, got.get(key), wanted.get(key))
    for source, taker in meaning.edges if ordered else ():
        if order.get(source, 0) > order.get(taker, 0):
            yield "%s ran after %s" % (source, taker)


# ---- All of it --------------------------------------------------------------------------------

def prepare(seed, name, placed):
    """A file with a random graph, a number N for it, and what it means."""
    rng = random.Random(seed)
    graph, layers = make(rng)
    with open(name + ".jdf", "w") as file:
        file.write(text(rng, graph, placed))
    n = rng.randint(1, 6)
    return n, Meaning(graph, layers, n)


def check(seed, name, placed, **how):
    n, meaning = prepare(seed, name, placed)
    status, said, _ = twillc("--verify", name + ".jdf")
    if status == 1:
        fail(name, said)
    for said in execute(name + ".jdf", name, {"N": str(n)}, memory=True, **how):
        wrong = list(differences(meaning, said))
        if wrong:
            fail(name, "with N=%d: %s" % (n, "; ".join(wrong[:5])))
    return len(meaning.tasks), len(meaning.edges)


def check_all(check_one, usual):
    """Check graphs, so many unless the environment says otherwise."""
    first = int(os.environ.get("TW_SEED", "1"))
    count = int(os.environ.get("TW_GRAPHS", usual // 2 if os.environ.get("TW_SLOW") == "1" else usual))
    sums = [sum(column) for column in zip(*(check_one(seed) for seed in range(first, first + count)))]
    print("%d tasks, %d edges" % tuple(sums))
    finish(count)
