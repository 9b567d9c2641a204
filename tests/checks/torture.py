"""scripts/torture runs, and its disturbances reach a program that knows nothing of them."""
import os
import re
import subprocess
import sys
import time

BUILD = os.environ["TW_BUILD_DIR"]
PRELOAD = os.path.join(BUILD, "tests", "disturb.so")


def status(pid, field):
    with open("/proc/%d/status" % pid) as file:
        return re.search(r"^%s:\s*(\S+)" % field, file.read(), re.M)[1]


def is_stopped(pid):
    return status(pid, "State") == "T"


def is_interrupted(pid):
    """A program that sleeps is woken again and again."""
    return int(status(pid, "voluntary_ctxt_switches")) > 100


def notices(kind, seen):
    """Does a program that only sleeps get into that state?"""
    environment = dict(os.environ, TW_DISTURB=kind, LD_PRELOAD=PRELOAD)
    program = subprocess.Popen(["sleep", "60"], env=environment)
    until = time.monotonic() + 50
    found = False
    while not found and time.monotonic() < until:
        time.sleep(0.0005)
        found = seen(program.pid)
    program.kill()
    program.wait()
    return found


if not os.path.exists(PRELOAD):
    print("there is no", PRELOAD)
    sys.exit(77)
failures = [kind for kind, seen in [("stop", is_stopped), ("interrupts", is_interrupted)]
            if not notices(kind, seen)]
for kind in ("workers", "one-core", "interrupts", "stop"):
    environment = dict(os.environ, TW_PROGRAMS="40")
    script = os.path.join(os.environ["TW_SOURCE_DIR"], "scripts", "torture")
    if subprocess.run([script, kind, BUILD], env=environment).returncode:
        failures.append("scripts/torture " + kind)
print("failures:", failures)
sys.exit(1 if failures else 0)
