#!/usr/bin/env python3
"""json: valid, as the schema says, and its tables add up to its own flat profile and to the model."""

import json
import os
from collections import Counter

import harness
import model
import pprof_file

SCHEMA = os.path.join(harness.HERE, "../../docs/profile.schema.json")


def write(profile, comments=()):
    pprof_file.write("in.pb.gz", profile, comments=comments)
    harness.sprof("report", "in.pb.gz", "-o", "out.json")
    harness.run("python3", "-m", "json.tool", "out.json", "/dev/null")
    with open("out.json", encoding="utf-8") as file:
        return json.load(file)


def add_up(data, weight):
    """Self and total from rows, stacks, locations and functions alone."""
    own, total = Counter(), Counter()
    for row in data["rows"]:
        names, stack = [], row["stack"]
        while stack:
            stack, location = data["stacks"][stack]
            names += [data["functions"][line[0]]["name"] for line in data["locations"][location]]
        own[names[0]] += row["values"][weight]
        for name in set(names):
            total[name] += row["values"][weight]
    return own, total


def test_tables():
    for profile in (model.canonical(), model.worked(), *map(model.make_random, harness.RANDOM_SEEDS)):
        data = write(profile)
        flat = Counter(), Counter()
        for row in data["flat"]:
            name = data["functions"][row["function"]]["name"]
            for table, key in zip(flat, ("self", "total")):
                table[name] += row[key]["wall"]
        for weight in profile.weights:
            for got, want in zip(add_up(data, weight), profile.tables(weight)):
                harness.same(got, want, what=weight)
        for got, want in zip(flat, profile.tables("wall")):
            harness.same(got, want, what="flat")


def test_schema():
    harness.need_npm("ajv")
    for profile in (model.canonical(), model.make_random(1)):
        data = write(profile, ("sprof: gap.1=stripped", "sprof: gap_help.1=install symbols",
                               "sprof: gap.1=of a later mapping"))
        assert ("stripped", "install symbols") in [
            (module.get("gap"), module.get("gap_help")) for module in data["modules"]], data["modules"]
        harness.node("check-schema.cjs", SCHEMA, "out.json")


if __name__ == "__main__":
    harness.main(globals())
