"""What tests of programs of loops share: the sequential program, and what it reports and leaves.

A program says in comments with which values it is run, `// values: N=5`; how it is called, `// call: f(5, A)`;
and how an array is laid out if not as A[16][16]: `// column A`, element (i, j) at i + j * 16, or `// table A`,
pointers to tiles. `// no memory`: only what kernels report counts. `// open: PROPERTY` and `// options: ...` say
what twillc cannot prove and what it needs.
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from _graphs import CC, FLAGS, SOURCE, fail, initial, twillc

# libclang keeps memory to the end, and what isl holds goes with its context.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
INCLUDE = ["-I", os.path.join(SOURCE, "tests"), "-I", os.path.join(SOURCE, "include")]

MAIN = """
#include <stdarg.h>
#include <stdio.h>

void ran(const char *task, int count, ...)
{
    va_list args;
    va_start(args, count);
    printf("%%s(%%lld)\\n", task, (long long)va_arg(args, int64_t));
    va_end(args);
    (void)count;
}

int main(void)
{
%(arrays)s
    %(call)s;
%(changed)s
    return 0;
}
"""
PLACES = {"row": "%(name)s_memory[%(i)s][%(j)s]", "column": "%(name)s_memory[%(j)s][%(i)s]",
          "table": "%(name)s_memory[%(i)s][%(j)s]", "line": "%(name)s_memory[%(i)s]",
          "one": "%(name)s_memory[0]"}
ARRAY = """    static tile %(name)s_memory%(extent)s;
    for (int i = 0; i < %(rows)d; i++)
        for (int j = 0; j < %(columns)d; j++)
            %(place)s = %(first)d + i + j * 16;
%(pointer)s
"""
POINTER = {"row": "    tile (*%(name)s)[16] = %(name)s_memory;", "column": "    tile *%(name)s = %(name)s_memory[0];",
           "line": "    tile *%(name)s = %(name)s_memory;", "one": "    tile *%(name)s = %(name)s_memory;",
           "table": """    static tile *%(name)s[16][16];
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            %(name)s[i][j] = &%(name)s_memory[i][j];"""}
CHANGED = """    for (int i = 0; i < %(rows)d; i++)
        for (int j = 0; j < %(columns)d; j++)
            if (%(place)s != %(first)d + i + j * 16)
                printf("%(name)s(%%d,%%d,%%lld)\\n", i, j, (long long)%(place)s);
"""


def read(path):
    with open(path) as file:
        return file.read()


def comment(text, word, default=""):
    found = re.search(r"^// %s:? *(.*)$" % word, text, re.M)
    return found[1] if found else default


def values(text):
    return dict(pair.split("=") for pair in comment(text, "values").split())


def arrays(jdf):
    """Names and numbers of indices, in the order of the arguments."""
    listed = twillc("--print", "ir", jdf)[1]
    found = re.findall(r"^global (\w+): (\w+), argument(.*)", listed, re.M)
    return [(name, int(re.search(r"(\d)-dimensional", rest)[1])) for name, kind, rest in found if kind != "value"
            and kind != "datatype"]


def layout(text, name, dims):
    for kind in ("column", "table"):
        if re.search(r"^// %s .*\b%s\b" % (kind, name), text, re.M):
            return kind
    return "row" if dims == 2 else "line"


def write_main(path, text, jdf, out):
    made, changed = "", ""
    if comment(text, "no memory", None) is None:
        for number, (name, dims) in enumerate(arrays(jdf)):
            kind = layout(text, name, dims)
            facts = {"name": name, "first": initial(number, 0, 0), "rows": 16, "columns": 16 if dims == 2 else 1,
                     "extent": "[16][16]" if dims == 2 else "[16]"}
            facts["place"] = PLACES[kind] % {"name": name, "i": "i", "j": "j"}
            facts["pointer"] = POINTER[kind] % facts
            made += ARRAY % facts
            changed += CHANGED % facts
    else:
        made = "    static tile A[8][8][8];\n    for (int i = 0; i < 512; i++)\n        (&A[0][0][0])[i] = 0;\n"
    with open(out, "w") as file:
        file.write('#include "%s"\n' % path)
        file.write(MAIN % {"arrays": made, "call": comment(text, "call"), "changed": changed})


def sequential(path, text, jdf, name):
    """What the program itself reports and changes."""
    write_main(path, text, jdf, name + "_main_c.c")
    command = [CC, *FLAGS, "-std=gnu17", "-O1", "-Wall", "-Wno-unknown-pragmas", *INCLUDE, name + "_main_c.c",
               "-o", name + "_sequential"]
    done = subprocess.run(command, capture_output=True)
    if done.returncode:
        fail(name, done.stderr.decode())
        return []
    done = subprocess.run([os.path.join(".", name + "_sequential")], capture_output=True, timeout=60)
    return done.stdout.decode().split()


def difference(wanted, said, memory):
    """The first line that one has and the other has not."""
    wanted, said = sorted(wanted), sorted(said)
    if not memory:
        wanted = [line for line in wanted if line.count(",") != 2]
        said = [line for line in said if line.count(",") != 2]
    for line in sorted(set(wanted + said)):
        if wanted.count(line) != said.count(line):
            return "%s: %d times instead of %d" % (line, said.count(line), wanted.count(line))
    return None
