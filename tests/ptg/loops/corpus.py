"""Programs of loops: read in less than a second, proved, and run under every scheduler equal to the
sequential program, kernel by kernel and tile by tile; and programs that are refused, at which place and why."""
import glob
import os
import re
import resource

from _loops import *
from _graphs import execute, finish

HERE = os.path.dirname(os.path.abspath(__file__))
count = 0


def compile_loops(path, text, jdf):
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    status, _, errors = twillc("--from-c", path, *INCLUDE, *comment(text, "options").split(), "--emit-jdf", "-o", jdf)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start  # whatever else runs
    if "built without them" in errors or "this machine has none" in errors:
        print("skipped: " + errors)
        sys.exit(77)
    if status:
        return fail(path, errors)
    if seconds > (20 if os.environ.get("TW_SLOW") == "1" else 2):
        fail(path, "%.2f s" % seconds)
    return True


def prove(jdf, text):
    open_ones = re.findall(r"^// open: (.*)$", text, re.M)
    status, said, _ = twillc("--verify", jdf)
    for name, answer in re.findall(r": ([a-z ]+): (proved|not proved|refuted)", said):
        if answer == "refuted" or (answer == "not proved") != (name in open_ones):
            fail(jdf, said)


def accept(path):
    text, name = read(path), os.path.splitext(os.path.basename(path))[0]
    jdf = name + ".jdf"
    if not compile_loops(path, text, jdf):
        return
    prove(jdf, text)
    memory = comment(text, "no memory", None) is None
    wanted = sequential(path, text, jdf, name)
    runs = execute(jdf, name, values(text), memory=memory)
    for said in runs if memory else runs[::2]:  # a second run begins with what the first has left
        wrong = difference(wanted, said, memory)
        if wrong or not wanted:
            fail(name, str(wrong))


def reject(path):
    text = read(path)
    status, out, said = twillc("--from-c", path, *INCLUDE, *comment(text, "options").split(), "-o", "rejected.c")
    wanted = re.findall(r"^//! (error|warning) (\*|\d+:\d+) (.*?)$", text, re.M)
    got = re.findall(r"^%s:(?:(\d+:\d+):)? (error|warning): (.*)$" % re.escape(path), said, re.M)
    if status != 1 or out or os.path.exists("rejected.c"):
        fail(path, "status %d, output %r" % (status, out[:80]))
    for where, severity, sentence in got:
        hits = [w for w in wanted if w[0] == severity and w[1] in ("*", where or "0:0") and w[2] in sentence]
        if hits:
            wanted.remove(hits[0])
        else:
            fail(path, "not expected: %s %s %s" % (severity, where, sentence))
    for want in wanted:
        fail(path, "not reported: %s %s %s" % want)


only = os.environ.get("TW_ONLY", "")
for file in sorted(glob.glob(os.path.join(HERE, "accept", "*%s*.c" % only))):
    accept(file)
    count += 1
for file in sorted(glob.glob(os.path.join(HERE, "reject", "*%s*.c" % only))):
    reject(file)
    count += 1
finish(count)
