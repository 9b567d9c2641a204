"""twill graph: the tasks of Figure 1 of the DAGuE paper, as DOT and as SVG."""
import os
import re
import sys
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
from _cli import check, finish, run

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "..", "ptg", "accept", "figure1.jdf")


def expected(n):
    """Tasks and edges of the tile Cholesky on n by n tiles, from its loops."""
    tasks = {"DPOTRF(%d)" % k for k in range(n)}
    edges = set()
    for k in range(n):
        for i in range(k + 1, n):
            tasks |= {"DTRSM(%d,%d)" % (k, i), "DSYRK(%d,%d)" % (k, i)}
            edges.add(("DPOTRF(%d)" % k, "DTRSM(%d,%d)" % (k, i)))
            edges.add(("DTRSM(%d,%d)" % (k, i), "DSYRK(%d,%d)" % (k, i)))
            update = "DPOTRF(%d)" % i if i == k + 1 else "DSYRK(%d,%d)" % (k + 1, i)
            edges.add(("DSYRK(%d,%d)" % (k, i), update))
            for j in range(k + 1, i):
                gemm = "DGEMM(%d,%d,%d)" % (k, i, j)
                tasks.add(gemm)
                edges |= {("DTRSM(%d,%d)" % (k, i), gemm), ("DTRSM(%d,%d)" % (k, j), gemm)}
                after = "DTRSM(%d,%d)" % (j, i) if j == k + 1 else "DGEMM(%d,%d,%d)" % (k + 1, i, j)
                edges.add((gemm, after))
    return tasks, edges


def dot(n, *more):
    status, out, err = run("graph", FILE, "SIZE=%d" % n, *more)
    check(status == 0, "status %d: %s" % (status, err))
    names = dict(re.findall(r'(n\d+) \[label="([^"]+)", fillcolor', out))
    edges = {(names[a], names[b]) for a, b in re.findall(r"(n\d+) -> (n\d+) \[", out)}
    return set(names.values()), edges, out


for size in (1, 2, 4, 7):
    tasks, edges, _ = dot(size)
    check((tasks, edges) == expected(size), "Cholesky of %d tiles is not what it should be" % size)

GRID = ["rtileSIZE=1", "ctileSIZE=1", "GRIDrows=2", "GRIDcols=2"]
tasks, edges, text = dot(4, *GRID)
check(text.count("subgraph cluster_") == 4, "four ranks, four groups")
check(len(set(re.findall(r'fillcolor="(#\w+)"', text))) == 4, "four classes, four colours")

status, out, err = run("graph", FILE, "SIZE=4", *GRID, "--format", "svg")
check(status == 0, err)
picture = xml.fromstring(out)
boxes = picture.findall(".//{http://www.w3.org/2000/svg}g[@class='task']")
check(len(boxes) == 20, "%d boxes" % len(boxes))
lines = {box.find("{http://www.w3.org/2000/svg}rect").get("stroke") for box in boxes}
check(len(lines) == 4, "four ranks, four lines: %s" % lines)
run("graph", FILE, "SIZE=2", "-o", "small.svg")
check(xml.parse("small.svg").getroot().tag.endswith("svg"), "the name says what it is")

# The graph that twill potrf runs, by its name: tasks and edges from its loops.
def factorization(n):
    tasks, edges = set(), set()
    for k in range(n):
        tasks.add("potrf(%d)" % k)
        for m in range(k + 1, n):
            tasks |= {"trsm(%d,%d)" % (m, k), "herk(%d,%d)" % (m, k)}
            edges |= {("potrf(%d)" % k, "trsm(%d,%d)" % (m, k)), ("trsm(%d,%d)" % (m, k), "herk(%d,%d)" % (m, k)),
                      ("herk(%d,%d)" % (m, k), "potrf(%d)" % m if m == k + 1 else "herk(%d,%d)" % (m, k + 1))}
            for j in range(k + 1, m):
                gemm = "gemm(%d,%d,%d)" % (m, j, k)
                tasks.add(gemm)
                edges |= {("trsm(%d,%d)" % (m, k), gemm), ("trsm(%d,%d)" % (j, k), gemm),
                          (gemm, "trsm(%d,%d)" % (m, j) if j == k + 1 else "gemm(%d,%d,%d)" % (m, j, k + 1))}
    return tasks, edges


def named(*args):
    status, out, err = run("graph", *args)
    check(status == 0 and err == "", "%s: %d %s" % (args, status, err))
    names = dict(re.findall(r'(n\d+) \[label="([^"]+)", fillcolor', out))
    return set(names.values()), {(names[a], names[b]) for a, b in re.findall(r"(n\d+) -> (n\d+) \[", out)}


for size in (1, 3, 4, 6):
    check(named("potrf", "NT=%d" % size) == factorization(size), "potrf NT=%d" % size)
for args, tasks in ((("chains", "W=3", "N=9"), 9), (("fan", "F=3", "N=8"), 8), (("stencil", "W=4", "N=12"), 12)):
    check(len(named(*args)[0]) == tasks, "%s" % (args,))

SVG = "{http://www.w3.org/2000/svg}"


def points(path):
    """Places on a path of M, C and V."""
    at, steps = (0.0, 0.0), re.findall(r"([MCV])([-\d. ]+)", path)
    for letter, text in steps:
        n = [float(x) for x in text.split()]
        if letter == "M":
            at = (n[0], n[1])
        elif letter == "V":
            yield from ((at[0], at[1] + (n[0] - at[1]) * t / 20) for t in range(21))
            at = (at[0], n[0])
        else:
            a, b, c = n[0:2], n[2:4], n[4:6]
            for t in (k / 40 for k in range(41)):
                u = 1 - t
                yield tuple(u**3 * at[i] + 3 * u * u * t * a[i] + 3 * u * t * t * b[i] + t**3 * c[i] for i in (0, 1))
            at = (c[0], c[1])


for args in (["potrf", "NT=2"], ["potrf", "NT=6"], ["stencil", "W=5", "N=23"], [FILE, "SIZE=5"]):
    status, out, err = run("graph", *args, "--format", "svg")
    picture = xml.fromstring(out)
    rects = [[float(g.find(SVG + "rect").get(k)) for k in ("x", "y", "width", "height")]
             for g in picture.findall(".//%sg[@class='task']" % SVG)]
    behind = [p.find(SVG + "title").text for p in picture.findall(SVG + "path") for x, y in points(p.get("d"))
              if any(l < x < l + w and t + 0.2 < y < t + h - 0.2 for l, t, w, h in rects)]
    check(not behind, "%s: edges behind boxes: %s" % (args, behind[:3]))
    check(all(not (a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3])
              for i, a in enumerate(rects) for b in rects[:i]), "%s: boxes on boxes" % args)

# The colours are those of a trace of the same classes, half of them white.
run("potrf", "-n", 200, "--nb", 50, "--trace", "run.dot")
with open("run.dot") as f:
    traced = dict(re.findall(r'label="([a-z]+)\(.*fillcolor="#(\w{6})', f.read()))
drawn = dict(re.findall(r'label="([a-z]+)\([^"]*", fillcolor="#(\w{6})"', run("graph", "potrf", "NT=4")[1]))
check(len(traced) == 4 and {k: [(int(v[i:i + 2], 16) + 255) // 2 for i in (0, 2, 4)] for k, v in traced.items()} ==
      {k: [int(v[i:i + 2], 16) for i in (0, 2, 4)] for k, v in drawn.items()}, "colours: %s %s" % (traced, drawn))

for arguments, words in ((["graph"], "no file given"), (["graph", "potfr", "NT=2"], "did you mean 'potrf'?"),
                         (["graph", "potrf"], "'NT' has no value"), (["graph", FILE], "'SIZE' has no value"),
                         (["graph", "no.jdf"], "no.jdf"), (["graph", FILE, "SIZE=x"], "SIZE=x"),
                         (["graph", FILE, "SIZE=2", "--format", "gif"], "--format gif"),
                         (["graph", FILE, "SIZE=2", "WIDTH=2"], "WIDTH"),
                         (["graph", FILE, "SIZE=100000"], "too large")):
    status, out, err = run(*arguments)
    check(status == 2 and words in err and (not out or "100000" in arguments[-1]), "%s: %d %s" % (arguments[1:], status, err))
finish()
