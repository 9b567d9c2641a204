#!/usr/bin/env python3
"""_grow.py FOLDER...: let every struct of the headers there that begins with its size grow, as a
later version of Twill would. Prints their names."""
import pathlib
import re
import sys

SIZED = re.compile(r"(typedef struct (\w+) \{\n    size_t size;.*?\n)(\} \2;)", re.DOTALL)

for folder in sys.argv[1:]:
    for header in sorted(pathlib.Path(folder).glob("*.h")):
        text = header.read_text()
        for match in SIZED.finditer(text):
            print(match.group(2))
        header.write_text(SIZED.sub(r"\1    double grown[5];\n    void *grown_more;\n\3", text))
