"""On a terminal: verdicts in colour unless NO_COLOR, help wrapped to its width; in a pipe neither."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

sys.dont_write_bytecode = True
from _cli import BIN, check, finish, run


def on_terminal(args, columns, env):
    """What a terminal of so many columns gets."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    full = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    child = subprocess.Popen([BIN] + args, stdout=slave, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                             env=dict(full, **env))
    os.close(slave)
    got = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError: # nobody has the terminal open any more
            break
        if not part:
            break
        got += part
    child.communicate()
    os.close(master)
    return got.decode().replace("\r\n", "\n")


GOOD, BAD = "\033[1;32mPASSED\033[0m", "\033[1;31mFAILED\033[0m"
passes, fails = ["potrf", "-n", "50", "--check"], ["potrf", "-n", "50", "--matrix", "notspd:3"]
xterm = {"TERM": "xterm"}
check(GOOD in on_terminal(passes, 80, xterm), "PASSED is not green")
check(BAD in on_terminal(fails, 80, xterm), "FAILED is not red")
for env in (dict(xterm, NO_COLOR="1"), {"TERM": "dumb"}, {}):
    out = on_terminal(passes, 80, env)
    check("PASSED" in out and "\033" not in out, "colours with %s: %r" % (env, out))
check(GOOD in on_terminal(passes, 80, dict(xterm, NO_COLOR="")), "an empty NO_COLOR is none")
check("\033" not in run(*passes, env=xterm)[1], "colours in a pipe")


def words(text):
    return text.split()


for args in (["help"], ["bench", "--help"], ["help", "potrf"], ["help", "gels"], ["help", "graph"], ["help", "bench", "scaling"]):
    plain = run(*args)[1]
    check(max(map(len, plain.splitlines())) > 70, "%s: no long line to wrap" % args)
    for columns in (60, 80, 100, 133):
        wrapped = on_terminal(args, columns, xterm)
        # a word that no line can hold is not broken
        long = [l for l in wrapped.splitlines() if len(l) > columns and len(max(l.split(), key=len)) < columns - 33]
        check(not long, "%s: longer than %d: %s" % (args, columns, long))
        check(words(wrapped) == words(plain), "%s: other words in %d columns" % (args, columns))
        starts = [l for l in wrapped.splitlines() if re.match(" {3,}", l)]
        check(len({len(l) - len(l.lstrip()) for l in starts}) <= 1, "%s: continued lines: %s" % (args, starts))
    check(on_terminal(args, 0, xterm) == plain, "%s: a terminal that does not know its width" % args)

finish()
