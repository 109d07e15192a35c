#!/usr/bin/env python3
"""Draws the folders of the program: their subfolders with the number of .c files, and what each folder includes.

    tree.py             prints the picture
    tree.py --write     puts it into ARCHITECTURE.md
    tree.py --check     fails if ARCHITECTURE.md has another one
"""

import collections
import os
import re
import sys
import textwrap

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
sys.path.insert(0, os.path.join(ROOT, "tests/lint"))
import lint  # noqa: E402

BEGIN, END = "<!-- scripts/tree.py -->\n```\n", "```\n<!-- end -->\n"


def read_tree():
    """({folder: {room: number of .c files}}, {folder: folders that it includes}); room "" is the folder itself."""
    rooms, includes = collections.defaultdict(collections.Counter), collections.defaultdict(set)
    for source in lint.sources_of(ROOT):
        if not source.in_layers:
            continue
        if source.path.endswith(".c"):
            rooms[source.folder][os.path.dirname(source.path)[len(source.folder) + 1 :]] += 1
        included = {name.split("/")[0] for name in re.findall(r'#include "([^"]+)"', source.text)}
        includes[source.folder] |= included - {source.folder}
    return rooms, includes


def draw():
    rooms, includes = read_tree()
    lines = []
    for folder in lint.INCLUDES:
        arrow = " -> " + " ".join(name for name in lint.INCLUDES if name in includes[folder]) if includes[folder] else ""
        lines.append(f"{folder + '/':10}{sum(rooms[folder].values()):4}{arrow}")
        parts = [f"{room}:{count}" for room, count in sorted(rooms[folder].items()) if room]
        lines += textwrap.wrap(", ".join(parts), 96, initial_indent=" " * 16, subsequent_indent=" " * 16)
    return "\n".join(lines) + "\n"


def main():
    path = os.path.join(ROOT, "ARCHITECTURE.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before, _, rest = text.partition(BEGIN)
    behind = rest.partition(END)[2]
    wanted = before + BEGIN + draw() + END + behind
    if sys.argv[1:] == ["--write"]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(wanted)
    elif sys.argv[1:] == ["--check"]:
        if text != wanted:
            print("ARCHITECTURE.md has another tree: scripts/tree.py --write")
            return 1
    else:
        print(draw(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
