"""The examples in examples/jdf: --verify has no objection, the figures are as printed, and the
pictures in docs/ are what `twill graph` draws. That they run is a test of each of them."""
import glob
import os
import re
import subprocess
import sys

BUILD = os.environ["TW_BUILD_DIR"]
SOURCE = os.environ["TW_SOURCE_DIR"]
EXAMPLES = os.path.join(SOURCE, "examples", "jdf")
# What isl cannot express in these is told, and checked up to a bound.
NOT_AFFINE = {"fft": 1, "reduction": 2}
PICTURES = {"cholesky": "SIZE=4 rtileSIZE=1 ctileSIZE=1 GRIDrows=2 GRIDcols=2",
            "fft": "LEVELS=3", "reduction": "LEVELS=3", "stencil": "N=4 T=3"}
failures = 0


def check(condition, text):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", text, flush=True)


def read(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


def run(*command):
    done = subprocess.run(command, capture_output=True, timeout=120, text=True)
    return done.returncode, done.stdout + done.stderr


def verify(file, name):
    status, text = run(os.path.join(BUILD, "twillc"), "--verify", file)
    if "built without it" in text:
        return
    answers = re.findall(r": (proved|refuted|not proved)\b", text)
    wanted = 4 - NOT_AFFINE.get(name, 0)
    check(status == 0 and len(answers) == 4 and answers.count("proved") == wanted,
          "%s: %s" % (name, text))


def printed(name):
    """The file without the comment and the C at its head, and without bodies."""
    text = read(EXAMPLES, name + ".jdf")
    text = re.sub(r"\A/\*.*?\*/\n", "", text, flags=re.S)
    text = re.sub(r"\Aextern.*?^%}\n", "", text, flags=re.S | re.M)
    return re.sub(r"^BODY\n.*?^END\n", "", text, flags=re.S | re.M)


files = sorted(glob.glob(os.path.join(EXAMPLES, "*.jdf")))
for path in files:
    verify(path, os.path.splitext(os.path.basename(path))[0])
for example, figure in (("cholesky", "figure1"), ("pingpong", "figure5")):
    check(printed(example).split() == read(SOURCE, "tests", "ptg", "accept", figure + ".jdf").split(),
          "%s is not as %s prints it" % (example, figure))
for example, settings in PICTURES.items():
    status, text = run(os.environ["TW_BIN"], "graph", os.path.join(EXAMPLES, example + ".jdf"),
                       *settings.split(), "-o", example + ".svg")
    check(status == 0 and read(example + ".svg") == read(SOURCE, "docs", "graphs", example + ".svg"),
          "docs/graphs/%s.svg is not what twill graph draws %s" % (example, text))
print("%d examples, %d failures" % (len(files), failures))
sys.exit(1 if failures or len(files) < 8 else 0)
