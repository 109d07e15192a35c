"""Saved profiles: report, folded stacks and a new profile from a large one, beside the tools that do the same."""

import gzip
import os
import random
import sys

from figures import Check, Result, Row, Series
from parts.names import once

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../tests/consumers"))

import model  # noqa: E402
import pprof_file  # noqa: E402

FLAMEGRAPH = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"
FUNCTIONS = 3000
THREADS = 8


def make_paths(rng, stacks):
    """Stacks that share their beginnings, as those of a program do; places of functions."""
    paths = [[0]]
    while len(paths) < stacks:
        base = paths[rng.randrange(max(1, len(paths) // 2) if rng.random() < 0.9 else len(paths))]
        path = base[:rng.randint(1, len(base))] + [rng.randrange(FUNCTIONS) for _ in range(rng.randint(1, 8))]
        if len(path) < 100:
            paths.append(path)
    return paths


def write_profile(path, samples, stacks, aggregated):
    """A saved profile: a row per stack, or, as if nobody had added them up, one per sample."""
    rng = random.Random(1)
    module = model.Module("/usr/bin/app", "dd" * 20)
    encoder = pprof_file.Encoder()
    for weight in model.WEIGHTS:
        unit = "count" if weight == "samples" else "nanoseconds"
        encoder.out.append(pprof_file.data(1, pprof_file.number(1, encoder.string(weight))
                                           + pprof_file.number(2, encoder.string(unit))))
    places = [pprof_file.varint(encoder.location([(model.Function(
        f"app::component::function_{i}(int, char const*)", module, f"/src/file{i % 200}.cc", 10), 3)]))
        for i in range(FUNCTIONS)]
    labels = [encoder.label("pid", 100) + encoder.label("tid", 100 + i) + encoder.label("thread", f"t{i}")
              + encoder.label("state", "user") for i in range(THREADS)]
    paths = make_paths(rng, stacks)
    counts = [1] * stacks
    for _ in range(samples - stacks):
        counts[int(rng.random() ** 3 * stacks)] += 1
    for i, (stack, count) in enumerate(zip(paths, counts)):
        ids = b"".join(places[place] for place in reversed(stack))
        for each in [count] if aggregated else [1] * count:
            time = pprof_file.varint(each * 10101010)
            values = pprof_file.varint(each) + time + time + b"\0\0\0"
            encoder.out.append(pprof_file.data(2, pprof_file.data(1, ids) + pprof_file.data(2, values)
                                               + labels[i % THREADS]))
    with open(path, "wb") as file:
        file.write(gzip.compress(encoder.finish(), 6, mtime=0))


def measure(bench):
    samples, stacks = bench.seconds(1000000, 100000), bench.seconds(50000, 5000)
    saved, single = bench.file("saved.pb.gz"), bench.file("single.pb.gz")
    write_profile(saved, samples, stacks, True)
    write_profile(single, samples, stacks, False)
    folded = bench.file("saved.folded")
    once([bench.sprof, "report", saved, "-o", folded], "")
    report = [bench.sprof, "report", saved, "--no-pager"]
    tools = {
        "sprof report": report,
        "sprof report -f folded": report + ["-f", "folded", "-o", bench.file("out.folded")],
        "sprof report -f pprof": report + ["-o", bench.file("out.pb.gz")],
        "sprof report -f html": report + ["-o", bench.file("out.html")],
        "go tool pprof -top": ["go", "tool", "pprof", "-top", saved],
        "flamegraph.pl": ["perl", FLAMEGRAPH, folded],
        "sprof report, a record per sample": [bench.sprof, "report", single, "--no-pager"],
        "go tool pprof -top, a record per sample": ["go", "tool", "pprof", "-top", single],
    }
    result = Result("Formats", [
        f"A saved profile of {samples} samples with {stacks} stacks of {FUNCTIONS} functions, "
        f"{os.path.getsize(saved) / 2**20:.1f} MB;",
        "and the same profile with one record per sample. One process per tool and round.",
    ])
    runs = {name: [once(argv, "") for _ in range(bench.rounds)] for name, argv in tools.items()}
    walls = {name: Series(run[0] for run in values) for name, values in runs.items()}
    peaks = {name: Series(run[2] / 1024 for run in values) for name, values in runs.items()}
    for name in tools:
        base = None if name == "sprof report" else walls["sprof report"]
        result.rows.append(Row(f"formats: {name}", walls[name], "s", "sprof report" if base else "", base))
    for name in tools:
        result.rows.append(Row(f"peak memory: {name}", peaks[name], "MB"))
    for name in list(tools)[:3]:
        result.checks.append(Check(f"formats: {name}: seconds", walls[name].median, 1))
        result.checks.append(Check(f"formats: {name}: MB", peaks[name].median, 300))
    result.checks.append(Check("formats: sprof report -f html: seconds", walls["sprof report -f html"].median, 3))
    for name in ("go tool pprof -top", "flamegraph.pl"):
        result.checks.append(Check(f"formats: {name} over sprof report", walls[name].over(
            walls["sprof report"]).median, 1, at_least=True))
    return result
