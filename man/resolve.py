#!/usr/bin/env python3
"""A manual page with the parts that it shares with others: `.so FILE` is the file beside it.

    resolve.py PAGE     prints the whole page
"""

import os
import re
import sys


def whole(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    folder = os.path.dirname(path)
    return re.sub(r"^\.so (\S+)\n", lambda found: whole(os.path.join(folder, found[1])), text, flags=re.MULTILINE)


if __name__ == "__main__":
    sys.stdout.write(whole(sys.argv[1]))
