"""Reads .twt files, from the description in src/trace/output/file.h alone."""
import array
import struct

TYPES = ["B", "H", "I", "i", "q", "f", "d"]
STATES = ["sleep", "search", "program", "team", "again", "transfer"]
POINTS = ["steal", "send", "receive"]


class Trace:
    """Columns by name (trace["task.start"]), and the texts."""

    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        (magic, version, ncolumns, size, self.span, self.peak, self.bandwidth, self.lost, nrows,
         nclasses, ngraphs, _) = struct.unpack_from("<8sIIQdddQIIII", data)
        assert magic == b"twilltrc" and version == 1 and size == len(data), path
        self.columns = {}
        for i in range(ncolumns):
            name, kind, zero, offset, length = struct.unpack_from("<16sIIQQ", data, 72 + 40 * i)
            assert zero == 0 and offset % 8 == 0
            column = array.array(TYPES[kind])
            column.frombytes(data[offset:offset + length * column.itemsize])
            self.columns[name.rstrip(b"\0").decode()] = column
        texts = bytes(self.columns["text"]).split(b"\0")[:-1]
        texts = [t.decode() for t in texts]
        self.title, self.command, self.date, self.host = texts[:4]
        at = 4
        self.rows, at = texts[at:at + nrows], at + nrows
        self.classes, at = texts[at:at + nclasses], at + nclasses
        self.parameters, at = [t.split() for t in texts[at:at + nclasses]], at + nclasses
        self.graphs, at = texts[at:at + ngraphs], at + ngraphs
        assert at == len(texts)
        self.tasks = len(self.columns["task.start"])

    def __getitem__(self, name):
        return self.columns[name]

    def values(self, task):
        """The parameters of a task."""
        return [self["task.p%d" % k][task] for k in range(self["task.np"][task])]
