"""What the consumer tests share: sprof, the consumers, and skipping with a reason."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

SPROF = os.environ.get("SPROF", "sprof")
MUST_RUN = os.environ.get("SPROF_TESTS_MUST_RUN") == "1"
HERE = os.path.dirname(os.path.abspath(__file__))
NODE_MODULES = (os.environ.get("SPROF_NODE_MODULES") or os.environ.get("SPROF_BUILT_NODE_MODULES")
                or os.path.join(HERE, "node_modules"))
RANDOM_SEEDS = range(1, 21)
SKIP = 77

os.environ["XDG_CACHE_HOME"] = "/dev/null"  # nothing is kept, and nothing that was is read


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(1 if MUST_RUN else SKIP)


def need(program, package):
    """The path of a program of a Debian package, or a skip."""
    path = shutil.which(program) or (program if os.path.exists(program) else None)
    if not path:
        skip(f"{program} is missing: apt install {package}")
    return path


def need_npm(name):
    """The folder of an npm package of package.json, or a skip."""
    need("node", "nodejs")
    folder = os.path.join(NODE_MODULES, name)
    if not os.path.isdir(folder):
        skip(f"the npm package {name} is missing: npm ci --ignore-scripts in tests/consumers")
    return folder


def run(*command, check=True, **keywords):
    """stdout of a command, as text; what is no UTF-8 is replaced."""
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, check=False, **keywords)
    out = result.stdout.decode("utf-8", "replace")
    if check and result.returncode:
        raise AssertionError(f"{command}: exit {result.returncode}\n{out}\n"
                             f"{result.stderr.decode('utf-8', 'replace')}")
    return out


def sprof(*arguments, **keywords):
    return run(SPROF, *arguments, **keywords)


def node(script, *arguments, **keywords):
    environment = {**os.environ, "SPROF_NODE_MODULES": NODE_MODULES}
    return run("node", os.path.join(HERE, script), *arguments, env=environment, **keywords)


class Speedscope:
    """The unmodified speedscope; one that has started is asked about all files of a test file."""

    def __init__(self):
        need_npm("speedscope")
        need_npm("jsdom")
        self.process = None

    def ask(self, path):
        """What it understood of a file: see ask-speedscope.cjs."""
        if not self.process:
            self.process = subprocess.Popen(
                ["node", os.path.join(HERE, "ask-speedscope.cjs")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, env={**os.environ, "SPROF_NODE_MODULES": NODE_MODULES}, text=True)
        print(os.path.abspath(path), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        return json.loads(line)


def same(got, want, tolerance=0.0, what=""):
    """Two {name: number}; names with nothing may be missing on either side."""
    names = sorted(set(got) | set(want), key=repr)
    wrong = [f"  {name!r}: {got.get(name, 0)} instead of {want.get(name, 0)}" for name in names
             if abs(got.get(name, 0) - want.get(name, 0)) > tolerance]
    assert not wrong, f"{what}: {len(wrong)} of {len(names)} differ:\n" + "\n".join(wrong[:20])


def double_error(whole):
    """How far a sum of doubles may be off: not at all while they are whole numbers up to 2^53."""
    return 0 if whole < 2 ** 53 else whole / 2 ** 50


def main(functions):
    """Runs every test_ function of the module, each in a folder of its own."""
    failed = 0
    for name, function in sorted(functions.items()):
        if not name.startswith("test_") or (len(sys.argv) > 1 and name not in sys.argv[1:]):
            continue
        home = os.getcwd()
        with tempfile.TemporaryDirectory(prefix="sprof-") as folder:
            os.chdir(folder)
            try:
                function()
                print(f"ok {name}")
            except Exception:  # pylint: disable=broad-except
                failed += 1
                print(f"FAILED {name}")
                traceback.print_exc(file=sys.stdout)
            os.chdir(home)
    sys.exit(1 if failed else 0)
