#!/usr/bin/env python3
"""The canonical profile for the tests in a browser: page.html, flame.svg and truth.json in a folder.

The flame graph is drawn without the one function that is so heavy that nothing else would be seen.
"""

import json
import os
import sys

import harness
import model
import pprof_file


def rows_of(profile):
    """By name: as the page sums them up, where a name is in one module."""
    tables = {weight: profile.tables(weight) for weight in profile.weights}
    names = tables["samples"][1] | tables["wall"][1]
    return [{"name": name, "self": {weight: tables[weight][0][name] for weight in tables},
             "total": {weight: tables[weight][1][name] for weight in tables}} for name in names]


def without(profile, name):
    return model.Model([row for row in profile.rows if name not in profile.names_of(row)], profile.threads)


def main(folder):
    os.chdir(folder)
    profile = model.canonical()
    light = without(profile, "hot")
    pprof_file.write("in.pb.gz", profile)
    harness.sprof("report", "in.pb.gz", "-o", "page.html")
    harness.sprof("report", "in.pb.gz", "--ignore", "^hot$", "--weight", "samples", "-o", "flame.svg")
    with open("truth.json", "w", encoding="utf-8") as file:
        json.dump({"functions": rows_of(profile), "light": rows_of(light), "whole": light.whole("samples")}, file)


if __name__ == "__main__":
    main(sys.argv[1])
