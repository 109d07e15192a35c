"""
sprof heap --exact: the known truths of programs, with each allocator, and what other tools say of them.

What the target allocates itself is exact. What libc allocates beside it, such as the memory of threads, is not among
its functions.
"""

import glob
import json
import os
import re

from harness import (PATIENCE, SPROF, Target, as_plain_user, check_error, main, own_sprof, own_target, require_machine,
                     require_plain_sprof, run, sprof, target, tool, tracer_of)
from subjects import build, command

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, os.pardir, "targets")
KEPT, TEMPORARY, PEAK, RESIZED, THREADS, HANDED, CHILD, SWAPS, SLOTS = 50, 100, 60, 20, 3, 40, 5, 1000, 4
RESIZED_BYTES = sum(1000 * step for step in range(1, RESIZED + 1))
NOTHING = (0, 0)
# Of each function: allocated, freed, in use at the peak, not freed; all in bytes and objects.
TRUTH = {
    "keep": ((KEPT * 100, KEPT), NOTHING, (KEPT * 100, KEPT), (KEPT * 100, KEPT)),
    "make_temporary": ((TEMPORARY * 1000, TEMPORARY), (TEMPORARY * 1000, TEMPORARY), NOTHING, NOTHING),
    "make_peak": ((PEAK * 4000, PEAK), (PEAK * 4000, PEAK), (PEAK * 4000, PEAK), NOTHING),
    "resize": ((RESIZED_BYTES, RESIZED), (RESIZED_BYTES, RESIZED), NOTHING, NOTHING),
    "align": ((6 * 512, 6), (3 * 512, 3), NOTHING, (3 * 512, 3)),
}


def exact(*words, options=(), code=7, program=SPROF, **how):
    """The report of a run in which no call was lost."""
    result = run(program, "heap", "--exact", "--json", *options, "--", *words, **how).check(code)
    report = json.loads(result.text())
    assert report["source"] == "breakpoints" and report["lost"] == 0, (report["source"], report["lost"], result.err)
    return report


def pair(figure):
    return figure["bytes"], figure["objects"]


def figures_of(report, function):
    """The sums of all stacks that end in the function."""
    def add(name):
        found = [pair(stack[name]) for stack in report["stacks"] if stack["frames"][:1] == [function]]
        return sum(size for size, _ in found), sum(count for _, count in found)
    return tuple(add(name) for name in ("allocated", "freed", "peak", "not_freed"))


def check_truth(report):
    for function, truth in TRUTH.items():
        assert figures_of(report, function) == truth, (function, figures_of(report, function), truth)
    assert report["failed"] >= 1 and report["null_frees"] >= 1, report
    resizes = report["resizes"]
    # Where an object may be resized to nothing, that is one more.
    assert (resizes["count"] - resizes["shrunk"], resizes["grown"], resizes["longest"]) == (RESIZED - 1,) * 3, resizes
    check_sums(report)


def check_sums(report):
    totals = report["totals"]
    for name in ("allocated", "freed", "temporary", "not_freed", "peak"):
        whole = pair(totals[name])
        parts = [pair(stack[name]) for stack in report["stacks"]]
        assert whole == (sum(size for size, _ in parts), sum(count for _, count in parts)), (name, whole)
    fates = [pair(totals[name]) for name in ("freed", "in_use", "left", "gone_by_exec")]
    assert pair(totals["allocated"]) == tuple(map(sum, zip(*fates))), totals
    assert sum(size["objects"] for size in report["sizes"]) == totals["allocated"]["objects"], report["sizes"]


def check_whole(report):
    check_truth(report)
    totals = report["totals"]
    # Nobody else allocates in this program.
    assert pair(totals["allocated"]) == (5000 + 100000 + 240000 + RESIZED_BYTES + 3072 + 300, 237), totals
    assert pair(totals["peak"]) == (245000, 110), totals
    assert pair(totals["not_freed"]) == (6536, 53), totals
    assert totals["temporary"]["objects"] >= TEMPORARY, totals
    assert report["unknown_frees"] == report["unpaired_returns"] == report["not_returned"] == 0, report


def test_glibc():
    check_whole(exact(target("allocator")))
    check_whole(exact(own_target("allocator"), program=own_sprof(), **as_plain_user()))


def released_by(report, function):
    found = [pair(stack["released"]) for stack in report["stacks"] if stack["frames"][:1] == [function]]
    return sum(size for size, _ in found), sum(count for _, count in found)


def test_the_code_that_frees():
    """Only if it is wanted; a resize is none."""
    report = exact(target("allocator"), options=("--weight", "released_space"))
    check_whole(report)
    assert released_by(report, "make_temporary") == (100000, 100) and released_by(report, "make_peak") == (240000, 60), report
    assert released_by(report, "resize") == (1000 * RESIZED, 1) and released_by(report, "keep") == NOTHING, report
    parts = [pair(stack["released"]) for stack in report["stacks"]]
    assert pair(report["totals"]["released"]) == tuple(map(sum, zip(*parts))), report["totals"]
    assert pair(exact(target("allocator"))["totals"]["released"]) == NOTHING
    text = sprof("heap", "--exact", "--weight", "released_objects", "--", target("allocator")).check(7).text()
    assert "which code frees most often:" in text, text


def swapped():
    """The sizes that the target's threads ask for when they exchange objects: of malloc, of realloc."""
    allocated, resized = [], []
    for value in range(THREADS):
        for _ in range(SWAPS):
            value = (value * 1103515245 + 12345) % 2 ** 32
            allocated.append(16 + (value >> 20) % 500)
            if (value >> 8) % 3 == 0:
                resized.append(16 + (value >> 12) % 2000)
    return allocated, resized


def check_swaps(**how):
    """Addresses go from one thread to another while calls are under way."""
    report = exact(target("allocator"), "swap", **how)
    allocated, resized = swapped()
    figures = figures_of(report, "swap")
    assert figures[0] == (sum(allocated) + sum(resized), len(allocated) + len(resized)), figures
    assert figures[3][1] == SLOTS and figures[1][1] == figures[0][1] - SLOTS, figures
    assert report["resizes"]["count"] == len(resized), report["resizes"]
    assert report["given_again"] == report["unknown_resizes"] == report["not_returned"] == 0, report
    check_sums(report)


def preloaded(pattern, throws=True):
    """
    Programs with another allocator, which sprof has then as well. The allocator's operator new does not call malloc,
    and throws where there is no memory.
    """
    require_plain_sprof("two allocators in one sprof")
    found = sorted(glob.glob(f"/usr/lib/*/{pattern}"))
    require_machine(found, f"{pattern} is not installed")
    environment = dict(os.environ, LD_PRELOAD=found[0])
    check_truth(exact(target("allocator"), env=environment))
    check_swaps(env=environment)
    words = [build("operators", "-g", "-std=c++17", source=CPLUSPLUS), *([] if throws else ["with memory"])]
    check_operators(exact(*words, env=environment))


def test_jemalloc():
    preloaded("libjemalloc.so.2")


def test_tcmalloc():
    preloaded("libtcmalloc_minimal.so.4")


def test_mimalloc():
    """Where it was built as C, its operator new aborts."""
    preloaded("libmimalloc.so.2*", throws=False)


def compiled(compiler, *flags):
    name = os.path.abspath("-".join(["allocator", os.path.basename(compiler), *flags]))
    command(compiler, "-O2", "-g", "-D_GNU_SOURCE", "-I", os.path.join(SOURCE, os.pardir, os.pardir), *flags,
            "-fno-optimize-sibling-calls", os.path.join(SOURCE, "allocator.c"), os.path.join(SOURCE, "target.c"),
            "-o", name, "-pthread")
    return name


def test_static():
    check_truth(exact(compiled(tool("gcc"), "-static")))


def test_musl():
    """Its calloc, realloc and aligned functions call malloc in turn. It does not free what is resized to nothing."""
    for flags in ((), ("-static",)):
        report = exact(compiled(tool("musl-gcc"), *flags))
        check_truth(report)


def test_threads():
    report = exact(target("allocator"), "threads")
    objects = THREADS * HANDED
    assert figures_of(report, "hand_over")[0] == (objects * 200, objects), figures_of(report, "hand_over")
    assert figures_of(report, "hand_over")[1] == (objects * 200, objects), figures_of(report, "hand_over")
    assert figures_of(report, "keep")[3] == (THREADS * KEPT * 100, THREADS * KEPT), figures_of(report, "keep")
    assert report["given_again"] == 0, report
    check_sums(report)
    check_swaps()


def test_children():
    report = exact(target("allocator"), "fork")
    assert figures_of(report, "run_child")[:2] == ((300, 1), (300, 1)), figures_of(report, "run_child")
    assert figures_of(report, "leave_in_child")[3] == (CHILD * 10, CHILD), report["stacks"]
    assert report["inherited_frees"] == 1 and report["unknown_frees"] == 0, report
    report = exact(target("allocator"), "fork", options=["--no-children"])
    assert pair(report["totals"]["allocated"]) == (300, 1) and report["inherited_frees"] == 0, report


def test_exec():
    """What was there before is neither freed nor leaked."""
    report = exact(target("allocator"), "exec")
    assert pair(report["totals"]["gone_by_exec"]) == (KEPT * 100, KEPT), report["totals"]
    assert pair(report["totals"]["not_freed"]) == (6536, 53), report["totals"]
    check_sums(report)


def test_longjmp():
    report = exact(target("allocator"), "jump")
    assert figures_of(report, "run_jump")[:2] == ((KEPT * 20, KEPT),) * 2, report["stacks"]
    assert report["totals"]["not_freed"]["objects"] == 0, report["totals"]


CPLUSPLUS = """
#include <cstdint>
#include <cstdlib>
#include <new>
namespace { void *volatile sink; }
struct alignas(64) Wide { char bytes[192]; };
__attribute__((noipa)) void all_forms() {
    sink = new int; delete static_cast<int *>(sink);
    sink = new int[10]; delete[] static_cast<int *>(sink);
    sink = new Wide; delete static_cast<Wide *>(sink);
    sink = new Wide[2]; delete[] static_cast<Wide *>(sink);
    sink = new (std::nothrow) int; ::operator delete(sink, std::nothrow);
    sink = ::operator new(30); ::operator delete(sink, 30);
    sink = ::operator new[](40, std::align_val_t(64)); ::operator delete[](sink, std::align_val_t(64));
}
__attribute__((noipa)) void leak() { sink = new char[123]; }
__attribute__((noipa)) void fail(std::size_t much) {
    sink = ::operator new(much, std::nothrow);
    try { sink = ::operator new(much); } catch (const std::bad_alloc &) { sink = nullptr; }
    try { throw 1; } catch (int) { }
}
int main(int argc, char **) { all_forms(); if (argc == 1) fail(SIZE_MAX / 4); leak(); return 7; }
"""


def check_operators(report):
    def of(function):
        found = [stack for stack in report["stacks"] if any(name.startswith(function) for name in stack["frames"])]
        return [tuple(sum(values) for values in zip(*(pair(stack[name]) for stack in found)))
                for name in ("allocated", "freed", "not_freed") if found]

    sizes = 4 + 40 + 192 + 2 * 192 + 4 + 30 + 40
    # libstdc++ asks malloc for aligned memory in multiples of the alignment.
    allocated, freed, kept = of("all_forms")
    assert allocated[1] == freed[1] == 7 and kept == (0, 0), (allocated, freed, kept)
    assert sizes <= allocated[0] <= sizes + 64, (allocated, sizes)
    assert of("leak")[2] == (123, 1), of("leak")
    assert not of("fail")[2:] or of("fail")[2] == (0, 0), of("fail")


def test_operators():
    """All forms of new and delete; and a program that runs out of memory finds its handlers."""
    program = build("operators", "-g", "-std=c++17", source=CPLUSPLUS)
    check_operators(exact(program))


def test_like_valgrind():
    """memcheck's allocations, frees and bytes; massif's peak."""
    report = exact(target("allocator"))
    words = run(tool("valgrind"), target("allocator")).check(7).err
    usage = re.search(r"total heap usage: ([\d,]+) allocs, ([\d,]+) frees, ([\d,]+) bytes", words).groups()
    left = re.search(r"in use at exit: ([\d,]+) bytes in ([\d,]+) blocks", words).groups()
    allocs, frees, size = (int(text.replace(",", "")) for text in usage)
    totals = report["totals"]
    assert (size, allocs) == pair(totals["allocated"]), (words, totals)
    assert frees == totals["freed"]["objects"], (words, totals)
    assert tuple(int(text.replace(",", "")) for text in left) == pair(totals["not_freed"]), (words, totals)
    run(tool("valgrind"), "--tool=massif", "--peak-inaccuracy=0.0", "--massif-out-file=massif", target("allocator")
        ).check(7)
    with open("massif", encoding="utf-8") as file:
        peak = max(int(line.partition("=")[2]) for line in file if line.startswith("mem_heap_B="))
    assert peak == totals["peak"]["bytes"], (peak, totals)


def test_like_heaptrack():
    """
    Its calls to allocation functions, its peak and what it calls leaked. It does not know memalign, of whose two
    objects one stays, and for it 300 bytes that are resized to nothing are one more allocation, and leaked.
    """
    report = exact(target("allocator"))
    run(tool("heaptrack"), "-o", "track", target("allocator"))
    words = run(tool("heaptrack_print"), glob.glob("track*")[0]).text()

    def figure(name):
        return re.search(rf"^{name}: ([\d.]+)(\w?)", words, re.MULTILINE).groups()

    totals = report["totals"]
    calls = int(figure("calls to allocation functions")[0])
    assert calls == totals["allocated"]["objects"] - 2 + 1, (words[-500:], totals)
    value, unit = figure("total memory leaked")
    assert unit == "K" and abs(float(value) * 1000 - (totals["not_freed"]["bytes"] - 512 + 300)) <= 10, value
    # Its library brings that of C++, which keeps some memory for exceptions.
    value, unit = figure("peak heap memory consumption")
    assert unit == "K" and 0 <= float(value) * 1000 - totals["peak"]["bytes"] <= 75000, (value, totals["peak"])


def test_a_running_process():
    """What it had before is not known; and it goes on."""
    for duration in PATIENCE:
        program = Target("allocator", "loop")
        result = sprof("heap", "--exact", "--breakpoints", "--json", "-p", program.pid, "-d", duration).check(0)
        assert tracer_of(program.pid) == 0
        program.finish().check(7)
        report = json.loads(result.text())
        allocated, freed, _, kept = figures_of(report, "keep_one")
        if kept[1] > 10:
            break
    assert allocated == kept and kept[0] == 100 * kept[1] and kept[1] > 10 and freed == (0, 0), report["stacks"]
    allocated, freed, _, kept = figures_of(report, "make_one_temporary")
    assert allocated[1] - freed[1] in (0, 1) and allocated[1] > 10, report["stacks"]
    assert report["unknown_frees"] > 0 and report["given_again"] == 0, report
    check_sums(report)


def test_text():
    text = sprof("heap", "--exact", "--breakpoints", "--sizes", "--live", "--older", "1ns", "--top", "1", "--weight",
                 "peak_space", "--", target("allocator")).check(7).text()
    for words in ("allocated  ", "240000 bytes (98.0%) in 60 objects (54.5%):", "make_peak",
                  "6536 bytes in 53 objects were not freed for at least 1 ns", "the oldest for",
                  "Skipping stacks numbered 2..2: 5000 bytes in 50 objects", "resized 19 times: 19 grew",
                  "1 calls got no memory", "512 B "):
        assert words in text, (words, text)


def test_no_stack_is_shown_twice():
    """What is not freed stands once, with its age: not as the peak before it."""
    text = sprof("heap", "--exact", "--breakpoints", "--live", "--", target("allocator")).check(7).text()
    assert "what the peak consisted of" not in text and "make_peak" not in text, text
    assert len(re.findall(r"#0 +keep\b", text)) == 1 and text.count("were not freed:") == 1, text
    assert "the oldest for" in text, text


def test_formats():
    """The figures are a profile's: every weight, and what Go's tools make of them."""
    sprof("heap", "--exact", "--breakpoints", "-o", "heap.pb.gz", "-o", "heap.svg", "--", target("allocator")).check(7)
    for weight, function, value in (("alloc_space", "make_temporary", 100000), ("inuse_objects", "keep", 50),
                                    ("peak_space", "make_peak", 240000), ("temporary_objects", "make_temporary", 100)):
        text = sprof("report", "heap.pb.gz", "--weight", weight, "-f", "folded").check(0).text()
        found = sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.split(" ")[0].endswith(function))
        assert found == value, (weight, text)
    sprof("merge", "heap.pb.gz", "heap.pb.gz", "-o", "twice.pb.gz").check(0)
    text = sprof("report", "twice.pb.gz", "--weight", "alloc_objects", "-f", "folded").check(0).text()
    assert sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines()) == 2 * 237, text
    assert os.path.getsize("heap.svg") > 1000


def test_go_tool_pprof():
    go = tool("go")
    sprof("heap", "--exact", "--breakpoints", "-o", "heap.pb.gz", "--", target("allocator")).check(7)
    for index, value in (("alloc_space", "558372B"), ("inuse_space", "6536B"), ("peak_space", "245000B")):
        text = run(go, "tool", "pprof", "-top", "-unit=B", f"-sample_index={index}", "heap.pb.gz",
                   env=dict(os.environ, HOME=os.getcwd())).check(0).text()
        assert re.search(rf"of {value} total", text) or f"{value}" in text, (index, text)


def test_bad_input():
    for code, words, *said in (
            (64, ("--live", "--", "true"), "--exact"),
            (64, ("--json", "--", "true"), "--exact"),
            (64, ("--exact", "--older", "1s", "--", "true"), "--live"),
            (64, ("--exact", "--growth", "--", "true"), "--growth"),
            (64, ("--exact", "--weight", "nothing", "--", "true"), "nothing"),
            (64, ("--exact",), "needs a program")):
        check_error(sprof("heap", *words), code, *said)


if __name__ == "__main__":
    main()
