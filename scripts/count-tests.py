#!/usr/bin/env python3
"""Adds up what meson's testlog.json files say and prints the one line that sums up a test run.

A log that is missing counts as one failure, and so does every build that broke (--broken N).
Exits non-zero on any failure, and on any skip where SPROF_TESTS_MUST_RUN=1, except of tests that could not
be judged because the host of this virtual machine took the CPUs meanwhile: these are told with that reason."""

import argparse
import json
import os
import re
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}
UNJUDGED = re.compile(r"^UNJUDGED (.*)$", re.MULTILINE)


def results(path):
    """(name, result) of every test in a log, and why it could not be judged."""
    try:
        with open(path, encoding="utf-8") as log:
            for line in log:
                test = json.loads(line)
                why = UNJUDGED.findall(test.get("stderr") or "")
                yield f'{os.path.dirname(os.path.dirname(path))}: {test["name"]}', test["result"], why
    except OSError as error:
        yield f"{path}: {error.strerror}", "ERROR", []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--broken", type=int, default=0)
    parser.add_argument("logs", nargs="*")
    options = parser.parse_args()

    passed, failed, skipped, unjudged = [], [], [], []
    for path in options.logs:
        for name, result, why in results(path):
            into = passed if result in PASSED else skipped if result in SKIPPED else failed
            if into is skipped and why:
                unjudged.append(name)
                name += ": " + "; ".join(why)
            into.append(name)
    for name in failed:
        print(f"failed: {name}")
    for name in skipped:
        print(f"skipped: {name}")
    bad = len(failed) + options.broken
    print(f"{len(passed)} passed, {bad} failed, {len(skipped)} skipped")
    must_run = os.environ.get("SPROF_TESTS_MUST_RUN") == "1"
    return 1 if bad or not passed or (must_run and len(skipped) > len(unjudged)) else 0


if __name__ == "__main__":
    sys.exit(main())
