"""Graphs of the corpus that run.

Files with a line `// run: NAME=VALUE ...` take part. With `// fails: NAME=VALUE ... | words | ...` the
run must end with an error that has all these words; when something is lost and not just missing, the
list must show a dependency that leads nowhere. With `// run-only:` C text decides which tasks there
are, so that the compiler cannot list them, and only their number is compared.
"""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
from _graphs import compare, execute, fail, finish, twillc

HERE = os.path.dirname(os.path.abspath(__file__))
# The figures are left as they were printed.
FIGURES = {"figure1": "SIZE=6 rtileSIZE=2 ctileSIZE=1"}
RUN_ONLY = {"start_opaque": 12, "inline_c": 4, "start_huge": 7}

count = 0
for file in sorted(glob.glob(os.path.join(HERE, "accept", "*.jdf"))):
    name = os.path.splitext(os.path.basename(file))[0]
    with open(file) as text:
        content = text.read()
    match = re.search(r"^// run(-only)?:(.*)", content, re.M)
    failing = re.search(r"^// fails:(.*?) \| (.*)", content, re.M)
    if failing:
        count += 1
        settings = failing[1].split()
        for message in execute(file, name, dict(s.split("=") for s in settings), fails=True):
            if not all(words in message for words in failing[2].split(" | ")):
                fail(name, "it said: %s" % message)
        if name.startswith("lost") and "\nlost " not in twillc("--print", "tasks", file, *settings)[1]:
            fail(name, "the list shows nothing lost")
    if name in FIGURES:
        match = re.match(r"()(.*)", FIGURES[name])
    if not match:
        continue
    count += 1
    settings = match[2].split()
    runs = execute(file, name, dict(s.split("=") for s in settings))
    for ran in runs:
        if match[1] and len(ran) != RUN_ONLY[name]:
            fail(name, "%d tasks ran: %s" % (len(ran), ran))
        elif not match[1]:
            compare(file, name, settings, ran)

# Figure 5 needs two ranks: on one, the task that nobody would run is named.
for message in execute(os.path.join(HERE, "accept", "figure5.jdf"), "figure5", {"NT": "3"}, fails=True):
    if "PONG(k=0)" not in message:
        fail("figure5", "it said: %s" % message)
finish(count + 1)
