#!/usr/bin/env python3
"""A table of tests that ran on several machines, from meson's logs, for docs/tried.md.

    matrix.py FOLDER...     a column for each: FOLDER/version names it, FOLDER/logs has root*.json and user*.json

A cell is "ok", "-" if the test did not run to its end, or the number of the reason below the table why it was skipped
or failed; where they differ, first root's, then the user's. Exits non-zero if a test failed."""

import glob
import json
import os
import re
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
# The time for all tests was over.
NOT_RUN = {"INTERRUPT", "PENDING"}
# What says why, in the output of cmocka, of tests/e2e, of tests/behaviours and of Python.
REASONS = (r"^SKIP (\S+: .*)$", r"^FAIL (\S+)$", r"^\[  FAILED  \] (?:\S+: )?([a-z]\w+)$", r"^DIFFERS in round \d+: (.*?):?$",
           r"^(AssertionError.*)$", r"^(skipped: .*)$")


def reason_of(test):
    text = test.get("stdout", "") + "\n" + test.get("stderr", "")
    found = [match for form in REASONS for match in re.findall(form, text, re.MULTILINE)]
    return f'{test["result"].lower()}: {"; ".join(dict.fromkeys(found))[:300] or "no reason was printed"}'


def outcome(test):
    if test["result"] in PASSED:
        return "ok"
    return "-" if test["result"] in NOT_RUN else reason_of(test)


def outcomes(folder, who):
    """{test: "ok", "-" or the reason}"""
    result = {}
    for path in sorted(glob.glob(os.path.join(folder, "logs", f"{who}*.json"))):
        with open(path, encoding="utf-8") as log:
            for test in map(json.loads, log):
                result[test["name"].rsplit(" ", 1)[-1]] = outcome(test)
    return result


def cell(texts, reasons):
    numbers = [text if text in ("ok", "-") else str(reasons.setdefault(text, len(reasons) + 1)) for text in texts]
    return " / ".join(dict.fromkeys(numbers))


def main():
    folders = sys.argv[1:]
    columns, names, reasons = [], [], {}
    for folder in folders:
        columns.append([outcomes(folder, who) for who in ("root", "user")])
        with open(os.path.join(folder, "version"), encoding="utf-8") as file:
            names.append(file.read().strip())
    print("| test |", " | ".join(names), "|")
    print("| --- |", " | ".join("---" for _ in names), "|")
    for test in sorted({test for column in columns for who in column for test in who}):
        cells = [cell([who.get(test, "-") for who in column], reasons) for column in columns]
        print(f"| {test} |", " | ".join(cells), "|")
    print()
    for reason, number in reasons.items():
        print(f"({number}) {reason}  ")
    return any(not reason.startswith("skip") for reason in reasons)


if __name__ == "__main__":
    sys.exit(main())
