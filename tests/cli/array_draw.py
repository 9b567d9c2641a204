"""twill array: who owns what, against a model of the distribution; the picture; and bad input."""
import itertools
import json
import random
import sys
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
from _cli import check, finish, run

SVG = "{http://www.w3.org/2000/svg}"


def blocks(*words):
    status, out, err = run("array", *words, "--json")
    check(status == 0, "%s: status %d: %s" % (words, status, err))
    return [json.loads(line) for line in out.splitlines()]


def kind_of(name, extent, ranks):
    """The block of a kind of dimension."""
    if name == "none":
        return max(extent, 1)
    if name == "blocked":
        return max(-(-extent // ranks), 1)
    return 1 if name == "cyclic" else int(name[name.index("(") + 1 : -1])


def compare(extent, kinds, grid, order):
    words = ["--extent", ",".join(map(str, extent)), "--pattern", ",".join(kinds)]
    words += ["--grid", "x".join(map(str, grid)), "--order", order]
    found = {tuple(b["block"]): b for b in blocks(*words)}
    size = [kind_of(k, e, g) for k, e, g in zip(kinds, extent, grid)]
    count = [-(-e // b) for e, b in zip(extent, size)]
    wanted = list(itertools.product(*map(range, count)))
    check(sorted(found) == wanted, "%s: blocks %s" % (words, sorted(found)))
    for at in wanted:
        unit = 0
        for d in range(len(extent)) if order == "row" else reversed(range(len(extent))):
            unit = unit * grid[d] + at[d] % grid[d]
        offset = [i * b for i, b in zip(at, size)]
        inside = [min(b, e - o) for b, e, o in zip(size, extent, offset)]
        b = found[at]
        check((b["unit"], b["offset"], b["extent"]) == (unit, offset, inside), "%s: %s" % (words, b))
    for unit in {b["unit"] for b in found.values()}:
        numbers = sorted(b["local"] for b in found.values() if b["unit"] == unit)
        check(numbers == list(range(len(numbers))), "%s: numbers %s" % (words, numbers))


compare([12, 10], ["tiled(3)", "blockcyclic(2)"], [2, 2], "col")
random.seed(1)
for _ in range(25):
    dims = random.randint(1, 4)
    kinds, grid = [], []
    for d in range(dims):
        kinds.append(random.choice(["none", "blocked", "cyclic", "blockcyclic(2)", "tiled(3)"]))
        grid.append(1 if kinds[-1] == "none" else random.randint(1, 3))
    compare([random.randint(1, 7) for d in range(dims)], kinds, grid, random.choice(["row", "col"]))

shifted = blocks("--extent", "8,8", "--pattern", "tiled(2)", "--shifted", "4")
check(all(b["unit"] == sum(b["block"]) % 4 for b in shifted), "shifted: %s" % shifted)
weighted = blocks("--extent", "20", "--pattern", "tiled(2)", "--grid", "3", "--weights", "1,3,1")
check([b["unit"] for b in weighted] == [0, 0, 1, 1, 1, 1, 1, 1, 2, 2], "weighted: %s" % weighted)

status, out, err = run("array", "--extent", "12,10", "--pattern", "tiled(3),blockcyclic(2)", "--grid", "2x2")
lines = out.splitlines()
check(status == 0 and lines[0].split() == ["block", "unit", "local", "offset", "extent"], out)
check(len(lines) == 22 and lines[2].split() == ["1,0", "1", "0", "3,0", "3,2"], out)
check(lines[-1] == "properties: balanced blocks, separable", lines[-1])


def picture(name, *words):
    status, out, err = run("array", *words, "--draw", name)
    check(status == 0 and out == "", "%s: %s %s" % (words, out, err))
    groups = xml.parse(name).getroot().findall(".//%sg[@class='block']" % SVG)
    return [g.find(SVG + "rect").get("fill") for g in groups]


fills = picture("plane.svg", "--extent", "12,10", "--pattern", "tiled(3),blockcyclic(2)", "--grid", "2x2")
check(len(fills) == 20 and len(set(fills)) == 4, "%d blocks in %d colours" % (len(fills), len(set(fills))))
check(len(picture("line.svg", "--extent", "10", "--pattern", "tiled(3)", "--grid", "2")) == 4, "a line")
check(len(picture("cube.svg", "--extent", "4,4,4", "--pattern", "tiled(2)")) == 8, "a cube has 2 panels")
check(picture("empty.svg", "--extent", "0,4") == [], "nothing")

for words, sentence in [
    ([], "it is needed"),
    (["--extent", "4,x"], "1 to 6 numbers"),
    (["--extent", "1,1,1,1,1,1,1"], "1 to 6 numbers"),
    (["--extent", "4", "--pattern", "tiled"], "kinds are none"),
    (["--extent", "4", "--pattern", "tiled(0)"], "kinds are none"),
    (["--extent", "4", "--pattern", "cyclic,cyclic"], "more kinds than dimensions"),
    (["--extent", "4,4", "--grid", "2"], "a number for each dimension"),
    (["--extent", "4,4", "--pattern", "none", "--grid", "2x1"], "dimension 0 is NONE"),
    (["--extent", "4", "--grid", "2", "--shifted", "2"], "or there are shifted blocks"),
    (["--extent", "4", "--grid", "2", "--weights", "1"], "a weight for each rank"),
    (["--extent", "4", "--grid", "2", "--weights", "1,-1"], "weight 1 is -1"),
    (["--extent", "9999999", "--pattern", "cyclic"], "choose larger ones"),
]:
    status, out, err = run("array", *words)
    check(status == 2 and sentence in err and not out, "%s: %d %s" % (words, status, err))
status, out, err = run("array", "--extent", "4", "--draw", "nowhere/x.svg")
check(status == 3 and "nowhere/x.svg" in err, "%d %s" % (status, err))
finish()
