#!/usr/bin/env python3
"""A file of more than 1,000 lines is verified within ten seconds, and everything is proved."""
import os
import re
import subprocess
import sys

SOURCE = os.environ["TW_SOURCE_DIR"]
TWILLC = os.path.join(os.environ["TW_BUILD_DIR"], "twillc")
COPIES = 22
SECONDS = 10


def copy(text, i):
    """Figure 1 with classes and arrays of its own."""
    text = re.sub(r"\b(DPOTRF|DTRSM|DSYRK|DGEMM)\b", rf"\1_{i}", text)
    return re.sub(r"\bA\(", f"A_{i}(", text)


def cpu_of_children():
    times = os.times()
    return times.children_user + times.children_system


def main():
    with open(os.path.join(SOURCE, "tests", "ptg", "accept", "figure1.jdf")) as figure:
        text = figure.read()
    with open("large.jdf", "w") as large:
        large.write("\n".join(copy(text, i) for i in range(COPIES)))
    with open("large.jdf") as large:
        lines = len(large.readlines())
    run = subprocess.run([TWILLC, "--verify", "large.jdf"], capture_output=True, text=True)
    if run.returncode == 3:
        print(run.stderr.strip())
        return 77
    seconds = cpu_of_children()
    print(run.stdout + run.stderr + f"{lines} lines, {seconds:.2f} s")
    proved = len(re.findall(": proved$", run.stdout, re.M))
    slow = os.environ.get("TW_SLOW") == "1"
    return run.returncode != 0 or lines < 1000 or proved != 4 or (seconds > SECONDS and not slow)


if __name__ == "__main__":
    sys.exit(main())
