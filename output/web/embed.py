#!/usr/bin/env python3
"""Puts the page together from its sources and writes it as C.

    embed.py FOLDER OUTPUT.c

The style and the scripts go into page.html at their marks, and the hashes of both into its content
security policy: a browser then runs nothing else, wherever it might come from.
"""

import base64
import hashlib
import os
import sys

# In the order in which they use each other.
PAGE_SCRIPTS = [
    "units.js",
    "data.js",
    "model.js",
    "trees.js",
    "dom.js",
    "colour.js",
    "graph.js",
    "timeline.js",
    "summary.js",
    "tables.js",
    "page.js",
]
PAGE_STYLES = ["page.css"]
DATA_MARK = "@DATA@"


def read(folder, names):
    texts = []
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            texts.append(file.read())
    return "\n".join(texts)


def source_hash(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def check_embeddable(text, what):
    """Nothing in it may end the element that it is put into, or begin a comment."""
    for word in ("</script", "</style", "<!--", DATA_MARK):
        if word in text:
            raise SystemExit(f"{what} can't be embedded: it contains {word}")


def page(folder):
    """The page before and behind its data."""
    style = "\n" + read(folder, PAGE_STYLES)
    script = "\n" + '"use strict";\n(() => {\n' + read(folder, PAGE_SCRIPTS) + "})();\n"
    check_embeddable(style, "the style")
    check_embeddable(script, "the script")
    text = read(folder, ["page.html"])
    for mark, content in (
        ("@STYLE_HASH@", source_hash(style)),
        ("@SCRIPT_HASH@", source_hash(script)),
        ("@STYLE@", style),
        ("@SCRIPT@", script),
    ):
        if text.count(mark) != 1:
            raise SystemExit(f"page.html must hold {mark} once")
        text = text.replace(mark, content)
    head, _, tail = text.partition(DATA_MARK)
    return head, tail


def c_string(name, text):
    """An array of bytes: string literals have a length that compilers must take and no more."""
    data = text.encode() + b"\0"
    lines = []
    for start in range(0, len(data), 20):
        lines.append("\t" + ",".join(str(byte) for byte in data[start : start + 20]) + ",\n")
    # Bytes above 127 don't fit into a char that is signed; the sources are ASCII.
    if any(byte > 127 for byte in data):
        raise SystemExit(f"{name} holds something else than ASCII")
    return f"const char {name}[] = {{\n" + "".join(lines) + "};\n"


def main():
    folder, target = sys.argv[1:]
    head, tail = page(folder)
    flame_style = read(folder, ["flame.css"])
    flame_script = read(folder, ["flame.js"])
    if "]]>" in flame_style + flame_script:
        raise SystemExit("flame.css and flame.js must not contain ]]>")
    with open(target, "w", encoding="ascii") as file:
        file.write('/* Made from output/web/ by output/web/embed.py. */\n#include "output/html/html.h"\n\n')
        file.write(c_string("sprof_web_page_head", head))
        file.write(c_string("sprof_web_page_tail", tail))
        file.write(c_string("sprof_web_flame_style", flame_style))
        file.write(c_string("sprof_web_flame_script", flame_script))


if __name__ == "__main__":
    main()
