"""The compiler on small files: accepted ones, and rejected ones with the places and sentences.

A line `//! error LINE:COLUMN text` (or warning) says what must be reported, and everything that is
reported must be said so; `*` stands for any place. Accepted files are also printed as a tree and
parsed again, which must change nothing, and the C they become must compile without a warning.
"""
import glob
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TWILLC = os.path.join(os.environ["TW_BUILD_DIR"], "twillc")
INCLUDE = os.path.join(os.environ["TW_SOURCE_DIR"], "include")
CC = os.environ.get("CC", "cc")
failures = []


def fail(path, text):
    failures.append(path)
    print("FAILED: %s: %s" % (os.path.basename(path), text), flush=True)


def twillc(*args, text=None):
    done = subprocess.run([TWILLC, *args], input=text, capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def options(path):
    """What a line `// options: ...` of the file gives to the compiler."""
    with open(path, encoding="utf-8", errors="replace") as file:
        found = re.search(r"^// options: (.*)", file.read(), re.M)
    return found[1].split() if found else []


def expectations(path):
    with open(path, encoding="utf-8", newline="") as file:
        return re.findall(r"^//! (error|warning) (\*|\d+:\d+) (.*?)\r?$", file.read(), re.M)


def reports(path, text):
    """(severity, place, sentence) of each diagnostic; checks that the line is shown."""
    found = []
    lines = text.split("\n")
    for i, line in enumerate(lines):
        match = re.match(re.escape(path) + r":(?:(\d+):(\d+):)? (error|warning|note): (.*)", line)
        if not match:
            continue
        place = "%s:%s" % (match[1] or 0, match[2] or 0)
        found.append((match[3], place, match[4]))
        if match[1] and not (lines[i + 2].rstrip().endswith("^")):
            fail(path, "no caret below %s" % line)
    return found


def compare(path, text):
    wanted = expectations(path)
    for severity, place, sentence in reports(path, text):
        for want in wanted:
            if want[0] == severity and want[1] in ("*", place) and want[2] in sentence:
                wanted.remove(want)
                break
        else:
            fail(path, "not expected: %s %s %s" % (severity, place, sentence))
    for want in wanted:
        fail(path, "not reported: %s %s %s" % want)


def round_trip(path):
    """The printed tree parses to the same tree, and both lower to the same graph."""
    status, tree, _ = twillc("--print", "ast", path)
    again, second, errors = twillc("--print", "ast", "-", text=tree)
    if status or again or tree != second:
        return fail(path, "the printed tree is not stable\n" + errors)
    first = re.sub(rb"#.*|line \d+", b"", twillc("--print", "ir", "-n", "x", path)[1])
    second = re.sub(rb"#.*|line \d+", b"", twillc("--print", "ir", "-n", "x", "-", text=tree)[1])
    if first != second or not first:
        fail(path, "the printed tree means something else")


def compiles(path):
    name = os.path.splitext(os.path.basename(path))[0]
    status, _, text = twillc("-o", name + ".c", *options(path), path)
    if status:
        return fail(path, "no C: " + text)
    command = [CC, "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", INCLUDE, "-c",
               name + ".c", "-o", os.devnull]
    done = subprocess.run(command, capture_output=True)
    if done.returncode:
        fail(path, done.stderr.decode())


def accept(path):
    status, _, text = twillc("--check", *options(path), path)
    if status:
        fail(path, "rejected:\n" + text)
        return
    compare(path, text)
    round_trip(path)
    compiles(path)


def reject(path):
    emit = path.endswith("_emit.jdf")
    name = os.path.splitext(os.path.basename(path))[0]
    status, out, text = twillc(*(["-o", name + ".c"] if emit else ["--check"]), path)
    if status != 1 or out:
        fail(path, "status %d, output %r" % (status, out[:80]))
    if os.path.exists(name + ".c"):
        fail(path, "left a file behind")
    compare(path, text)


def large():
    """A file of 1,000 lines takes less than a second."""
    text = "N A\n"
    for i in range(100):
        text += ("T%d(k, m)\n  k = 0 .. N-1\n  m = k+1 .. N-1\n: A(m, k)\n"
                 "  RW X <- (k == 0) ? A(m, k) : X T%d(k-1, m)\n       -> (k < N-1) ? X T%d(k+1, m)\n"
                 "       -> A(m, k)\n; N - k\nBODY\nEND\n" % (i, (i + 99) % 100, (i + 1) % 100))
    start = time.monotonic()
    status, _, errors = twillc("-o", "large.c", "-", text=text.encode())
    seconds = time.monotonic() - start
    limit = 10 if os.environ.get("TW_SLOW") == "1" else 1
    if status or seconds > limit:
        fail("large", "%d lines: status %d, %.2f s\n%s" % (text.count("\n"), status, seconds, errors))
    print("%d lines in %.3f s" % (text.count("\n"), seconds))


def many_globals():
    """100,000 globals take no longer than their number asks for."""
    slow = os.environ.get("TW_SLOW") == "1"  # sanitizers look at each string to the end of the file
    for what in ("", " = 7", ' [hidden=on default="2"]'):
        text = "".join("G%d%s\n" % (i, what) for i in range(4000 if slow else 100000)) + "A\nT(i)\n  i = 0 .. G5\n: A(i)\nBODY\nEND\n"
        start = time.monotonic()
        status, _, errors = twillc("-o", "many.c", "-", text=text.encode())
        seconds = time.monotonic() - start
        if status or seconds > (30 if slow else 10):
            fail("many globals", "status %d, %.2f s\n%s" % (status, seconds, errors))


accepted = sorted(glob.glob(os.path.join(HERE, "accept", "*.jdf")))
rejected = sorted(glob.glob(os.path.join(HERE, "reject", "*.jdf")))
for file in accepted:
    accept(file)
for file in rejected:
    reject(file)
large()
many_globals()
print("%d accepted, %d rejected, %d failures" % (len(accepted), len(rejected), len(failures)))
sys.exit(1 if failures or len(accepted) + len(rejected) < 80 else 0)
