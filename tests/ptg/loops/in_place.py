"""Programs whose tiles stay where they are: those of OpenMP tasks print what they print without tasks and, where
the compiler has OpenMP, with its tasks; and those of the corpus do what they do sequentially."""
import glob
import os
import time

from _loops import *
from _graphs import BUILD, SCHEDULERS, finish, library

HERE = os.path.dirname(os.path.abspath(__file__))


def run(program, scheduler="lws"):
    environment = dict(os.environ, TWILL_SCHED=scheduler, TWILL_WORKERS="3")
    done = subprocess.run([os.path.join(".", program)], capture_output=True, timeout=120, env=environment)
    if done.returncode:
        fail(program, "exit %d: %s" % (done.returncode, done.stderr.decode()))
    return done.stdout.decode().split()


def build(name, source, *options):
    command = [CC, *FLAGS, "-std=gnu17", "-O1", "-Wall", "-Wno-unknown-pragmas", *INCLUDE, source, "-o", name, *options]
    done = subprocess.run(command, capture_output=True)
    return done.returncode == 0 or (done.stderr.decode() if "-fopenmp" not in options else False)


def compile_loops(path, name, *options):
    status, _, errors = twillc("--from-c", path, *INCLUDE, "--in-place", "-o", name + "_ptg.c", *options)
    if "built without them" in errors or "this machine has none" in errors:
        print("skipped: " + errors)
        sys.exit(77)
    return status == 0 or fail(name, errors)


def openmp(path):
    text, name = read(path), "omp_" + os.path.splitext(os.path.basename(path))[0]
    if not compile_loops(path, name, "--function", comment(text, "function")):
        return
    for program, source, options in ((name, path, ["-lm"]), (name + "_ptg", name + "_ptg.c", ["-lm", *library(False)])):
        said = build(program, source, *options)
        if said is not True:
            return fail(program, said)
    wanted = run(name)
    if "aliases" not in name and build(name + "_openmp", path, "-fopenmp", "-lm") is True and run(name + "_openmp") != wanted:
        fail(name, "OpenMP itself computes something else")
    for scheduler in SCHEDULERS:
        got = run(name + "_ptg", scheduler)
        if got != wanted or not got:
            fail(name, "%s under %s instead of %s" % (got, scheduler, wanted))


def corpus(path):
    text, name = read(path), os.path.splitext(os.path.basename(path))[0]
    jdf = name + ".jdf"
    twillc("--from-c", path, *INCLUDE, "--emit-jdf", "-o", jdf)
    if not compile_loops(path, name):
        return
    wanted = sequential(path, text, jdf, name)
    write_main(name + "_ptg.c", text, jdf, name + "_main_p.c")
    said = build(name + "_ptg", name + "_main_p.c", *library(False))
    if said is not True:
        return fail(name, said)
    for scheduler in ("prio", "rand"):
        wrong = difference(wanted, run(name + "_ptg", scheduler), True)
        if wrong or not wanted:
            fail(name, "in place under %s: %s" % (scheduler, wrong))


count = 0
only = os.environ.get("TW_ONLY", "")
for file in sorted(glob.glob(os.path.join(HERE, "openmp", "*%s*.c" % only))):
    openmp(file)
    count += 1
# All of the corpus takes a while: every third program, unless TW_ALL is set.
for file in sorted(glob.glob(os.path.join(HERE, "accept", "*%s*.c" % only)))[::1 if only or "TW_ALL" in os.environ else 3]:
    corpus(file)
    count += 1
finish(count)
