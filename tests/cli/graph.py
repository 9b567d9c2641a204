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

for arguments, words in ((["graph"], "no file given"), (["graph", FILE], "'SIZE' has no value"),
                         (["graph", "no.jdf"], "no.jdf"), (["graph", FILE, "SIZE=x"], "SIZE=x"),
                         (["graph", FILE, "SIZE=2", "--format", "gif"], "--format gif"),
                         (["graph", FILE, "SIZE=2", "WIDTH=2"], "WIDTH"),
                         (["graph", FILE, "SIZE=100000"], "too large")):
    status, out, err = run(*arguments)
    check(status == 2 and words in err and (not out or "100000" in arguments[-1]), "%s: %d %s" % (arguments[1:], status, err))
finish()
