#!/usr/bin/env python3
"""twillc --verify on the files of this folder.

proved/   every property must be proved; so must those of the figures in accept/
refuted/  the output is in the comment at the head of each file, one line after "expect:"; of the
          four properties only those that are not proved are named
open/     the same, for graphs of which not everything can be proved
A line "options: ..." of the comment goes to the compiler, which otherwise looks at small graphs for a
fraction of its two seconds; proved files may have notes and warnings.
Paths are left out, and bounds are N, as they depend on the machine. `corpus.py --write` writes the
expectations anew: read them before you commit.
"""
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TWILLC = os.path.abspath(os.path.join(os.environ.get("TW_BUILD_DIR", "build"), "twillc"))
PROPERTIES = ("every arrow has its arrow back", "one source per flow", "no cycle", "no race")
SEVERAL = 25  # mistakes that there must be at least


def verify(path):
    """The exit status and the lines, without what depends on where and how fast it ran."""
    folder, name = os.path.split(path)
    with open(path) as source:
        options = re.findall(r"options: (.*?)(?: \*/)?$", source.read(), re.M)
    run = subprocess.run([TWILLC, "--verify", "--seconds=0.2", name, *shlex.split(" ".join(options))], cwd=folder, capture_output=True, text=True,
                         timeout=120)
    if run.returncode == 3:
        print(run.stderr.strip())
        sys.exit(77)
    lines = run.stdout.splitlines()
    for i, line in enumerate(lines):
        line = re.sub(r"globals from 0 to [1-9]\d*", "globals from 0 to N", line)
        line = line.replace(name + ": ", "", 1) if line.startswith(name + ": ") else line
        lines[i] = line.replace(name + ":", "")
    if run.returncode not in (0, 1):
        lines.append(f"exit status {run.returncode}: {run.stderr}")
    return run.returncode, lines


def expected(text):
    return re.findall(r"expect: (.*?)(?: \*/)?$", text, re.M)


def unproved(lines):
    return [line for line in lines if line not in [f"{p}: proved" for p in PROPERTIES]]


def compare(path, status, lines):
    with open(path) as source:
        want = expected(source.read())
    got = unproved(lines)
    proved = len([line for line in lines if line.endswith(": proved")])
    states = [line for line in want if line.startswith(PROPERTIES)]
    refuted = any(": refuted" in line for line in want)
    problems = []
    if got != want:
        problems = ["expected", *["    " + w for w in want], "found", *["    " + g for g in got]]
    if proved + len(states) != 4:
        problems.append(f"{proved} properties are proved")
    if status != refuted:
        problems.append(f"exit status {status}")
    return problems


def rewrite(path, lines):
    with open(path) as source:
        text = source.read()
    head, rest = text.split("*/", 1)
    head = re.sub(r"\n \* expect: .*", "", head).rstrip()
    head += "".join(f"\n * expect: {line}" for line in unproved(lines))
    with open(path, "w") as out:
        out.write(head + " */" + rest)


def main():
    failed = 0
    files = {kind: sorted(os.path.join(HERE, kind, f) for f in os.listdir(os.path.join(HERE, kind))
                          if f.endswith(".jdf")) for kind in ("proved", "refuted", "open")}
    accept = os.path.join(HERE, "..", "accept")
    files["proved"] += [os.path.join(accept, f"figure{i}.jdf") for i in (1, 5)]
    for kind, paths in files.items():
        for path in paths:
            status, lines = verify(path)
            if "--write" in sys.argv and kind != "proved":
                # Twice, as the lines of the comment move all others.
                rewrite(path, lines)
                rewrite(path, verify(path)[1])
                continue
            problems = compare(path, status, lines)
            failed += bool(problems)
            if problems:
                print(f"{path}:", *problems, sep="\n    ")
    print(", ".join(f"{len(p)} {kind}" for kind, p in files.items()) + f", {failed} failed")
    far = [p for p in files["refuted"] if os.path.basename(p).startswith("far_")]
    return failed > 0 or len(files["refuted"]) < SEVERAL or len(far) < 5


if __name__ == "__main__":
    sys.exit(main())
