"""Progress: on a terminal after a second, taken away at the end, and never where it is not wanted."""
import os
import pty
import re
import select
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from _cli import BIN, SLOW, check, finish, run

LINE = re.compile(r"(\S.*?) \[[#.]{30}\] +(\d+)%  \S+ tasks  \S+/s(?:  (?:\d+ s|\d+:\d\d (?:min|h)) left)?")

# Before it is known how many there will be.
COUNT = re.compile(r"(\S.*?)  \S+ tasks  \S+/s")


def on_terminal(args, seconds):
    """Run with standard error on a terminal, for a while; returns (output, what the terminal got)."""
    master, slave = pty.openpty()
    child = subprocess.Popen([BIN] + args, stdout=subprocess.PIPE, stderr=slave,
                             stdin=subprocess.DEVNULL)
    os.close(slave)
    got = b""
    deadline = time.time() + seconds
    while time.time() < deadline:
        if select.select([master], [], [], 0.1)[0]:
            try:
                part = os.read(master, 65536)
            except OSError: # nobody has the terminal open any more
                break
            if not part:
                break
            got += part
    child.kill()
    out = child.communicate()[0].decode()
    os.close(master)
    return out, got.decode()


try:
    os.close(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY))
except OSError:
    print("no terminals to be had here")
    sys.exit(77)

# Long enough to show itself on any machine.
LONG = ["bench", "ep", *(["--size", "64", "--tasks", "10000"] if SLOW else ["--size", "120", "--tasks", "30000"]),
        "--repeat", "1"]
out, err = on_terminal(LONG, 100)
lines = [l for l in re.split(r"[\r\n]", err.replace("\033[K", "")) if l]
check(lines and all(LINE.fullmatch(l) for l in lines), "lines: %s" % lines[:3])
check(all(l.startswith("bench ep [") for l in lines), "label: %s" % lines[:1])
percent = [int(LINE.fullmatch(l).group(2)) for l in lines if LINE.fullmatch(l)]
check(percent == sorted(percent) and percent[-1] > percent[0], "it grows: %s" % percent)
check(any("left" in l for l in lines), "time left: %s" % lines[:3])
check(err.endswith("\r\033[K"), "the line is taken away: %r" % err[-40:])
check(out.count("\n") == 3, "the table is as it is without: %s" % out)

code, out, err = run(*LONG)
check(code == 0 and err == "", "nothing when piped: %s" % err)

out, err = on_terminal(["bench", "ep", "--tasks", "1000", "--repeat", "1"], 60)
check(err == "", "nothing for what is short: %r" % err)

for bench in (["bench", "tasks", "--tasks", "1000000", "--repeat", "3", "--no-peers"],
              ["bench", "metg", "--no-peers"], ["bench", "memory", "--tasks", "10000000"],
              ["bench", "potrf", "--n", "2000", "--no-peers", "--pairs", "9"],
              ["bench", "chol", "--nt", "200"]):
    out, err = on_terminal(bench, 2)
    check(err == "" or " tasks  " in err, "%s: %r" % (bench, err[:200]))
    if err == "":
        print("%s took less than a second" % " ".join(bench))

out, err = on_terminal(["potrf", "-n", "6000", "--progress", "off"], 2)
check(err == "", "off: %r" % err)
code, out, err = run("potrf", "-n", "3000", "--progress", "on", "--workers", 1, "--repeat", 3)
check(code == 0 and all(LINE.fullmatch(l) or COUNT.fullmatch(l) for l in err.splitlines()),
      "lines without a terminal: %s" % err)

finish()
