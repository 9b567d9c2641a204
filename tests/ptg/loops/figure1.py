"""The sequential Cholesky of Figure 7 becomes the graph of Figure 1: the same tasks and edges up to names for 1 to
12 tiles, and proved for all."""
import os
import re
import sys

from _loops import *
from _graphs import SOURCE, finish, library

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = {"potrf": "DPOTRF", "trsm": "DTRSM", "syrk": "DSYRK", "gemm": "DGEMM"}


def renamed(task):
    """As Figure 1 has it: its DGEMM(k, m, n) is gemm(k, n, m) here."""
    name, args = re.match(r"(\w+)\((.*)\)", task).groups()
    args = args.split(",")
    if name == "gemm":
        args = [args[0], args[2], args[1]]
    return "%s(%s)" % (NAMES.get(name, name), ",".join(args))


def graph(jdf, *values):
    status, text, errors = twillc("--print", "tasks", jdf, *values)
    if status or "lost" in text:
        fail(jdf, errors + text[:300])
    tasks = {renamed(t) for t in re.findall(r"^task (\S+)", text, re.M)}
    edges = sorted((renamed(a), renamed(b)) for a, b in re.findall(r"^edge (\S+)\.\w+ -> (\S+)\.\w+$", text, re.M))
    memory = sorted((renamed(t), way, tile) for way, t, tile in
                    re.findall(r"^(in|out) (\S+)\.\w+ (?:<-|->) (\S+)$", text, re.M))
    return tasks, edges, memory

def same_bits():
    """With the library's kernels it computes the bits of twill_potrf."""
    status, _, errors = twillc("--from-c", os.path.join(HERE, "figure7.c"), "-o", "figure7.c")
    command = [CC, *FLAGS, "-std=gnu17", "-O1", *INCLUDE, "-I", os.path.join(SOURCE, "src"), "-I", SOURCE, "-I", ".",
               "figure7.c", os.path.join(HERE, "figure7_run.c"), "-o", "figure7", *library(True)]
    done = subprocess.run(command, capture_output=True)
    if not done.returncode:
        done = subprocess.run([os.path.join(".", "figure7")], capture_output=True)
    if status or done.stdout.decode() != "info 0, equal bits\n":
        fail("figure 7", errors + done.stdout.decode() + done.stderr.decode())


status, _, errors = twillc("--from-c", os.path.join(HERE, "accept", "cholesky_right.c"), *INCLUDE, "--emit-jdf",
                           "-o", "cholesky.jdf")
if "built without them" in errors or "this machine has none" in errors:
    print("skipped: " + errors)
    sys.exit(77)
for nt in range(1, 13):
    ours = graph("cholesky.jdf", "NT=%d" % nt)
    theirs = graph(os.path.join(SOURCE, "examples", "jdf", "cholesky.jdf"), "SIZE=%d" % nt, "rtileSIZE=1",
                   "ctileSIZE=1", "GRIDrows=1", "GRIDcols=1")
    for what, a, b in zip(("tasks", "edges", "tiles of memory"), ours, theirs):
        if a != b or (what == "tasks" and not a):
            fail("figure 1", "%d tiles: other %s" % (nt, what))
status, said, _ = twillc("--verify", "cholesky.jdf")
if said.count(": proved") != 4:
    fail("figure 1", said)

if "-fsanitize" not in " ".join(FLAGS):  # there BLAS is linked, and not loaded
    same_bits()
finish(12)
