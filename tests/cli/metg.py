"""The parts of `bench metg` and `bench ep` that can be wrong in silence, against definitions of their
own: which tasks depend on which, the reading of METG from a sweep, and the plots."""
import math
import os
import subprocess
import sys
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
from _cli import check, finish, folder, run, run_json

SOURCE = os.environ["TW_SOURCE_DIR"]
NAMES = ["trivial", "no_comm", "stencil_1d", "stencil_1d_periodic", "dom", "tree", "fft",
         "all_to_all", "nearest", "spread", "random_nearest"]


def build(place, name, text, *sources):
    """A small program over files of tools/ and bench/."""
    path = "%s/%s" % (place, name)
    with open(path + ".c", "w") as f:
        f.write(text)
    command = [os.environ.get("CC", "cc"), "-std=c17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror",
               "-I%s/bench" % SOURCE, "-I%s/tools" % SOURCE, path + ".c"]
    command += ["%s/tools/%s" % (SOURCE, s) for s in sources] + ["-o", path, "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    check(done.returncode == 0, "%s does not build: %s" % (name, done.stderr))
    return path


# ---- which points depend on which -----------------------------------------------------------

def points(name, width, steps, t):
    """The points of step t."""
    if name == "dom":
        first = max(0, t + width - steps)
        return set(range(first, first + min(width, t + 1, steps - t)))
    if name == "tree":
        return set(range(min(width, 2 ** t)))
    return set(range(width))


def drawn(t, i, j):
    """Is the pair of neighbours among the quarter that random_nearest takes?"""
    x = ((t % 3) << 32 | i << 16 | j) + 0x9E3779B97F4A7C15
    x &= 2 ** 64 - 1
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & (2 ** 64 - 1)
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & (2 ** 64 - 1)
    return (x >> 32) % 4 == 0


def depends(name, width, t, i, j):
    """Does point i of step t read point j of step t - 1?"""
    levels = max(1, math.ceil(math.log2(width)))
    return {
        "trivial": lambda: False,
        "no_comm": lambda: i == j,
        "stencil_1d": lambda: abs(i - j) <= 1,
        "stencil_1d_periodic": lambda: (i - j) % width in (0, 1, width - 1),
        "dom": lambda: j in (i, i - 1),
        "tree": lambda: j == i // 2,
        "fft": lambda: i == j or abs(i - j) == 2 ** ((t - 1) % levels),
        "all_to_all": lambda: True,
        "nearest": lambda: abs(i - j) <= 2,
        "spread": lambda: any(j == (i + k * width // 5 + (t % 3 if k else 0)) % width
                              for k in range(5)),
        "random_nearest": lambda: i == j or (abs(i - j) <= 2 and drawn(t, i, j)),
    }[name]()


PRINT_GRAPH = """
#include "patterns.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    pattern_graph g = {pattern_find(argv[1]), atoi(argv[2]), 2, atol(argv[3])};
    int inputs[PATTERN_WIDTH];
    printf("%ld\\n", (long)pattern_tasks(&g));
    for (long t = 0; t < g.steps; t++)
        for (int i = pattern_first(&g, t); i < pattern_first(&g, t) + pattern_count(&g, t); i++) {
            printf("%ld %d", t, i);
            int n = pattern_inputs(&g, t, i, inputs);
            for (int k = 0; k < n; k++)
                printf(" %d", inputs[k]);
            printf("\\n");
        }
}
"""


# The same from the tables of parameterised graphs: as a point sees it, or as those it reads do.
PRINT_REACH = """
#include "reach.h"
#include <stdio.h>
#include <stdlib.h>
static bool reads(const reach *r, long t, int i, int j, bool backwards)
{
    int n = 0;
    for (int k = 0; k < REACH && t > 0; k++)
        n += (backwards ? reach_reader(r, t - 1, j, k) == i : reach_source(r, t, i, k) == j);
    return n == 1;
}
int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    pattern_graph g = {pattern_find(argv[1]), atoi(argv[2]), 2, atol(argv[3])};
    static reach r;
    reach_make(&r, &g);
    printf("%ld\\n", (long)pattern_tasks(&g));
    for (long t = 0; t < g.steps; t++)
        for (long i = reach_first(&r, t); i <= reach_last(&r, t); i++) {
            printf("%ld %ld", t, i);
            for (long j = t ? reach_first(&r, t - 1) : 0; t && j <= reach_last(&r, t - 1); j++)
                if (reads(&r, t, (int)i, (int)j, argv[4][0] == 'b'))
                    printf(" %ld", j);
            printf("\\n");
        }
}
"""


def check_pattern(program, name, width, steps, *more):
    lines = subprocess.run([program, name, str(width), str(steps), *more], capture_output=True,
                           text=True).stdout.splitlines()
    wanted = []
    for t in range(steps):
        before = points(name, width, steps, t - 1) if t else set()
        for i in sorted(points(name, width, steps, t)):
            wanted.append((t, i, sorted(j for j in before if depends(name, width, t, i, j))))
    found = []
    for line in lines[1:]:
        t, i, *inputs = map(int, line.split())
        found.append((t, i, sorted(inputs)))
    check(found == wanted, "%s of width %d, %d steps" % (name, width, steps))
    check(int(lines[0]) == len(wanted), "tasks of %s of width %d" % (name, width))


# ---- METG from a sweep ----------------------------------------------------------------------

# A system whose tasks cost `overhead` each: efficiency is k / (k + overhead), so METG(50%) is twice
# the overhead, whatever the rate of the kernel is.
SWEEP = """
#include "bench/metg.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static double overhead, fastest;
static bool graph(void *arg, long iterations, double *us)
{
    (void)arg;
    *us = 1000 / 2.0 * (iterations / (fastest / 2) + overhead);
    return overhead > 0;
}
static bool plain(void *arg, long iterations, double *rate)
{
    static int calls;
    (void)arg, (void)iterations;
    *rate = ++calls < 10 ? fastest * calls / 10 : fastest; /* a clock that rises */
    return true;
}
int main(int argc, char **argv)
{
    metg_point points[] = {{8, 0.9}, {1, 0.2}, {4, 0.7}, {2, 0.3}};
    metg_runner runner = {graph, plain, NULL};
    double us = -1;
    overhead = argc > 1 ? atof(argv[1]) : 0;
    fastest = argc > 2 ? atof(argv[2]) : 1;
    printf("%.6f %.6f %.6f %.6f\\n", metg_at(points, 4, 0.5), metg_at(points, 4, 0.7),
           metg_at(points, 4, 0.1), metg_at(points, 4, 0.95));
    bool good = metg_sweep(&runner, 2, 1000, &us);
    printf("%d %.6f\\n", good, us);
}
"""


def check_sweep(program, overhead, rate):
    out = subprocess.run([program, str(overhead), str(rate)], capture_output=True, text=True).stdout
    at, sweep = out.splitlines()
    half, exact, low, high = map(float, at.split())
    check(abs(half - 2 * 2 ** 0.5) < 1e-5, "between two points: %s" % at)
    check(exact == 4 and low == 1 and math.isnan(high), "at a point, and outside: %s" % at)
    good, us = sweep.split()
    check(good == "1" and abs(float(us) / (2 * overhead) - 1) < 0.03,
          "METG with %g us per task: %s" % (overhead, us))


# ---- plots ----------------------------------------------------------------------------------

PLOT = """
#include "command/svg.h"
#include <math.h>
int main(int argc, char **argv)
{
    const double x[] = {1, 10, 100, 1000}, y[] = {1, 2, NAN, 9};
    const bool marked[] = {false, true, false, false};
    const double ends[] = {1, 1000}, peak[] = {8, 8};
    const char *const names[] = {"first", "last"};
    svg_series series[] = {{.name = "a < b & c", .x = x, .y = y, .count = 4, .hollow = marked},
                           {.name = "none", .x = x, .y = y},
                           {.name = "peak", .x = ends, .y = peak, .count = 2, .dashed = true}};
    svg_plot plot = {.title = "<title> & more",
                     .x = {.label = "x", .from = 1, .to = 1000, .logarithmic = true},
                     .y = {.label = "y", .from = 0, .to = 10},
                     .series = series, .count = 3, .ideal = 1, .hollow = "more"};
    if (argc == 3)
        plot.x.ticks = ends, plot.x.names = names, plot.x.count = 2;
    return argc >= 2 && svg_write(argv[1], &plot) ? 0 : 1;
}
"""
SVG = "{http://www.w3.org/2000/svg}"


def texts(tree, cls):
    return [t.text for t in tree.iter(SVG + "text") if t.get("class") == cls]


def check_plots(place):
    program = build(place, "plot", PLOT, "command/svg.c")
    check(subprocess.run([program, place + "/a.svg"]).returncode == 0, "a plot is written")
    check(subprocess.run([program, place + "/no/a.svg"]).returncode == 1, "no such folder")
    tree = xml.parse(place + "/a.svg").getroot()
    check(tree.tag == SVG + "svg" and texts(tree, "title") == ["<title> & more"], "title")
    check(texts(tree, "legend") == ["a < b & c", "none", "peak"], "legend")
    circles = list(tree.iter(SVG + "circle"))
    check(len(circles) == 3, "a mark for each finite value, none for a line to compare with")
    check([c.get("class") for c in circles] == [None, "page", None], "hollow points")
    check(texts(tree, "note") == ["more"], "what hollow points are")
    check(sum("stroke-dasharray" in p.attrib for p in tree.iter(SVG + "path")) == 2, "the dashed line")
    ticks = texts(tree, "tick")
    check(ticks[:10] == ["1", "2", "5", "10", "20", "50", "100", "200", "500", "1000"],
          "ticks of a logarithmic axis: %s" % ticks)
    check(ticks[10:] == ["0", "2", "4", "6", "8", "10"], "ticks of a linear axis: %s" % ticks)
    marks = [float(c.get("cx")) for c in circles]
    check(abs((marks[2] - marks[0]) / (marks[1] - marks[0]) - 3) < 0.01, "places: %s" % marks)
    check(subprocess.run([program, place + "/b.svg", "named"]).returncode == 0, "ticks with names")
    named = texts(xml.parse(place + "/b.svg").getroot(), "tick")
    check(named[:3] == ["first", "last", "0"], "names of ticks: %s" % named)


with folder() as place:
    program, both = build(place, "graph", PRINT_GRAPH), build(place, "both", PRINT_REACH, "bench/reach.c")
    for name in NAMES:
        for width, steps in ((8, 30), (1, 5), (2, 9), (7, 12), (16, 10), (64, 4)):
            check_pattern(program, name, width, steps)
            if name != "all_to_all":
                check_pattern(both, name, width, steps, "forwards")
                check_pattern(both, name, width, steps, "backwards")
    program = build(place, "sweep", SWEEP, "bench/metg.c", "bench/settle.c")
    for overhead, rate in ((0.1, 1000), (0.7, 4000), (1.5, 700), (30, 1000)):
        check_sweep(program, overhead, rate)
    out = subprocess.run([program, "0"], capture_output=True, text=True).stdout
    check(out.splitlines()[1].split()[0] == "0", "a system that fails: %s" % out)
    check_plots(place)

# ---- the commands ---------------------------------------------------------------------------

objects = run_json("bench", "metg", "--no-peers", "--repeat", 1, "--steps", 20, timeout=250)
SYSTEMS = ("twill", "twill-ptg")
check([(o["case"], o["system"]) for o in objects] == [(n, s) for n in NAMES for s in SYSTEMS],
      "patterns: %s" % objects)
for o in objects:
    check(list(o)[:5] == ["bench", "case", "system", "value", "unit"], "keys: %s" % list(o))
    check(o["bench"] == "metg" and o["unit"] == "us" and
          (o["value"] is None or o["value"] > 0), "%s" % o)
tasks = {o["case"]: o["tasks"] for o in objects}
check(tasks["fft"] == 160 and tasks["tree"] == 1 + 2 + 4 + 8 * 17, "tasks: %s" % tasks)

for front, system in (("stf", "twill"), ("dag", "twill-dag"), ("ptg", "twill-ptg")):
    for size in (0, 5):
        o, = run_json("bench", "ep", "--front", front, "--tasks", 12345, "--size", size,
                      "--repeat", 2)
        check((o["bench"], o["system"], o["unit"]) == ("ep", system, "ns/task/core"), "%s" % o)
        check(o["tasks"] == 12345 and o["sum"] == 12345 * 12344 // 2, "each ran once: %s" % o)
        check((o["ratio"] is None) == (size == 0), "the ratio needs work: %s" % o)

# Parameterised graphs are never unrolled: memory does not depend on the number of tasks.
few, = run_json("bench", "ep", "--front", "ptg", "--tasks", 1 << 10)
many, = run_json("bench", "ep", "--front", "ptg", "--tasks", 1 << 22, "--repeat", 1)
check(many["sum"] == (1 << 22) * ((1 << 22) - 1) // 2, "each ran once: %s" % many)
check(0 < few["rss_mib"] and many["rss_mib"] < few["rss_mib"] + 16, "memory: %s %s" % (few, many))

code, out, err = run("bench", "ep", "--front", "dag", "--tasks", 100000000)
check(code == 2 and "--tasks 100000000" in err and err.count("\n") == 1, "too many: %s" % err)

with folder() as place:
    path = place + "/figure.svg"
    objects = run_json("bench", "ep", "--repeat", 1, "--plot", path, timeout=250)
    # on a machine that is slow at the moment, long series are left out
    check(len({o["size"] for o in objects}) >= 5 and len({o["tasks"] for o in objects}) >= 2,
          "the figure: %s" % objects)
    check(all(o["sum"] == o["tasks"] * (o["tasks"] - 1) // 2 for o in objects), "sums")
    tree = xml.parse(path).getroot()
    check(len(list(tree.iter(SVG + "circle"))) == len(objects), "marks of the figure")
    code, out, err = run("bench", "ep", "--repeat", 1, "--plot", place + "/no/a.svg", timeout=250)
    check(code == 3 and "--plot" in err and err.count("\n") == 1, "no such folder: %s" % err)

finish()
