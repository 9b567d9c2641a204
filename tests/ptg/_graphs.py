"""What tests of compiled graphs share: compile a JDF file with the sanitizers of this build, run it
twice under every scheduler, and compare what ran with what `twillc --print tasks` lists: each task
once, and along every edge the source before the target.

TW_RUNS: another number of runs. TW_WORKERS: workers, or from how many to how many, as in 3-16.
TW_PRELOAD: a library that disturbs the programs.
"""
import os
import random
import re
import subprocess
import sys

BUILD = os.environ["TW_BUILD_DIR"]
SOURCE = os.environ["TW_SOURCE_DIR"]
TWILLC = os.path.join(BUILD, "twillc")
CC = os.environ.get("CC", "cc")
FLAGS = os.environ.get("TW_CFLAGS", "").split()
SCHEDULERS = ("lws", "prio", "eager", "rand", "serial")
failures = []

DRIVER = """
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <twill/twill.h>
#include "%(name)s.h"

/* Bodies report here, in any thread; a line is written at once. */
void ran(const char *task, int count, ...);
void ran(const char *task, int count, ...)
{
    char line[200];
    int length = snprintf(line, sizeof line, "%%s(", task);
    va_list args;
    va_start(args, count);
    for (int i = 0; i < count; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, "%%s%%lld", i ? "," : "",
                           (long long)va_arg(args, int64_t));
    va_end(args);
    printf("%%s)\\n", line);
}

%(bodies)s
#define CHECK(call)                                      \\
    if ((call) != TWILL_OK) {                            \\
        fprintf(stderr, "%%s\\n", twill_message());       \\
        return 1;                                        \\
    }

int main(void)
{
    twill *tw;
    twill_graph *graph;
    const char *runs = getenv("TW_RUNS");
    static const twill_datatype whole = {.size = sizeof(twill_datatype), .rows = 1, .cols = 1, .element = 8};
    (void)whole;
    CHECK(twill_start(&tw, NULL));
%(arrays)s
    CHECK(twill_%(name)s_new(tw, %(args)s &graph));
    for (int i = 0; i < (runs ? atoi(runs) : 2); i++) {
%(before)s        CHECK(twill_ptg_run(graph));
        CHECK(twill_wait(graph));
%(after)s        printf("end\\n");
    }
    twill_graph_free(graph);
    twill_stop(tw);
    return 0;
}
"""

# Several ranks: the grid is in the arguments, and the seed of the network. They are threads of one process that
# report together, or, with a fourth argument, this process is one of those of an MPI program.
RANKS_DRIVER = """
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "comm/loopback.h"
#include "comm/mpi.h"
#include "engine/remote/remote.h"
#include "support/delays.h"
#include <twill/twill.h>
#include "%(name)s.h"

#define CHECK(call)                                      \\
    if ((call) != TWILL_OK) {                            \\
        fprintf(stderr, "%%s\\n", twill_message());       \\
        exit(1);                                         \\
    }

enum { ROWS = %(rows)d, COLUMNS = %(columns)d };

static int64_t grid[2];
static bool launched;
static uint64_t dawdling;
static pthread_barrier_t all_ranks;

static void meet(void)
{
    if (!launched)
        pthread_barrier_wait(&all_ranks);
}

static void dawdle(void)
{
    if (launched)
        test_dawdle(&dawdling);
}

void ran(const char *task, int count, ...);
void ran(const char *task, int count, ...)
{
    char line[200];
    int length = snprintf(line, sizeof line, "%%s(", task);
    va_list args;
    va_start(args, count);
    for (int i = 0; i < count; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, "%%s%%lld", i ? "," : "",
                           (long long)va_arg(args, int64_t));
    va_end(args);
    printf("%%s)\\n", line);
}

static twill_array *new_array(twill *tw)
{
    twill_array *a;
    twill_pattern p = twill_block_cyclic(ROWS, COLUMNS, 1, 1, grid[0], grid[1]);
    CHECK(twill_array_create(tw, &p, TWILL_BYTES, 8, &a));
    return a;
}

/* Number the tiles of this rank, or tell which have changed. */
static void look(twill_array *a, const char *name, int64_t first, bool fill)
{
    for (int64_t k = 0; k < ROWS * COLUMNS; k++) {
        void *data;
        int64_t ld, i = k %% ROWS, j = k / ROWS;
        if (twill_owner_at(a, i, j) != twill_rank(twill_array_context(a)))
            continue;
        twill_view v = twill_view_tile(a, i, j);
        CHECK(twill_map(v, fill ? TWILL_WRITE : TWILL_READ, &data, &ld));
        int64_t *tile = data;
        if (fill)
            *tile = first + k;
        else if (*tile != first + k)
            ran(name, 3, i, j, *tile);
        CHECK(twill_unmap(v, data));
    }
}

static void *run(void *endpoint)
{
    twill *tw;
    twill_graph *graph;
    const char *runs = getenv("TW_RUNS");
    static const twill_datatype whole = {.size = sizeof(twill_datatype), .rows = 1, .cols = 1, .element = 8};
    (void)whole;
    CHECK(twill_start(&tw, &(twill_options){.size = sizeof(twill_options), .mpi = "off"}));
    CHECK(tw_remote_open(tw, endpoint));
    dawdle();
%(arrays)s
    dawdle();
    CHECK(twill_%(name)s_new(tw, %(args)s &graph));
    for (int i = 0; i < (runs ? atoi(runs) : 2); i++) {
        dawdle();
%(before)s        CHECK(twill_ptg_run(graph));
        dawdle();
        CHECK(twill_wait(graph));
%(after)s        meet();
        if (twill_rank(tw) == 0)
            printf("end\\n");
        meet();
    }
    twill_graph_free(graph);
    twill_stop(tw);
    return NULL;
}

/* The only rank of this process. */
static int run_launched(uint64_t seed)
{
    const tw_mpi_calls *calls;
    tw_comm *comm;
    launched = true;
    CHECK(tw_mpi_load(getenv("TWILL_MPI"), &calls));
    CHECK(tw_mpi_join(calls, NULL, &comm));
    dawdling = seed * 100 + (uint64_t)comm->rank;
    for (int i = 0; i < 5; i++)
        dawdle();
    run(test_delay(comm, seed));
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread[16];
    tw_loopback *hub;
    grid[0] = atoi(argv[1]);
    grid[1] = atoi(argv[2]);
    if (argc > 4)
        return run_launched(strtoull(argv[3], NULL, 10));
    int ranks = (int)(grid[0] * grid[1]);
    tw_loopback_options network = {.seed = strtoull(argv[3], NULL, 10), .reorder = true};
    network.delay = (unsigned)(8 * network.seed);
    pthread_barrier_init(&all_ranks, NULL, (unsigned)ranks);
    CHECK(tw_loopback_open(ranks, &network, &hub));
    for (int i = 0; i < ranks; i++) {
        tw_comm *comm;
        CHECK(tw_loopback_join(hub, i, &comm));
        pthread_create(&thread[i], NULL, run, comm);
    }
    tw_loopback_close(hub);
    for (int i = 0; i < ranks; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
"""
RANKS_ARRAY = """    twill_array *%(name)s = new_array(tw);
"""
RANKS_NUMBER = """        look(%(name)s, "%(name)s", %(first)d, true);
"""
RANKS_CHANGED = """        look(%(name)s, "%(name)s", %(first)d, false);
"""

# For classes whose body the program supplies.
BODY = """
static twill_outcome %(name)s_body(twill_task *task, const void *globals, const int64_t *p,
                                   const twill_flow *flow)
{
    (void)task, (void)globals, (void)p, (void)flow;
    ran("%(name)s", %(count)d%(args)s);
    return TWILL_DONE;
}
"""

ARRAY = """    twill_array *%(name)s;
    twill_pattern %(name)s_pattern =
        twill_pattern_nd(%(dims)d, (const int64_t[]){64, 64, 64, 64}, (const int64_t[]){1, 1, 1, 1}, NULL);
    CHECK(twill_array_create(tw, &%(name)s_pattern, TWILL_BYTES, 8, &%(name)s));
"""

# Where values count: memory of the program's own with a number of its own in every tile, and a list of
# those that a run has changed.
ROWS, COLUMNS = 16, 16
MEMORY = """    static int64_t %(name)s_memory[%(rows)d * %(columns)d];
    twill_array *%(name)s;
    twill_pattern %(name)s_pattern = twill_tiled(%(rows)d, %(columns)d, 1, 1);
    CHECK(twill_array_wrap(tw, &%(name)s_pattern, TWILL_BYTES, 8, %(name)s_memory, %(rows)d, &%(name)s));
"""
NUMBER = """        for (int k = 0; k < %(rows)d * %(columns)d; k++)
            %(name)s_memory[k] = %(first)d + k;
"""
CHANGED = """        for (int k = 0; k < %(rows)d * %(columns)d; k++)
            if (%(name)s_memory[k] != %(first)d + k)
                ran("%(name)s", 3, (int64_t)(k %% %(rows)d), (int64_t)(k / %(rows)d), %(name)s_memory[k]);
"""


def initial(array, i, j):
    """What a tile of the array with that number has at first."""
    return 1 + (array * COLUMNS + j) * ROWS + i


def fail(name, text):
    failures.append(name)
    print("FAILED: %s: %s" % (name, text), flush=True)


def twillc(*args):
    for path in args:
        if path.endswith(".jdf") and "--from-c" not in args:
            with open(path, errors="replace") as file:
                found = re.search(r"^// options: (.*)", file.read(), re.M)
            args = (*(found[1].split() if found else []), *args)
    done = subprocess.run([TWILLC, *args], capture_output=True, timeout=300)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def write_driver(path, name, values, memory, ranks):
    """A program that makes the graph's arguments from what the compiler says about its globals."""
    arrays, args, bodies, before, after, current = "", "", "", "", "", None
    number = 0
    for line in twillc("--print", "ir", path)[1].splitlines():
        current = re.match(r"class (\w+)\((.*)\)", line) or current
        if line == "  body supplied by the driver":
            count = len(current[2].split(","))
            bodies += BODY % {"name": current[1], "count": count,
                              "args": "".join(", p[%d]" % i for i in range(count))}
            args += current[1] + "_body, "
        match = re.match(r"global (\w+): (\w+), argument(.*)", line)
        if not match:
            continue
        global_name, kind, rest = match.groups()
        if kind == "value":
            args += values[global_name] + ", "
        elif kind == "datatype":
            args += "&whole, "
        elif memory:
            fill = {"name": global_name, "rows": ROWS, "columns": COLUMNS, "first": initial(number, 0, 0)}
            arrays += (RANKS_ARRAY if ranks else MEMORY) % fill
            before += (RANKS_NUMBER if ranks else NUMBER) % fill
            after += (RANKS_CHANGED if ranks else CHANGED) % fill
            args += global_name + ", "
            number += 1
        else:
            dims = re.search(r"(\d)-dimensional", rest)
            arrays += ARRAY % {"name": global_name, "dims": int(dims[1]) if dims else 1}
            args += global_name + ", "
    with open(name + "_main.c", "w") as file:
        file.write((RANKS_DRIVER if ranks else DRIVER) %
                   {"name": name, "arrays": arrays, "args": args, "bodies": bodies, "before": before,
                    "after": after, "rows": ROWS, "columns": COLUMNS})


def library(ranks):
    """What a program is linked with: the endpoints of ranks are no part of the interface yet."""
    if not ranks:
        return ["-L", BUILD, "-ltwill", "-Wl,-rpath," + BUILD]
    return [os.path.join(SOURCE, "tests/support/delays.c"), "-fno-lto", os.path.join(BUILD, "libtwill.a"), "-lhwloc", "-lpthread", "-ldl", "-lm"]


def build(path, name, values, memory, ranks):
    status, _, text = twillc("-o", name + ".c", path)
    if status:
        return fail(name, text)
    write_driver(path, name, values, memory, ranks)
    command = [CC, *FLAGS, "-std=c17", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror",
               "-Wno-tautological-compare", "-I",
               os.path.join(SOURCE, "include"), "-I", os.path.join(SOURCE, "src"), "-I",
               os.path.join(SOURCE, "tests"), name + ".c", name + "_main.c", "-o", name,
               *library(ranks)]
    built = subprocess.run(command, capture_output=True)
    if built.returncode:
        return fail(name, built.stderr.decode())
    return True


def workers(name, scheduler):
    """The same for the same program: a failure can be repeated."""
    first, _, last = os.environ.get("TW_WORKERS", "3").partition("-")
    return random.Random(name + scheduler).randint(int(first), int(last or first))


def run(name, scheduler, fails=False, args=()):
    number = str(workers(name, scheduler))
    environment = dict(os.environ, TWILL_SCHED=scheduler, TWILL_WORKERS=number)
    if "TW_PRELOAD" in os.environ:
        environment["LD_PRELOAD"] = os.environ["TW_PRELOAD"]
    where = "%s under %s with %s workers" % (" ".join([name, *args]), scheduler, number)
    try:
        done = subprocess.run([os.path.join(".", name), *args], capture_output=True, timeout=120,
                              env=environment)
    except subprocess.TimeoutExpired:
        return fail(where, "it did not end")
    if fails and done.returncode == 1:
        return [done.stderr.decode()]
    if done.returncode:
        return fail(where, "exit %d: %s" % (done.returncode, done.stderr.decode()))
    if fails:
        return fail(where, "it should have failed")
    return [one.split() for one in done.stdout.decode().split("end\n")[:-1]]


def execute(path, name, values, fails=False, memory=False, grids=()):
    """What the runs say under all schedulers, or on these grids of ranks, each under another one: the
    tasks in the order of their ends, and with `memory` the tiles that have changed; or the message, if
    the run must fail."""
    if not build(path, name, values, memory, bool(grids)):
        return []
    ways = [(SCHEDULERS[i % len(SCHEDULERS)], (str(p), str(q), str(i))) for i, (p, q) in enumerate(grids)]
    return [what for scheduler, args in ways or [(s, ()) for s in SCHEDULERS]
            for what in run(name, scheduler, fails, args) or []]


def compare(path, name, settings, ran):
    status, text, errors = twillc("--print", "tasks", path, *settings)
    if status:
        return fail(name, errors)
    tasks = re.findall(r"^task (\S+)", text, re.M)
    if sorted(tasks) != sorted(ran):
        return fail(name, "listed %s, ran %s" % (sorted(tasks), sorted(ran)))
    order = {task: i for i, task in enumerate(ran)}
    for source, target in re.findall(r"^edge (\S+)\.\w+ -> (\S+)\.\w+$", text, re.M):
        if order[source] > order[target]:
            fail(name, "%s ran after %s" % (source, target))
    if re.search(r"^lost ", text, re.M):
        fail(name, "a dependency leads nowhere")


def finish(count):
    print("%d graphs, %d failures" % (count, len(failures)))
    sys.exit(1 if failures or not count else 0)
