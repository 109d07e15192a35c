"""sprof mem: the memory of programs that know how much they have, against smem, and in every format."""

import csv
import json
import os
import subprocess
import sys
from xml.etree import ElementTree

from harness import (Program, Target, check_error, check_near, main, run, sprof, target, tool, tracer_of)

MIB = 1 << 20
STEPS, STEP_S = 20, 0.05
SLEEPER = "import sys, json, decimal; data = bytearray(20 << 20); print(1, flush=True); sys.stdin.read()"
# A MiB each 50 ms; then all of it goes away.
GROWER = f"import time\nkept = []\nfor _ in range({STEPS}):\n    kept.append(bytearray({MIB}))\n    time.sleep({STEP_S})\n"
LEAVES = "del kept\ntime.sleep(0.3)"


def mem(*words, code=0):
    return json.loads(sprof("mem", "--json", *words).check(code).text())


def sleeper():
    program = Program([sys.executable, "-c", SLEEPER], stdin=subprocess.PIPE)
    assert program.line().strip() == "1"
    return program


def test_growth_and_peak():
    found = mem("--maps", "-i", "10", "--", sys.executable, "-c", GROWER + LEAVES)
    (process,) = found["processes"]
    rss = process["rss"]
    assert rss["max"] - rss["min"] > STEPS * MIB, rss
    assert rss["max"] - rss["last"] > (STEPS - 2) * MIB, rss
    assert process["kernels_peak"] >= rss["max"] - MIB, process
    assert rss["max_ns"] > 0.9e9 * STEPS * STEP_S and found["duration_ns"] - rss["max_ns"] > 0.2e9, (found, rss)
    assert process["anon"]["max"] + process["file"]["max"] >= rss["max"], process
    assert rss["min"] < rss["mean"] < rss["max"] and rss["readings"] > 30, rss
    assert found["total"]["rss"]["max"] == rss["max"], found
    peak = {file["name"]: file for file in process["mapped_at_peak"]["files"]}
    assert sum(file["uss"] for file in peak.values()) > (STEPS - 2) * MIB, peak


def test_growth_per_second():
    """Nearly a line, whatever the machine makes of the naps."""
    found = mem("-i", "10", "--", sys.executable, "-c", GROWER)
    rss = found["processes"][0]["rss"]
    risen = (rss["max"] - rss["min"]) / (found["duration_ns"] / 1e9)
    assert risen > 3 * MIB and 0.6 * risen < rss["growth_per_second"] < 1.4 * risen, (risen, rss)


def test_smem_agrees():
    """Two processes that share libraries: what is whose."""
    first, second = sleeper(), sleeper()
    found = mem("-p", f"{first.pid},{second.pid}", "-d", "300ms")
    text = run(tool("smem"), "-H", "-c", "pid uss pss rss swap", "-P", "bytearray").check(0).text()
    theirs = {int(row[0]): [int(cell) * 1024 for cell in row[1:]] for row in map(str.split, text.splitlines())}
    assert len(found["processes"]) == 2, found
    for process in found["processes"]:
        uss, pss, rss, swap = theirs[process["pid"]]
        ours = {key: process[key]["last"] for key in ("uss", "pss", "rss", "swap")}
        print(process["pid"], ours, uss, pss, rss, swap)
        # Other processes that come and go share the C library, too; the kernel's counters lag by some pages.
        check_near(ours["uss"], uss, 0.01 * uss, "USS")
        check_near(ours["pss"], pss, 0.05 * pss, "PSS")
        check_near(ours["rss"], rss, 0.02 * rss, "RSS")
        assert ours["swap"] == swap and ours["uss"] > 20 * MIB, process
    total = found["total"]["pss"]["last"]
    check_near(total, sum(process["pss"]["last"] for process in found["processes"]), 1, "the sum")
    for program in (first, second):
        assert tracer_of(program.pid) == 0
        program.finish().check(0)


def test_children():
    """They are found by their parents, and counted while they are there; so those must live for some looks."""
    script = f"{sys.executable} -c 'import time; x = bytearray(10 << 20); time.sleep(2)' & sleep 2 & wait"
    found = mem("-i", "20", "--", "sh", "-c", script)
    names = sorted(process["comm"] for process in found["processes"])
    assert len(names) == 3 and "sleep" in names and "sh" in names, found
    assert found["total"]["rss"]["max"] >= max(process["rss"]["max"] for process in found["processes"]), found
    found = mem("--no-children", "--", "sh", "-c", "sleep 0.2 & wait")
    assert [process["comm"] for process in found["processes"]] == ["sh"], found


def test_what_is_mapped():
    program = sleeper()
    text = sprof("mem", "-p", program.pid, "-d", "200ms", "--libs").check(0).text()
    rows = [line.split() for line in text.splitlines()]
    assert any("libc" in row[-1] for row in rows if row) and not any("[heap]" in row for row in rows), text
    text = sprof("mem", "-p", program.pid, "-d", "200ms", "--maps", "--at", "start").check(0).text()
    assert "[stack]" in text and "mapped by" in text, text
    program.finish().check(0)


def test_files():
    program = Target("threads", 1, 1)
    sprof("mem", "-p", program.pid, "-d", "300ms", "-i", "50", "-o", "m.csv", "-o", "m.svg", "-o", "m.html", "-o",
          "m.json", "-o", "m.txt").check(0)
    with open("m.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 6 and {row["pid"] for row in rows} == {str(program.pid)}, rows
    assert all(int(row["rss"]) >= int(row["uss"] or 0) > -1 for row in rows) and rows[-1]["uss"], rows
    picture = ElementTree.parse("m.svg").getroot()
    titles = [title.text for title in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert any(title.startswith("RSS, at most ") for title in titles), titles
    with open("m.html", encoding="utf-8") as file:
        page = file.read()
    assert "<svg" in page and "own share" in page, page
    with open("m.json", encoding="utf-8") as file:
        assert json.load(file)["processes"][0]["pid"] == program.pid
    with open("m.txt", encoding="utf-8") as file:
        assert "own share" in file.read()
    program.finish().check(0)


def test_hostile_names():
    """A program's name is shown, not obeyed."""
    os.symlink(target("threads"), "a<b&\n,\"c")
    program = Program([os.path.abspath("a<b&\n,\"c"), "1", "1"], stdin=subprocess.PIPE)
    assert "ready" in program.line()
    result = sprof("mem", "-p", program.pid, "-d", "100ms", "-o", "m.html", "-o", "m.csv", "-o", "m.svg").check(0)
    with open("m.html", encoding="utf-8") as file:
        assert "a<b" not in file.read()
    with open("m.csv", encoding="utf-8") as file:
        assert all(len(row) == 10 for row in csv.reader(file))
    ElementTree.parse("m.svg")
    assert "\n,\"c" not in result.text()
    program.finish().check(0)


def test_the_table_fits():
    program = Target("threads", 1, 1)
    text = sprof("mem", "-p", program.pid, "-d", "200ms").check(0).text()
    assert "own share" in text and "over time" in text and "▇" in text or "█" in text, text
    program.finish().check(0)


def test_the_programs_exit_code():
    """Also of one whose memory takes long to be given back."""
    assert mem("--", "sh", "-c", "exit 3", code=3)["processes"]
    large = "import os; x = bytearray(300 << 20); os._exit(5)"
    assert mem("-i", "1", "--", sys.executable, "-c", large, code=5)["total"]["rss"]["max"] > 250 * MIB
    sprof("mem", "--", "true").check(0)


def test_the_first_thread_ends():
    program = Target("leaderless")
    (process,) = mem("-p", program.pid, "-d", "200ms", "-i", "20")["processes"]
    assert not process["ended"] and process["rss"]["readings"] > 5 and process["uss"]["last"], process
    program.finish()


def test_the_programs_output():
    """With files alone, stdout is the program's; what can't be written is told, and the rest is there."""
    result = sprof("mem", "-o", "m.csv", "--", "echo", "hello").check(0)
    assert result.text() == "hello\n", result.text()
    os.symlink("/dev/full", "full.json")
    result = sprof("mem", "-o", "full.json", "-o", "m.svg", "--", "true").check(1)
    assert os.path.exists("m.svg") and "full.json" in result.err, result.err


def test_bad_input():
    gone = subprocess.Popen(["true"])
    gone.wait()
    for code, words, *said in (
            (64, (), "needs a process or a program"),
            (64, ("-p", os.getpid(), "--", "true"), "not both"),
            (64, ("-p", "x"), "process ids"),
            (64, ("-p", f"{os.getpid()},"), "process ids"),
            (64, ("-p", os.getpid(), "-o", "file.xyz"), ".csv"),
            (64, ("-p", os.getpid(), "--at", "noon"), "start"),
            (64, ("-p", os.getpid(), "-i", "0"), "interval"),
            (2, ("-p", os.getpid(), "-o", "no/such/folder/m.csv"), "no/such/folder"),
            (2, ("-p", f"{os.getpid()},{gone.pid}", "-d", "1s"), "no such process"),
            (2, ("-p", gone.pid), "no such process")):
        check_error(sprof("mem", *words), code, *said)


if __name__ == "__main__":
    main()
