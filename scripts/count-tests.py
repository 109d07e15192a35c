#!/usr/bin/env python3
"""Adds up what meson's testlog.json files say and prints the one line that sums up a test run.

    count-tests.py [--broken N] LOG...      the sum; a later log of the same folder is of tests that ran again
    count-tests.py --failed LOG             the names of the tests that failed, one a line

A log that is missing counts as one failure, and so does every build that broke (--broken N). Exits non-zero on any
failure, and on any skip where SPROF_TESTS_MUST_RUN=1."""

import argparse
import json
import os
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}


def results(path):
    """(name, result) of every test in a log. The name begins with the build folder."""
    folder = os.path.dirname(os.path.dirname(path))
    try:
        with open(path, encoding="utf-8") as log:
            for line in log:
                test = json.loads(line)
                yield f'{folder}: {test["name"]}', test["result"]
    except OSError as error:
        yield f"{path}: {error.strerror}", "ERROR"


def has_failed(result):
    return result not in PASSED | SKIPPED


def print_failed(path):
    for name, result in results(path):
        if has_failed(result):
            print(name.rsplit(" ", 1)[-1])


def add_up(logs, broken):
    outcomes, again = {}, []
    for path in logs:
        for name, result in results(path):
            if has_failed(outcomes.get(name, "OK")) and result in PASSED:
                again.append(name)
            outcomes[name] = result
    failed = [name for name, result in outcomes.items() if has_failed(result)]
    skipped = [name for name, result in outcomes.items() if result in SKIPPED]
    for title, names in ("failed", failed), ("skipped", skipped), ("failed once, and passed alone", again):
        for name in names:
            print(f"{title}: {name}")
    passed, bad = len(outcomes) - len(failed) - len(skipped), len(failed) + broken
    print(f"{passed} passed, {bad} failed, {len(skipped)} skipped" + (f", {len(again)} only alone" if again else ""))
    must_run = os.environ.get("SPROF_TESTS_MUST_RUN") == "1"
    return 1 if bad or not passed or (must_run and skipped) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--broken", type=int, default=0)
    parser.add_argument("--failed", metavar="LOG")
    parser.add_argument("logs", nargs="*")
    options = parser.parse_args()
    if options.failed:
        return print_failed(options.failed)
    return add_up(options.logs, options.broken)


if __name__ == "__main__":
    sys.exit(main())
