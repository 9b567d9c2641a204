"""docs/manual/first-project.md, word for word: its files are written, its commands run, in an empty
folder against an installed copy. Shared programs need the library, static ones do not have it."""
import os
import re
import shutil
import subprocess
import sys

source, build = os.environ["TW_SOURCE_DIR"], os.environ["TW_BUILD_DIR"]
here = os.getcwd()
prefix, project = os.path.join(here, "prefix"), os.path.join(here, "project")
page = open(os.path.join(source, "docs/manual/first-project.md")).read()
for folder in prefix, project:
    shutil.rmtree(folder, ignore_errors=True)
os.mkdir(project)


def run(command, **more):
    """Run it; a failure ends the test with what was said."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        sys.exit("%s: status %d\n%s" % (command, done.returncode, done.stdout))
    return done.stdout


manifest, kept = os.path.join(build, "install_manifest.txt"), None
if os.path.exists(manifest):
    kept = open(manifest).read()
run([os.environ.get("CMAKE", "cmake"), "--install", build, "--prefix", prefix])
if kept is None:
    os.remove(manifest)
else:
    open(manifest, "w").write(kept)

# What programs find: the library whose flags they must share, in a folder of any name.
libdir = next(folder for folder, _, files in os.walk(prefix) if "libtwill.a" in files)
flags = os.environ.get("TW_CFLAGS", "")
script = "set -e\ncc() { command %s %s \"$@\"; }\n" % (os.environ.get("CC", "cc"), flags)
ran = 0
for language, name, text in re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", page, re.M | re.S):
    if name:
        with open(os.path.join(project, name), "w") as f:
            f.write(text)
    elif "make install" not in text:
        script += text.replace("$PREFIX/lib/", libdir + "/")
        ran += text.count("\n")
assert ran >= 14, "%d commands" % ran
env = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "PKG_CONFIG_PATH")}
env.update(PREFIX=prefix, CFLAGS=flags)
said = run(["sh", "-c", script], cwd=project, env=env)
assert said.count("OK\n") == 6, said
assert said.count("no race: proved") == 2, said


def libraries(program):
    return run(["ldd", os.path.join(project, program)])


for program in "build/solve", "build/middle", "solve":
    assert "libtwill" in libraries(program), program
for program in "build/solve_static", "solve-static", "middle-static":
    assert "libtwill" not in libraries(program), program

# A graph with a mistake ends the build.
with open(os.path.join(project, "pascal.jdf"), "r+") as f:
    wrong = f.read().replace("-> (j < N-1) ? left", "-> left")
    f.seek(0)
    f.write(wrong)
    f.truncate()
done = subprocess.run(["cmake", "--build", "build"], cwd=project, env=env, stdout=subprocess.PIPE,
                      stderr=subprocess.STDOUT, text=True)
assert done.returncode and "refuted" in done.stdout, done.stdout

# What is installed for reading: pages whose links lead somewhere, and examples that build.
documents = next(folder for folder, _, files in os.walk(os.path.join(prefix, "share/doc"))
                 if "README.md" in files)
pages = [os.path.join(folder, name) for folder, _, files in os.walk(documents) for name in files
         if name.endswith(".md") and "decisions" not in folder]
assert os.path.join(documents, "docs/manual/linear-algebra.md") in pages, pages
for path in pages:
    for link in re.findall(r"\]\(([^)#: ]+)", open(path).read()):
        target = os.path.join(os.path.dirname(path), link)
        assert os.path.exists(target), "%s: there is no %s" % (path, link)
run(["sh", "-c", "cc %s examples/02_cholesky.c $(pkg-config --cflags --libs twill-static) -o %s/cholesky" %
     (flags, project)], cwd=documents, env=dict(env, PKG_CONFIG_PATH=libdir + "/pkgconfig"))
run([os.path.join(project, "cholesky")])

# And what `twill bench` measures beside us, where the command looks for it.
built = os.path.join(build, "peers")
for name in os.listdir(built) if os.path.isdir(built) else []:
    assert os.access(os.path.join(prefix, "libexec/twill/peers", name), os.X_OK), name

shutil.rmtree(prefix)
shutil.rmtree(project)
print("OK")
