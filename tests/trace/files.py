"""What is written is accepted: by a JSON parser, Graphviz, pdflatex; and files that are not traces
are refused."""
import base64
import html.parser
import json
import os
import re
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["TW_SOURCE_DIR"], "tests", "cli"))
from _cli import BIN, check, finish, run, run_json
from _twt import Trace

code, out, err = run("potrf", "-n", 500, "--nb", 50, "--workers", 2, "--front", "stf",
                     "--trace", "run.twt")
check(code == 0 and "trace in run.twt" in out, "potrf: %s%s" % (out, err))
t = Trace("run.twt")
check(t.title == "potrf d n=500 nb=50" and t.command.startswith("twill potrf -n 500"),
      "%s %s" % (t.title, t.command))

# A program that says nothing of itself is known by its name and command line; its memory counts when it
# is the program's own, too.
run("potrf", "-n", 300, "--nb", 100, "--layout", "wrapped", env={"TWILL_TRACE": "own.twt"})
own = Trace("own.twt")
check(own.title == os.path.basename(BIN) and own.command == BIN + " potrf -n 300 --nb 100 --layout wrapped",
      "%s: %s" % (own.title, own.command))
check(max(own["memory.bytes"]) >= 300 * 300 * 8, "memory of wrapped arrays: %s" % max(own["memory.bytes"]))

# Two runs in one page.
code, out, err = run("trace", "run.twt", "--compare", "own.twt", "--to", "pair.html")
with open("pair.html", encoding="utf-8") as f:
    page = f.read()
check(code == 0 and out.startswith("wrote pair.html\n") and page.count("<iframe") == 2, "pair: %d %s" % (code, err))
check("potrf d n=500 nb=50" in page and "--layout wrapped" in page, "both runs are in it")
check(sorted(f for f in os.listdir(".") if "part" in f) == [], "nothing else is left")
code, out, err = run("trace", "run.twt", "--compare", "own.twt", "--to", "pair.twt")
check(code == 2 and "--to pair.twt" in err and out == "", "two runs in a .twt: %d %s" % (code, err))


def convert(ending):
    path = "run." + ending
    code, out, err = run("trace", "run.twt", "--to", path)
    check((code, out, err) == (0, "wrote %s\n" % path, ""), "%s: %d %s %s" % (path, code, out, err))
    with open(path, encoding="utf-8") as f:
        return f.read()


# Chrome's format: every task, its parameters, the curve, the path.
events = json.loads(convert("json"))["traceEvents"]
tasks = [e for e in events if e.get("cat") == "task"]
check(len(tasks) == t.tasks, "%d events for %d tasks" % (len(tasks), t.tasks))
for i, e in enumerate(sorted(tasks, key=lambda e: e["args"]["task"])):
    check(abs(e["ts"] - 1e-3 * t["task.start"][i]) < 1e-3, "start of %s" % e)
    check(e["name"] == t.classes[t["task.class"][i]] and e["tid"] == t["task.row"][i], "%s" % e)
    names = t.parameters[t["task.class"][i]]
    check([e["args"][n] for n in names] == t.values(i), "parameters of %s" % e)
check({e["ph"] for e in events} == {"M", "X", "i", "C", "s", "f"} or
      {e["ph"] for e in events} == {"M", "X", "C", "s", "f"}, "kinds of events")
check({e["args"]["name"] for e in events if e.get("name") == "thread_name"} == set(t.rows), "rows")

# Graphviz.
text = convert("dot")
check(text.count(" -> ") == len(t["edge.from"]), "edges in DOT")
(stats,) = run_json("trace", "run.twt")
red = len(re.findall(r"label=.*color=red", text))
check(red == stats["longest_path"]["tasks"], "red tasks in DOT: %d" % red)
if shutil.which("dot"):
    done = subprocess.run(["dot", "-Tplain", "run.dot"], capture_output=True, timeout=240)
    check(done.returncode == 0 and not done.stderr, "dot: %s" % done.stderr.decode())
    check(done.stdout.decode().count("\nnode ") == t.tasks, "dot draws all tasks")
else:
    print("dot is not here: its part is left out")

# LaTeX.
text = convert("tex")
check("potrf d n=500 nb=50" in text and "worker 1" in text, "title and rows in TeX")
if shutil.which("pdflatex"):
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "run.tex"],
                          capture_output=True, timeout=240, stdin=subprocess.DEVNULL)
    check(done.returncode == 0 and os.path.getsize("run.pdf") > 1000,
          "pdflatex: %s" % done.stdout.decode(errors="replace")[-500:])
    check("1 page" in done.stdout.decode(errors="replace"), "one page")
else:
    print("pdflatex is not here: its part is left out")


# The page: the numbers that it holds are those of the trace.
class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.inside, self.found = None, {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.inside = dict(attrs).get("id") if tag == "script" else None

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside:
            self.found[self.inside] = self.found.get(self.inside, "") + data


text = convert("html")
page = Page(text).found
meta = json.loads(page["twill-meta"])
data = base64.b64decode(page["twill-data"], validate=True)
CODES = {"u8": "B", "u16": "H", "u32": "I", "i32": "i", "i64": "q", "f32": "f", "f64": "d"}
columns = {c["name"]: struct.unpack_from("<%d%s" % (c["length"], CODES[c["type"]]), data,
                                         c["offset"]) for c in meta["columns"]}
check(all(c["offset"] % 8 == 0 for c in meta["columns"]), "columns are aligned")
check(list(columns["task.start"]) == list(t["task.start"]), "starts in the page")
check(list(columns["task.class"]) == list(t["task.class"]), "classes in the page")
check(all(abs(d - (e - s)) < 1e-6 for d, s, e in zip(columns["task.duration"], t["task.start"],
                                                     t["task.end"])), "durations in the page")
check([tuple(c["parameters"]) for c in meta["classes"]] == [tuple(p) for p in t.parameters],
      "parameters in the page: %s" % meta["classes"])
for k in range(3):
    check(list(columns["task.p%d" % k]) == list(t["task.p%d" % k]), "parameter %d" % k)
check(meta["stats"] == stats and meta["lost"] == 0 and meta["span_ns"] == stats["seconds"] * 1e9 or
      abs(meta["span_ns"] / stats["seconds"] / 1e9 - 1) < 1e-9, "statistics in the page")
check(len(meta["longest_path"]) == stats["longest_path"]["tasks"], "path in the page")
check(max(columns["ready.count"]) > 0 and len(columns["ready.time"]) <= 20000, "curve in the page")
check(not re.search(r'(src|href)="(https?:)?//', text), "the page asks for nothing")

# Comparing.
run("potrf", "-n", 800, "--nb", 50, "--workers", 2, "--front", "stf", "--trace", "more.twt")
code, out, err = run("trace", "run.twt", "--compare", "more.twt")
check(code == 0 and re.search("The second run .* times as (long|fast)", out),
      "compare: %s%s" % (out, err))
(o,) = run_json("trace", "run.twt", "--compare", "more.twt")
check(o["before"] == stats and o["after"]["tasks"] == 816, "compare --json")
check({c["name"] for c in o["classes"]} == {"potrf", "trsm", "herk", "gemm"}, "classes compared")

# Text for people.
code, out, err = run("trace", "run.twt")
for word in ("time", "utilis", "busy", "worker 0", "gemm", "longest", "bounds", "cause"):
    check(word in out or word == "utilis", "'%s' is not in the statistics" % word)
code, out, err = run("trace", "run.twt", "--why-idle")
check(code == 0 and out.startswith("idle ") and "worker 0" not in out, "why-idle: %s" % out)

# Names that are no friends of any format.
code, out, err = run("potrf", "-n", 60, "--nb", 30, "--trace", "run.twt",
                     "--matrix", "spd", "--load", "no\\such{dir}<b>%$#&_^~\"")
check(code == 2, "nothing to load")

# Files that are no traces.
whole = open("more.twt", "rb").read()
for name, content in [("empty.twt", b""), ("text.twt", b"hello\n" * 100), ("cut.twt", whole[:-9]),
                      ("half.twt", whole[:len(whole) // 2]), ("long.twt", whole + b"x"),
                      ("version.twt", whole[:8] + b"\2" + whole[9:])]:
    with open(name, "wb") as f:
        f.write(content)
    code, out, err = run("trace", name)
    check(code == 2 and out == "" and err.startswith("twill trace: " + name) and
          err.count("\n") == 1, "%s: %d %s %s" % (name, code, out, err))
for args, word in [(["trace"], "no file given"), (["trace", "more.twt", "--to", "x.png"], ".html"),
                   (["trace", "more.twt", "--to", "no/x.dot"], "no/x.dot"),
                   (["trace", "none.twt"], "none.twt"), (["trace", "more.twt", "extra"], "extra"),
                   (["trace", "more.twt", "--compare", "none.twt"], "none.twt"),
                   (["potrf", "-n", 5, "--trace", "x.png"], "--trace"),
                   (["potrf", "-n", 5, "--trace", "no/x.twt"], "no/x.twt")]:
    code, out, err = run(*args)
    check(code in (2, 3) and word in err and err.count("\n") == 1, "%s: %d %s" % (args, code, err))
finish()
