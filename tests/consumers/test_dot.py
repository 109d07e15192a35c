#!/usr/bin/env python3
"""dot and png: dot and gvpr read back the model's self and total, and edges once per stack."""

import json
from collections import Counter

import harness
import model
import pprof_file

DOT = harness.need("dot", "graphviz")
GVPR = harness.need("gvpr", "graphviz")


def read(path):
    """({name: self}, {name: total}, {(caller, callee): weight})"""
    graph = json.loads(harness.run(DOT, "-Tjson", path))
    own, total, edges = Counter(), Counter(), Counter()
    nodes = {item["_gvid"]: item for item in graph["objects"] if "sprof_total" in item}
    for node in nodes.values():
        own[node["sprof_name"]] += int(node["sprof_self"])
        total[node["sprof_name"]] += int(node["sprof_total"])
    for edge in graph.get("edges", ()):
        names = nodes[edge["tail"]]["sprof_name"], nodes[edge["head"]]["sprof_name"]
        edges[names] += int(edge["sprof_weight"])
    return own, total, edges


def truth_of_edges(profile):
    edges = Counter()
    for row in profile.rows:
        names = profile.names_of(row)
        for pair in set(zip(names, names[1:])):
            edges[pair] += model.value_of(row, "wall")
    return edges


def shown(table):
    """Long names are cut, backslashes come back as dot has them."""
    return {name if len(name) <= 200 else name[:200] + "...": value for name, value in table.items()}


def test_random():
    for profile in (model.worked(), *map(model.make_random, harness.RANDOM_SEEDS)):
        pprof_file.write("in.pb.gz", profile)
        harness.sprof("report", "in.pb.gz", "-o", "out.dot")
        own, total, edges = read("out.dot")
        want = profile.tables("wall")
        harness.same(own, want[0])
        harness.same(total, want[1])
        harness.same(edges, truth_of_edges(profile))


def test_canonical():
    profile = model.canonical()
    pprof_file.write("in.pb.gz", profile)
    harness.sprof("report", "in.pb.gz", "-o", "out.dot")
    own, total, _edges = read("out.dot")
    unescaped = [{key.replace("\\\\", "\\"): value for key, value in table.items()} for table in (own, total)]
    want = [shown(table) for table in profile.tables("wall")]
    harness.same(unescaped[0], want[0])
    harness.same(unescaped[1], want[1])


def test_gvpr():
    profile = model.make_random(5)
    pprof_file.write("in.pb.gz", profile)
    harness.sprof("report", "in.pb.gz", "-o", "out.dot")
    text = harness.run(GVPR, 'N{printf("%s %s\\n", sprof_total, sprof_name)}', "out.dot")
    got = {line.split(" ", 1)[1]: int(line.split(" ", 1)[0]) for line in text.splitlines()}
    harness.same(got, profile.tables("wall")[1])


def test_pruned_and_per_thread():
    profile = model.make_random(6, functions=300, stacks=600)
    pprof_file.write("in.pb.gz", profile)
    harness.sprof("report", "in.pb.gz", "-o", "out.dot")
    nodes = harness.run(GVPR, 'N{printf("%s\\n", sprof_total)}', "out.dot").split()
    edges = harness.run(GVPR, 'E{printf("%s\\n", sprof_weight)}', "out.dot").split()
    assert len(nodes) == 80 and len(edges) == 240, (len(nodes), len(edges))
    harness.sprof("report", "in.pb.gz", "-o", "threads.dot", "--report-mode", "per-thread")
    with open("threads.dot", encoding="utf-8") as file:
        assert file.read().count("subgraph cluster_") == 4


def colours(path):
    """{name: colour}"""
    graph = json.loads(harness.run(DOT, "-Tjson", path))
    return {item["sprof_name"]: item["fillcolor"] for item in graph["objects"] if "sprof_total" in item}


def test_nodes_and_colours():
    profile = model.make_random(6, functions=300, stacks=600)
    pprof_file.write("in.pb.gz", profile)
    harness.sprof("report", "in.pb.gz", "-o", "few.dot", "--nodes", "7")
    own, total, _edges = read("few.dot")
    want = sorted(profile.tables("wall")[1].values(), reverse=True)[:7]
    assert sorted(total.values(), reverse=True) == want, (total, want)
    harness.sprof("report", "in.pb.gz", "-o", "self.dot", "--nodes", "7", "--colour", "self")
    whole = sum(profile.tables("wall")[0].values())
    for by, values in (("few.dot", total), ("self.dot", own)):
        for name, colour in colours(by).items():
            share = values[name] / whole
            assert (colour == "#b5d0ee") == (share <= 0.01), (by, name, share, colour)


def test_png():
    pprof_file.write("in.pb.gz", model.canonical())
    harness.sprof("report", "in.pb.gz", "-o", "out.png")
    with open("out.png", "rb") as file:
        picture = file.read()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n") and picture.endswith(b"IEND\xaeB`\x82")
    width, height = (int.from_bytes(picture[at:at + 4], "big") for at in (16, 20))
    assert width > 300 and height > 300, (width, height)


def test_png_without_dot():
    import os
    import subprocess
    pprof_file.write("in.pb.gz", model.make_random(1))
    os.mkdir("bin")
    result = subprocess.run([harness.SPROF, "report", "in.pb.gz", "-o", "out.png"], check=False,
                            env={**os.environ, "PATH": os.path.abspath("bin")}, capture_output=True,
                            text=True)
    assert result.returncode == 2 and "graphviz" in result.stderr and not os.path.exists("out.png")


if __name__ == "__main__":
    harness.main(globals())
