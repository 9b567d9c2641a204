"""Where the system shows no facts about the machine, what can be measured is known all the same.

The tests named here run again in a mount namespace of their own in which /sys is empty: no clock
rates, no caches, no NUMA nodes, no limits of cgroups. hwloc may only count processors.
"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
from _cli import check, finish, run_json

TESTS = ["cli/info.py", "trace/stats.py"]
PREFIXES = [["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]]
HIDE = ["sh", "-c", 'mount -t tmpfs none /sys && exec "$@"', "hide"]


def hidden():
    """What to put before a command so that it finds nothing in /sys; None where that cannot be."""
    for prefix in PREFIXES:
        try:
            done = subprocess.run(prefix + HIDE + ["true"], capture_output=True)
        except FileNotFoundError:
            return None
        if done.returncode == 0:
            return prefix + HIDE
    return None


def check_facts():
    check(not os.listdir("/sys"), "/sys: %s" % os.listdir("/sys"))
    (o,) = run_json("info")
    machine = o["machine"]
    check(machine["l2"] == 0 and machine["l3"] == 0, "caches are seen: %s" % machine)
    check(machine["memory"] > 2**20 and machine["cores_allowed"] >= 1, "%s" % machine)
    check(machine["peak_gflops"] > 0 and "measured" in machine["peak_how"], "peak: %s" % machine)
    (o,) = run_json("potrf", "-n", 400, "--nb", 100, "--check", "--stats")
    check(o["stats"]["core_peak_gflops"] > 0, "roofline: %s" % o["stats"]["core_peak_gflops"])
    check(all(c["ceiling_gflops"] and c["verdict"] for c in o["stats"]["classes"]),
          "classes: %s" % o["stats"]["classes"])
    # sizes of tiles are chosen from caches where these are known
    for command in (["getrf", "-n", 300], ["geqrf", "-n", 300]):
        (o,) = run_json(*command, "--check")
        check(o["nb"] >= 1, "%s: nb %s" % (command[0], o))


if sys.argv[1:] == ["facts"]:
    check_facts()
    finish()
prefix = hidden()
if prefix is None:
    print("no mount namespace can be made here")
    sys.exit(77)
env = dict(os.environ, HWLOC_COMPONENTS="no_os,stop")
tests = [[__file__, "facts"]]
tests += [[os.path.join(os.environ["TW_SOURCE_DIR"], "tests", name)] for name in TESTS]
for test in tests:
    code = subprocess.run(prefix + [sys.executable] + test, env=env).returncode
    check(code == 0, "%s: status %d" % (" ".join(test), code))
finish()
