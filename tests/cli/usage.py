"""Wrong usage: one line on standard error that names the option, nothing on standard output."""
import sys

sys.dont_write_bytecode = True
from _cli import check, finish, run

# (arguments, statuses allowed, what the line must hold)
REFUSED = [
    (["potrf", "-n", "-5"], [2], ["-n", "-5"]),
    (["potrf", "-n", "4x"], [2], ["-n", "4x"]),
    (["potrf", "-n", ""], [2], ["-n"]),
    (["potrf", "-n", " 4"], [2], ["-n"]),
    (["potrf", "-n", "+4"], [2], ["-n", "+4"]),
    (["potrf", "-n"], [2], ["-n"]),
    (["potrf", "-n", "1" + 30 * "0"], [2], ["-n", "9223372036854775807"]),
    (["potrf", "-n", "9223372036854775808"], [2], ["-n"]),
    (["potrf", "-n", "9223372036854775807"], [2, 3], ["-n"]),
    (["potrf", "-n", "1000000000000"], [3], ["-n 1000000000000", "iB"]),
    (["potrf", "-n", "200000"], [3], ["-n 200000", "298.0 GiB"]),
    (["potrf", "-n", "200000", "--layout", "wrapped"], [3], ["-n 200000", "298.0 GiB"]),
    (["potrf", "--nb", "0"], [2], ["--nb", "0"]),
    (["potrf", "--nb", "abc"], [2], ["--nb", "abc"]),
    (["potrf", "--nb=1.5"], [2], ["--nb", "1.5"]),
    (["potrf", "--sched", "lsw", "-n", "10"], [2], ["--sched", "lsw", "lws"]),
    (["potrf", "--sched=", "-n", "10"], [2], ["--sched"]),
    (["potrf", "--type", "q"], [2], ["--type", "q", "s, d, c or z"]),
    (["potrf", "--type", ""], [2], ["--type"]),
    (["potrf", "--type", "s|d"], [2], ["--type"]),
    (["potrf", "--uplo", "l"], [2], ["--uplo", "lower or upper"]),
    (["potrf", "--bogus"], [2], ["unknown option '--bogus'; did you mean '--"]),
    (["potrf", "--wrokers", "2"], [2], ["'--wrokers'", "'--workers'"]),
    (["potrf", "--cheek=5"], [2], ["'--cheek'", "'--check'"]),
    (["potrf", "-check"], [2], ["-check", "'--check'"]),
    (["potrf", "--check=yes"], [2], ["--check", "yes"]),
    (["potrf", "-m", "50"], [2], ["potrf has no option -m: its matrix is n by n"]),
    (["potrf", "-k", "50"], [2], ["potrf has no option -k"]),
    (["potrf", "--nrhs", "2"], [2], ["potrf has no option --nrhs"]),
    (["potrf", "--ib", "32"], [2], ["potrf has no option --ib"]),
    (["potrf", "--workers", "0"], [2], ["--workers", "1 to 1024"]),
    (["potrf", "--front", "loop"], [2], ["--front", "loop", "ptg, stf or dag"]),
    (["potrf", "--layout", "rows"], [2], ["--layout", "tiled or wrapped"]),
    (["gemm", "--mode", "adaptive"], [2], ["--mode", "regular"]),
    (["potrf", "-n", "10", "--devices", "gpu:0"], [2], ["--devices gpu:0"]),
    (["potrf", "--grid", "2x1"], [2], ["--grid", "2x1", "1"]),
    (["potrf", "--grid", "1"], [2], ["--grid"]),
    (["potrf", "--priority", "yes"], [2], ["--priority", "on or off"]),
    (["potrf", "--progress", "maybe"], [2], ["--progress", "auto, on or off"]),
    (["potrf", "--repeat", "0"], [2], ["--repeat"]),
    (["potrf", "--seed", "-1"], [2], ["--seed"]),
    (["potrf", "--matrix", "hilbert"], [2], ["--matrix", "hilbert", "notspd:I"]),
    (["potrf", "--matrix", "notspd"], [2], ["--matrix notspd"]),
    (["potrf", "--matrix", "spd:1"], [2], ["--matrix spd:1"]),
    (["potrf", "--matrix", "nan:1"], [2], ["--matrix nan:1"]),
    (["potrf", "--matrix", "nan:1,2,3"], [2], ["--matrix nan:1,2,3"]),
    (["potrf", "-n", "10", "--matrix", "notspd:10"], [2], ["--matrix notspd:10", "0 to n-1", "10"]),
    (["potrf", "-n", "10", "--matrix", "notspd:-1"], [2], ["--matrix notspd:-1"]),
    (["potrf", "-n", "10", "--matrix", "nan:3,10"], [2], ["--matrix nan:3,10"]),
    (["potrf", "-n", "0", "--matrix", "singular:0"], [2], ["--matrix singular:0"]),
    (["potrf", "--load", "no/such/folder"], [2], ["--load no/such/folder"]),
    (["potrf", "-n", "5", "--save", "no/such/folder"], [2], ["--save no/such/folder"]),
    (["potrf", "-n", "5", "--trace", "no/such/folder/run.html"], [2],
     ["--trace", "no/such/folder/run.html", "No such file"]),
    (["potrf", "-n", "5", "--trace", "/dev/null/run.html"], [2], ["--trace", "Not a directory"]),
    (["potrf", "-n", "5", "--b", "b.npy"], [2], ["potrf has no option -b: it has no input B"]),
    (["potrf", "17"], [2], ["'17'"]),
    (["potrf", "bad\nvalue"], [2], ["bad?value"]),
    (["portf"], [2], ["unknown subcommand 'portf'; did you mean 'potrf'?"]),
    (["help", "potr"], [2], ["'potr'", "'potrf'"]),
    (["bench"], [2], ["no benchmark"]),
    (["bench", "taks"], [2], ["'taks'", "'tasks'"]),
    (["bench", "tasks", "--case", "fans"], [2], ["--case", "fans", "stencil"]),
    (["bench", "tasks", "--tasks", "0"], [2], ["--tasks"]),
    (["bench", "chol", "--front", "dag"], [2], ["--front", "dag", "stf or ptg"]),
    (["bench", "potrf", "--n", "10,,20"], [2], ["--n 10,,20"]),
    (["bench", "potrf", "--nb", "0"], [2], ["--nb 0"]),
    (["info", "--jsn"], [2], ["'--jsn'", "'--json'"]),
]

for args, statuses, words in REFUSED:
    name = "twill " + " ".join(args)
    code, out, err = run(*args)
    check(code in statuses, "%s: status %d" % (name, code))
    check(out == "", "%s: prints on standard output: %s" % (name, out))
    check(err.count("\n") == 1 and err.endswith("\n"), "%s: not one line: %s" % (name, err))
    check(err.startswith("twill"), "%s: who complains? %s" % (name, err))
    for word in words:
        check(word in err, "%s: '%s' is not in: %s" % (name, word, err.strip()))

# Nothing at all is answered by what there is, but is no success.
code, out, err = run()
check(code == 2 and out == run("help")[1] and "no subcommand" in err and err.count("\n") == 1,
      "no argument: %d %s %s" % (code, out, err))

# Options without a choice are taken, but do not stand in the help; one with a choice does.
for args in (["potrf"], ["gemm"]):
    out = run("help", *args)[1]
    check("--layout tiled" in out and "--devices LIST" in out, "options with a choice: %s" % out)
    check(("--mode" in out) == (args == ["potrf"]), "--mode of %s: %s" % (args, out))
    check(("  -b FILE" in out) == (args == ["gemm"]), "-b of %s: %s" % (args, out))
    check(("--front" in out) == (args == ["potrf"]), "--front of %s: %s" % (args, out))
    check("the same" not in out, "an option is explained by another one: %s" % out)
    code, out, err = run(*args, "-n", 10, "--devices", "cpu", "--mode", "regular", "--front", "stf", "--quiet")
    check((code, out, err) == (0, "", ""), "%s with all its values: %d %s" % (args, code, err))

# A trace that cannot be written is refused before anything runs; an option of the library too.
code, out, err = run("potrf", "-n", 10, env={"TWILL_TRACE": "no/such/folder/run.html"})
check(code == 2 and "TWILL_TRACE" in err and "no/such/folder" in err and out == "", "TWILL_TRACE: %d %s%s" % (
    code, out, err))

# A misspelt variable is refused too, with the nearest known name.
code, out, err = run("potrf", "-n", "10", env={"TWILL_SHCED": "lws"})
check(code == 2 and "TWILL_SHCED" in err and err.count("\n") == 1, "TWILL_SHCED: %d %s" % (code, err))

# Help and version come on standard output.
for args, words in [
    (["--help"], ["usage: twill", "potrf", "info", "bench"]),
    (["help"], ["usage: twill", "potrf"]),
    (["help", "potrf"], ["usage: twill potrf", "--uplo", "--nb", "-n N"]),
    (["potrf", "--help"], ["usage: twill potrf", "--uplo"]),
    (["help", "bench"], ["tasks", "chol"]),
    (["bench", "--help"], ["tasks", "chol"]),
    (["help", "bench", "tasks"], ["usage: twill bench tasks", "--case"]),
    (["bench", "tasks", "--help"], ["usage: twill bench tasks", "--case"]),
    (["info", "--help"], ["usage: twill info"]),
    (["--version"], ["twill "]),
    (["potrf", "--version"], ["twill "]),
]:
    code, out, err = run(*args)
    check(code == 0 and err == "", "%s: status %d: %s" % (args, code, err))
    for word in words:
        check(word in out, "%s: '%s' is not in: %s" % (args, word, out))
    check("-m" not in out.split(), "%s: options that the operation lacks are listed" % args)

# Output that cannot be written is not success.
try:
    full = open("/dev/full", "w")
except OSError:
    full = None
if full:
    import subprocess
    from _cli import BIN
    done = subprocess.run([BIN, "--help"], stdout=full, stderr=subprocess.PIPE)
    check(done.returncode == 3, "/dev/full: status %d" % done.returncode)

finish()
