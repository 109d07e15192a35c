"""Parts of naming by sprof's own code and by libdw alone: user and system time, and peak memory, of whole processes."""

import glob
import os
import random
import re
import subprocess

from figures import Result, Row, Series
from parts import names

PARTS = (("lines", "line tables"), ("scopes", "functions and inlined calls"), ("sections", "compressed sections"))


def text_of(path):
    """(address, size) of .text, which a debug file has, too, but without its bytes."""
    out = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    match = re.search(r"\s\.text\s+(?:PROGBITS|NOBITS)\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)", out)
    return int(match.group(1), 16), int(match.group(2), 16)


def choose(path, count):
    start, size = text_of(path)
    chosen = random.Random(1)
    return "".join(f"0x{start + chosen.randrange(size):x}\n" for _ in range(count))


def libc_debug():
    """libc's debug file, if libc6-dbg is installed."""
    for libc in glob.glob("/lib/*-linux-gnu/libc.so.6"):
        notes = subprocess.run(["readelf", "-n", libc], capture_output=True, text=True, check=False).stdout
        match = re.search(r"Build ID: ([0-9a-f]{2})([0-9a-f]+)", notes)
        path = f"/usr/lib/debug/.build-id/{match.group(1)}/{match.group(2)}.debug" if match else ""
        if os.path.exists(path):
            return path
    return None


def subjects(bench):
    """{what: file}: a C++ program that is made, the same compressed, and libc."""
    program = names.build_program(bench.folder, bench.seconds(20, 2))
    small = program + "-zlib"
    if not os.path.exists(small):
        subprocess.run(["objcopy", "--compress-debug-sections=zlib", program, small], check=True)
    found = {"C++ program": program, "C++ program, compressed": small}
    if libc_debug():
        found["libc"] = libc_debug()
    return found


def measure(bench):
    result = Result("DWARF", [
        "Parts of naming by sprof's own code, and by libdw alone, on 20 and 500 random addresses: a whole process each, with",
        "the search for units by libdw in both. CPU time is user and system time. The two take turns.",
    ])
    for what, path in subjects(bench).items():
        for count in (20, 500):
            addresses = choose(path, count)
            for part, title in PARTS:
                if part == "sections" and "compressed" not in what or part != "sections" and "compressed" in what:
                    continue
                runs = {"own": [], "libdw": []}
                for _ in range(bench.rounds):
                    for way, values in runs.items():
                        values.append(names.once([bench.program("dwarf"), part, way, path], addresses))
                base = None
                for way, values in runs.items():
                    series = Series(run[1] * 1000 for run in values)
                    label = f"{what}, {count}: {title}, {way}"
                    result.rows.append(Row(label, series, "ms", "own" if base else "", base))
                    result.rows.append(Row(f"{label}: peak", Series(run[2] / 1024 for run in values), "MB"))
                    base = base or series
    return result
