"""The commands of docs/tutorial.md, typed as they stand there: what the text says that they show, they show.

A block of commands is followed by comments, one per line that must be in the output of its last command:

    <!-- shows: REGULAR EXPRESSION -->
"""

import os
import re
import shutil

from harness import SPROF, main, run, tool

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs")
BLOCK = re.compile(r"```console\n(.*?)```\n((?:<!-- shows: [^\n]* -->\n)*)", re.DOTALL)


def section(number):
    with open(os.path.join(DOCS, "tutorial.md"), encoding="utf-8") as file:
        text = file.read()
    parts = re.split(r"^## (\d)\. ", text, flags=re.MULTILINE)
    found = dict(zip(map(int, parts[1::2]), parts[2::2]))
    assert sorted(found) == [1, 2, 3, 4, 5]
    return BLOCK.findall(found[number])


def typed(command):
    """Its output on a terminal, without colours."""
    environment = {**os.environ, "PATH": f"{os.path.dirname(SPROF)}:{os.environ['PATH']}", "PAGER": "cat",
                   "XDG_CACHE_HOME": os.path.join(os.getcwd(), "cache"), "TERM": "xterm"}
    result = run(tool("script"), "-qefc", f"stty cols 100; {command}", "/dev/null", env=environment)
    return re.sub(r"\r|\x1b\[[0-9;]*m", "", result.check(0).text())


def follow(number):
    for name in os.listdir(os.path.join(DOCS, "examples")):
        shutil.copy(os.path.join(DOCS, "examples", name), name)
    blocks = section(number)
    assert blocks and any(shown for _, shown in blocks), "nothing is said of what is seen"
    for block, shown in blocks:
        commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
        output = [typed(command) for command in commands][-1]
        for pattern in re.findall(r"<!-- shows: (.*) -->", shown):
            print(f"     {pattern}")
            assert re.search(pattern, output), f"{pattern!r} is not what {commands[-1]} shows:\n{output}"


def test_a_loop_that_is_hot():
    follow(1)


def test_a_lock_that_many_want():
    follow(2)


def test_input_in_small_pieces():
    follow(3)


def test_too_many_threads():
    follow(4)


def test_memory_that_grows():
    follow(5)


if __name__ == "__main__":
    main()
