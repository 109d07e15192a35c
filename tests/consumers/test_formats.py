#!/usr/bin/env python3
"""Every format, read by a few lines of ours, where the programs that people read it with are not installed: the self
figures of the worked example, in nanoseconds. What those programs make of it is the other files' matter."""

import gzip
import json
import re
import struct
from collections import Counter

import harness
import model
import pprof_file

OF_PERF = {"magic": b"PERFILE2", "sample": 9}


def folded(text):
    own = Counter()
    for line in text.splitlines():
        stack, value = line.rsplit(" ", 1)
        own[stack.split(";")[-1]] += int(value) * 1000
    return own


def callgrind(text):
    own, names, current, is_call = Counter(), {}, None, False
    for line in text.splitlines():
        name = re.match(r"fn=\((\d+)\) ?(.*)", line)
        if name:
            current = names.setdefault(name[1], name[2])
        elif line.startswith("calls="):
            is_call = True
        elif line[:1].isdigit():
            if not is_call:
                own[current] += int(line.split()[1])
            is_call = False
    return own


def chrome(text):
    own, open_calls = Counter(), []
    for event in json.loads(text)["traceEvents"]:
        if event["ph"] == "B":
            open_calls.append([event["name"], event["ts"], 0])
        elif event["ph"] == "E":
            name, begin, inner = open_calls.pop()
            own[name] += 1000 * (event["ts"] - begin - inner)
            if open_calls:
                open_calls[-1][2] += event["ts"] - begin
    return own


def dot(text):
    return {name: int(own) for name, own in re.findall(r'sprof_name="(\w+)", sprof_self="(\d+)"', text)}


def firefox(text):
    page, own = json.loads(text), Counter()
    shared, samples = page["shared"], page["threads"][0]["samples"]
    for stack, weight in zip(samples["stack"], samples["weight"]):
        if stack is not None:
            function = shared["frameTable"]["func"][shared["stackTable"]["frame"][stack]]
            own[shared["stringArray"][shared["funcTable"]["name"][function]]] += weight * 1000000
    return own


def own_json(text):
    page = json.loads(text)
    return {page["functions"][row["function"]]["name"]: row["self"]["wall"] for row in page["flat"]}


def speedscope(text):
    page, own = json.loads(text), Counter()
    frames = page["shared"]["frames"]
    for profile in page["profiles"]:
        for stack, weight in zip(profile["samples"], profile["weights"]):
            own[frames[stack[-1]]["name"]] += weight
    return own


def flat_text(text):
    rows = re.findall(r"^ *[\d.]+ +([\d.]+) ms +[\d.]+ ms .* (\w+)  \w+\.c:\d+$", text, re.MULTILINE)
    return {name: float(own) * 1000000 for own, name in rows}


READERS = {"folded": folded, "callgrind": callgrind, "chrome": chrome, "dot": dot, "firefox": firefox, "json": own_json,
           "speedscope": speedscope, "text": flat_text}


def written(form, *options):
    path = f"written.{form}"
    harness.sprof("report", "-f", form, "-o", path, *options, "in.pb.gz")
    with open(path, "rb") as file:
        return file.read()


def test_figures():
    profile = model.worked()
    pprof_file.write("in.pb.gz", profile)
    for form, reader in READERS.items():
        own = reader(written(form).decode())
        harness.same(own, profile.tables("wall")[0], tolerance=10, what=form)


def test_pprof_again():
    """A saved profile that sprof writes is one that it reads."""
    profile = model.worked()
    pprof_file.write("in.pb.gz", profile)
    again = written("pprof")
    gzip.decompress(again)
    with open("in.pb.gz", "wb") as file:
        file.write(again)
    harness.same(folded(written("folded").decode()), profile.tables("wall")[0], what="pprof")


def test_perf():
    """The header, and a record for each sample."""
    pprof_file.write("in.pb.gz", model.worked())
    data = written("perf")
    assert data[:8] == OF_PERF["magic"], data[:8]
    begin, size = struct.unpack_from("<QQ", data, 40)
    kinds, at = Counter(), begin
    while at < begin + size:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        assert length >= 8
        kinds[kind] += 1
        at += length
    assert at == begin + size and kinds[OF_PERF["sample"]] >= len(model.WORKED), kinds


def test_pages():
    """The page and the picture have every function, and the page has its data."""
    pprof_file.write("in.pb.gz", model.worked())
    page, picture = written("html").decode(), written("svg").decode()
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])
    for name in "main", "a", "b", "c":
        assert name in data["strings"], data["strings"]
        assert f"<title>{name} " in picture, picture
    assert all(re.fullmatch("[A-Za-z0-9+/]+", row) for row in data["rows"]), data["rows"]


def test_every_format_is_here():
    """The hint lists the formats; png needs graphviz, and gmon and summary have their own tests."""
    pprof_file.write("in.pb.gz", model.worked())
    text = harness.run("sh", "-c", '"$0" report -f nonsense in.pb.gz 2>&1', harness.SPROF, check=False)
    formats = set(re.search(r"the formats are: (.*)", text)[1].split(", "))
    assert formats == {*READERS, "pprof", "perf", "html", "svg", "png", "gmon", "summary"}, formats


if __name__ == "__main__":
    harness.main(globals())
