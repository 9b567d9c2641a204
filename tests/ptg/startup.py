"""Random spaces and guards: which tasks start by themselves, and which wait?

Each class T of a generated file waits for S(0) under a random guard, and S(0) sends to the tasks
under the same guard. So every task runs exactly once if, and only if, the start-up loops that the
compiler derives from the guard hand out precisely the tasks that wait for nobody.

TW_SEED and TW_GRAPHS choose the first seed and how many files.
"""
import os
import random as chance
import sys

sys.dont_write_bytecode = True
from _graphs import compare, execute, finish

CLASSES = 12
RAN = 'extern "C" %{\nvoid ran(const char *task, int count, ...);\n%}\n'


def term(rng, names):
    name = rng.choice(names)
    factor = rng.choice([1, 1, 1, 2, 3, -1])
    return name if factor == 1 else "%d*%s" % (factor, name)


def linear(rng, names):
    text = term(rng, names)
    for _ in range(rng.choice([0, 0, 1, 2])):
        text += rng.choice([" + ", " - "]) + term(rng, names)
    return text + rng.choice(["", " + 1", " - 1", " - 2", " + N", " - N"])


def guard(rng, names, depth):
    kind = rng.random()
    if depth == 0 or kind < 0.35:
        left, right = linear(rng, names), rng.choice([linear(rng, names), str(rng.randint(-2, 6))])
        if rng.random() < 0.1:
            left = "(%s) %% %d" % (left, rng.randint(2, 4))
        if rng.random() < 0.05:
            left = "%s * %s" % (rng.choice(names), rng.choice(names))
        return "%s %s %s" % (left, rng.choice(["<", "<=", ">", ">=", "==", "!="]), right)
    a, b = guard(rng, names, depth - 1), guard(rng, names, depth - 1)
    if kind < 0.55:
        return "(%s && %s)" % (a, b)
    if kind < 0.75:
        return "(%s || %s)" % (a, b)
    if kind < 0.87:
        return "!(%s)" % a
    if kind < 0.92:
        return "((%s) ^ (%s))" % (a, b)
    return "(%s ? %s : %s)" % (a, b, guard(rng, names, depth - 1))


def space(rng, names):
    """Definitions of the parameters, their ranges for iterators, and all names."""
    text, iters, known = "", [], ["N"]
    for name in names:
        low = rng.choice(["0", "0", "1", "-2", linear(rng, known)])
        high = rng.choice(["N", "N - 1", "4", "%s + 3" % low])
        step = rng.choice(["", "", "", " .. 2", " .. 3"])
        if rng.random() < 0.15:
            low, high, step = high, low, rng.choice([" .. -1", " .. -2"])
        text += "  %s = %s .. %s%s\n" % (name, low, high, step)
        iters.append("%s = %s .. %s%s" % (name, low, high, step))
        known.append(name)
    return text, ", ".join(iters), known


def make(rng):
    text = RAN + "N\nA\n"
    sends = ""
    for number in range(CLASSES):
        names = ["i", "j", "k"][:rng.randint(1, 3)]
        args = list(names)
        rng.shuffle(args)
        definitions, iters, known = space(rng, names)
        if rng.random() < 0.3:
            definitions += "  d = %s\n" % linear(rng, known)
            condition = guard(rng, known + ["d"], 2).replace("d", "(%s)" % definitions.split("d = ")[1].strip())
        else:
            condition = guard(rng, known, rng.randint(0, 3))
        text += ("\nT%d(%s)\n%s: A(0)\n  CTL C <- (%s) ? C%d S(0)\nBODY\n    ran(\"T%d\", %d, %s);\nEND\n"
                 % (number, ", ".join(args), definitions, condition, number, number, len(args),
                    ", ".join(args)))
        sends += "  CTL C%d -> [%s] (%s) ? C T%d(%s)\n" % (number, iters, condition, number,
                                                         ", ".join(args))
    return text + "\nS(z)\n  z = 0 .. 0\n: A(0)\n" + sends + "BODY\n    ran(\"S\", 1, z);\nEND\n"


first = int(os.environ.get("TW_SEED", "1"))
count = int(os.environ.get("TW_GRAPHS", "4"))
for seed in range(first, first + count):
    rng = chance.Random(seed)
    name = "random_%d" % seed
    with open(name + ".jdf", "w") as file:
        file.write(make(rng))
    setting = str(rng.randint(0, 6))
    for ran in execute(name + ".jdf", name, {"N": setting}):
        compare(name + ".jdf", name, ["N=" + setting], ran)
finish(count)
