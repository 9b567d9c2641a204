"""The command line of twillc: where it writes, what it prints, how it ends."""
import os
import re
import subprocess
import sys

BUILD = os.environ["TW_BUILD_DIR"]
SOURCE = os.environ["TW_SOURCE_DIR"]
CC = os.environ.get("CC", "cc")
failures = []


def check(condition, text):
    if not condition:
        failures.append(text)
        print("FAILED:", text, flush=True)


def twillc(*args, text=None, **options):
    done = subprocess.run([os.path.join(BUILD, "twillc"), *args], input=text, capture_output=True,
                          timeout=60, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def read(path):
    with open(path) as file:
        return file.read()


GRAPH = "N A\nT(i)\n  i = 0 .. N-1\n: A(i)\nBODY\n%s\nEND\n"
write("a-graph.jdf", GRAPH % "    (void)i;")

# Output: beside the input, elsewhere, under another name.
check(twillc("a-graph.jdf") == (0, "", ""), "silent when all is well")
check("twill_status twill_a_graph_new(twill *tw_" in read("a-graph.h"), "the name is an identifier")
check("#include \"a-graph.h\"" in read("a-graph.c"), "the header is included by its name")
check("#line 5 \"a-graph.jdf\"" in read("a-graph.c"), "#line leads to the body")
back = re.search(r'#line (\d+) "a-graph.c"', read("a-graph.c"))
check(back and read("a-graph.c")[:back.start()].count("\n") + 2 == int(back[1]), "#line leads back")
os.makedirs("sub", exist_ok=True)
check(twillc("-n", "other", "-o", "sub/x.c", "--no-line", "a-graph.jdf")[0] == 0, "-o, -n")
check("twill_other_new" in read("sub/x.h") and "#line" not in read("sub/x.c"), "-n, --no-line")
check(twillc("-o", "from_stdin.c", "-", text=read("a-graph.jdf").encode())[0] == 0, "standard input")
check(os.path.exists("from_stdin.h"), "both files")
os.remove("a-graph.c")
check(twillc("--check", "a-graph.jdf") == (0, "", "") and not os.path.exists("a-graph.c"), "--check")

# A reader that tells others by control lets go of the data first, for they may change it.
READER = "A\nT(i)\n  i = 0 .. 1\n: A(0)\n  READ x <- A(0)\n%sBODY\nEND\n"
CONTROL = "  CTL c <- (i == 1) ? c T(0) -> (i == 0) ? c T(1)\n"
write("alone.jdf", READER % "")
write("tells.jdf", READER % CONTROL)
write("passes.jdf", READER.replace("READ x <- A(0)", "READ x <- A(0) -> A(0)") % CONTROL)
check(twillc("alone.jdf")[0] == 0 and ".ends" not in read("alone.c"), "nobody to tell")
check(twillc("tells.jdf")[0] == 0 and ".ends = 0x1," in read("tells.c"), "let go, then tell")
check(twillc("passes.jdf")[0] == 0 and ".ends" not in read("passes.c"), "it goes on to memory")

# What it prints.
status, out, _ = twillc("--deps", "-o", "sub/x.c", "a-graph.jdf")
check((status, out) == (0, "sub/x.c sub/x.h: a-graph.jdf\n"), "--deps: " + out)
check(twillc("--print", "ast", "a-graph.jdf")[1].startswith("N\nA\n"), "--print ast")
check("range i = 0 .. N-1    # affine" in twillc("--print=ir", "a-graph.jdf")[1], "--print=ir")
status, out, _ = twillc("--print", "tasks", "a-graph.jdf", "N=2")
check(out == "graph a_graph\nclass T i\ntask T(0) @0,0\ntask T(1) @0,0\n", "--print tasks: " + out)
write("signs.jdf", "A\nT(i)\n  i = -3 % 2 .. -7 / 2 + 4\n: A(i)\nBODY\nEND\n")
check(re.findall(r"task T\((.*)\)", twillc("--print", "tasks", "signs.jdf")[1]) == ["-1", "0", "1"],
      "division truncates")
write("order.jdf", "A\nT(i)\n  i = 0 .. M [colour = 3]\n: B(i)\nBODY\nEND\n")
places = re.findall(r"order.jdf:(\d+:\d+):", twillc("--check", "order.jdf")[2])
check(places == ["3:12", "3:15", "4:3"], "in the order of their places: %s" % places)
write("c.jdf", "N A\nT(i)\n  i = 0 .. %{ return N; %}\n: A(i)\nBODY\nEND\n")
status, out, err = twillc("--print", "tasks", "c.jdf", "N=2")
check(status == 1 and "c.jdf:3:14: error: C text cannot be interpreted" in err, "inline C: " + err)
check(re.match(r"twillc \d+\.\d+\.\d+\n$", twillc("--version")[1]), "--version")
check("usage: twillc" in twillc("--help")[1], "--help")

# The C compiler's messages lead to the JDF file.
write("wrong.jdf", GRAPH % "    here is no C;")
check(twillc("wrong.jdf")[0] == 0, "bodies are not looked at")
done = subprocess.run([CC, "-std=c17", "-I", os.path.join(SOURCE, "include"), "-c", "wrong.c"],
                      capture_output=True)
check(b"wrong.jdf:6:" in done.stderr, "the place of a mistake in a body: %s" % done.stderr)

# The header is C++ as well.
done = subprocess.run([os.environ.get("CXX", "c++"), "-std=c++11", "-Wall", "-Werror", "-x", "c++",
                       "-fsyntax-only", "-I", os.path.join(SOURCE, "include"), "a-graph.h"],
                      capture_output=True)
check(done.returncode == 0, "C++: %s" % done.stderr)

# How it ends.
write("bad.jdf", "T(i)\n")
for status, words, *args in (
        (2, "no file given"), (2, "unknown option '--chekc'", "--chekc", "a-graph.jdf"),
        (2, "--print dot", "--print", "dot", "a-graph.jdf"), (2, "-o needs a value", "-o"),
        (2, "one file at a time", "a-graph.jdf", "bad.jdf"),
        (2, "N=two", "--print", "tasks", "a-graph.jdf", "N=two"),
        (2, "for --print tasks and --verify", "--check", "a-graph.jdf", "N=2"),
        (2, "assumptions are for --verify", "--check", "--assume", "N > 1", "a-graph.jdf"),
        (2, "--assume needs a value", "--verify", "a-graph.jdf", "--assume"),
        (2, "--seconds long: a number", "--verify", "--seconds", "long", "a-graph.jdf"),
        (1, "--assume:1:7: error: nobody declared 'M'", "--verify", "--assume", "1 <= (M)", "a-graph.jdf"),
        (1, "--assume:1:6: error: expected an expression", "--verify", "--assume", "N >= ", "a-graph.jdf"),
        (1, "--assume:1:4: error: expected the end of the assumption", "--verify", "--assume", "N>1, N<3", "a-graph.jdf"),
        (1, "what 'f(N)' is only C knows", "--verify", "--assume", "f(N) > 1", "a-graph.jdf"),
        (2, "no-such.jdf: No such file", "--check", "no-such.jdf"),
        (2, "-o is needed", "-"), (2, "-o /dev/full: the name must end in .c", "-o", "/dev/full", "a-graph.jdf"), (3, "no/such/x.c", "-o", "no/such/x.c", "a-graph.jdf"),
        (1, "bad.jdf:1:", "bad.jdf"), (1, "no global 'M'", "--print", "tasks", "a-graph.jdf", "M=1")):
    got, out, err = twillc(*args)
    check(got == status and words in err and not out, "%s: %d %s" % (args, got, err))
check(not os.path.exists("bad.c"), "no output after mistakes")
# With all values given, what divides by 0 is no graph: nothing is proved of it.
write("zero.jdf", "N A\nT(i)\n  i = 0 .. N-1\n: A(i)\n  RW X <- (6 / (i-3) > 0) ? A(i) : A(i)\n       -> A(i)\n"
      "BODY\n    (void)X;\nEND\n")
status, out, err = twillc("--verify", "zero.jdf", "N=5")
check((status, out) == (1, "") and "zero.jdf:5:" in err and "divides by 0" in err, "a zero divisor: %s%s" % (out, err))
check(twillc("--verify", "zero.jdf", "N=3")[0] == 0, "no zero divisor")
# Without values, those for which all that is proved says nothing are warned of; sizes of 0 are not. Bodies and
# priorities divide as well.
DIVIDES = "N D S\n%s A\nT(i)\n  i = 0 .. N-1 %s\n  j = %s\n: A(i)\n  CTL X\n; %s\nBODY\n    (void)j;\nEND\n"
for name, parts, words in (
        ("flow", None, "zero.jdf:5: warning: '6/(i-3)' divides by 0, with N=4:"),
        ("local", ("", "", "1 / (i-2)", "0"), ":5: warning: '1/(i-2)' divides by 0, with N=3:"),
        ("priority", ("", "", "i", "i % (N-i)"), ""), ("size", ("", "", "i / D", "i % D"), ""),
        ("later", ("", "", "i", "N % (i-5)"), ":8: warning: 'N%(i-5)' divides by 0, with N=6:"),
        ("step", ("", ".. S-1", "i", "0"), ":4: warning: 'S-1' is a step of 0, with N=1, S=1:"),
        ("guarded", ("", "", "i ? N / i : 0", "0"), "")):
    if parts:
        write("divides.jdf", DIVIDES % parts)
    status, out, err = twillc("--verify", "--seconds", "1", "divides.jdf" if parts else "zero.jdf")
    check(status == 3 or (words in out if words else "warning" not in out), "a divisor that may be 0, %s: %s%s" % (name, out, err))
write("divides.jdf", DIVIDES % ("M = N / D", "", "i", "0"))
status, out, err = twillc("--verify", "divides.jdf", "N=4", "D=0", "S=1")
check(status == 3 or (status == 1 and "divides.jdf:2:" in err and "divides by 0" in err), "a global: %s%s" % (out, err))
status, out, err = twillc("--verify", "--assume", "N > 3", "--assume", "N < 2", "a-graph.jdf")
check(status == 3 or (status == 1 and not out and "no values of the globals for which all assumptions hold" in err),
      "assumptions that contradict each other: " + err)
with open("/dev/full", "w") as full:
    done = subprocess.run([os.path.join(BUILD, "twillc"), "--help"], stdout=full, stderr=subprocess.PIPE)
    check(done.returncode == 3, "a full disk is noticed")
print("%d failures" % len(failures))
sys.exit(1 if failures else 0)
