#!/usr/bin/env python3
"""
Compares stacks with gdb's, of programs as compilers and linkers make them.

    corpus.py [--places N] [--seconds S] [--jobs N] [--show] [NAME...]

A row of BUILDS is a program (shapes.*) and how it is made. Each is looked at three ways:

    asleep   `sprof dump` of the sleeping program, which sprof does not stop: it knows pc and sp only
    core     `sprof dump --core` of core files that gdb makes of the running program at N places
    run      `sprof attach` for S seconds: the share of stacks that are whole

Stacks are compared frame by frame, by pc, without inlined functions:

    equal         in all frames
    equal so far  sprof's stack goes on to a root where gdb's ends, or ends at makecontext's root, behind which gdb goes on
    no gdb        sprof's stack has a root; gdb has guessed a frame that is in no function, as without unwind tables
    cut           sprof's stack has no root
    other         they differ

A build that this machine can't make is left out, and the reason said. Prints a line for each build and the sums, with --show
also the stacks that are cut or differ. Exit status 1: there are such stacks.
"""

import collections
import concurrent.futures
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STACK = 512 * 1024
SPROF = os.environ.get("SPROF", "sprof")

C = "shapes.c -pthread -lm"
CXX = "shapes.cc -pthread"
RUST = "shapes.rs"
NO_TABLES = "-fno-asynchronous-unwind-tables -fno-exceptions -fno-unwind-tables"

BUILDS = {
    **{f"gcc{level}": f"gcc {level} {C}" for level in ("-O0", "-O1", "-O2", "-O3", "-Os")},
    **{f"clang{level}": f"clang {level} {C}" for level in ("-O0", "-O1", "-O2", "-O3", "-Os", "-Oz")},
    **{f"g++{level}": f"g++ {level} {CXX}" for level in ("-O0", "-O2", "-O3", "-Os")},
    **{f"clang++{level}": f"clang++ {level} {CXX}" for level in ("-O0", "-O2", "-Os")},
    **{f"rustc-O{level}": f"rustc -C opt-level={level} {RUST}" for level in "023s"},
    "rustc-lto": f"rustc -C opt-level=3 -C lto=fat -C codegen-units=1 {RUST}",
    "rustc-fp": f"rustc -C opt-level=2 -C force-frame-pointers=yes -g {RUST}",
    "gcc-cet": f"gcc -O2 -fcf-protection=full {C}",
    "gcc-no-cet": f"gcc -O2 -fcf-protection=none {C}",
    "gcc-no-pie": f"gcc -O2 -no-pie -fno-pie {C}",
    "gcc-static": f"gcc -O2 -static {C}",
    "gcc-static-pie": f"gcc -O2 -static-pie {C}",
    "gcc-no-tables": f"gcc -O2 {NO_TABLES} {C}",
    "gcc-no-tables-O0": f"gcc -O0 {NO_TABLES} {C}",
    "gcc-debug-frame": f"gcc -O2 -g {NO_TABLES} {C}",
    "gcc-lto": f"gcc -O2 -flto {C}",
    "gcc-now": f"gcc -O2 -Wl,-z,now {C}",
    "gcc-lazy": f"gcc -O2 -Wl,-z,lazy {C}",
    "gcc-no-plt": f"gcc -O2 -fno-plt {C}",
    "gcc-lld": f"gcc -O2 -fuse-ld=lld {C}",
    "gcc-gold": f"gcc -O2 -fuse-ld=gold {C}",
    "gcc-mold": f"gcc -O2 -fuse-ld=mold {C}",
    "gcc-split-dwarf": f"gcc -O2 -g -gsplit-dwarf {C}",
    "gcc-gz": f"gcc -O2 -g -gz {C}",
    "gcc-debug-frame-gz": f"gcc -O2 -g -gz {NO_TABLES} {C}",
    "gcc-debug-frame-zstd": f"gcc -O2 -g {NO_TABLES} {C} -Wl,--compress-debug-sections=zstd",
    "gcc-large": f"gcc -O2 -mcmodel=large -fno-pie -no-pie {C}",
    "gcc-retpoline": f"gcc -O2 -mindirect-branch=thunk -mfunction-return=thunk -fcf-protection=none {C}",
    "gcc-stackrealign": f"gcc -O2 -mstackrealign {C}",
    "gcc-outgoing-args": f"gcc -O2 -maccumulate-outgoing-args -mno-red-zone {C}",
    "gcc-instrumented": f"gcc -O2 -finstrument-functions {C}",
    "gcc-safe": f"gcc -O2 -fharden-compares -fzero-call-used-regs=all {C}",
    "gcc-noseparate": f"gcc -O2 -Wl,-z,noseparate-code {C}",
    "gcc-frame-pointer": f"gcc -O2 -fno-omit-frame-pointer {C}",
    "gcc-avx2": f"gcc -O3 -mavx2 {C}",
    "gcc-stripped": f"gcc -O2 -s {C}",
    "gcc-stack-clash": f"gcc -O2 -fstack-clash-protection -fstack-protector-all {C}",
    "gcc-no-shrink-wrap": f"gcc -O2 -fno-shrink-wrap -fno-ipa-ra {C}",
    "gcc-pg": f"gcc -O2 -pg {C}",
    "gcc-split-stack": f"gcc -O2 -fsplit-stack {C}",
    "gcc-sections": f"gcc -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections {C}",
    "gcc-no-hdr": f"gcc -O2 -Wl,--no-eh-frame-hdr {C}",
    "clang-no-tables": f"clang -O2 {NO_TABLES} {C}",
    "clang-debug-frame": f"clang -O2 -g {NO_TABLES} {C}",
    "clang-lld": f"clang -O2 -fuse-ld=lld {C}",
    "clang-thinlto": f"clang -O2 -flto=thin -fuse-ld=lld {C}",
    "clang-bb-sections": f"clang -O2 -fbasic-block-sections=all -fuse-ld=lld {C}",
    "clang-mold": f"clang -O2 -fuse-ld=mold {C}",
    "clang-split-dwarf": f"clang -O2 -g -gsplit-dwarf {C}",
    "clang-gz": f"clang -O2 -g -gz {NO_TABLES} {C}",
    "clang-safe-stack": f"clang -O2 -fsanitize=safe-stack {C}",
    "clang-retpoline": f"clang -O2 -mretpoline {C}",
    "clang-machine-outliner": f"clang -Oz -mllvm -enable-machine-outliner {C}",
    "clang-static-pie": f"clang -O2 -static-pie {C}",
    "clang-cet": f"clang -O2 -fcf-protection=full {C}",
    "g++-static": f"g++ -O2 -static {CXX}",
    "g++-lto": f"g++ -O2 -flto {CXX}",
    "g++-lld": f"g++ -O2 -fuse-ld=lld {CXX}",
    "clang++-thinlto": f"clang++ -O2 -flto=thin -fuse-ld=lld {CXX}",
}

# How many threads say that they are asleep.
SLEEPERS = {"shapes.c": 7, "shapes.cc": 5, "shapes.rs": 4}


def source_of(command):
    return re.search(r"shapes\.\w+", command).group()


def build(command, folder):
    program = os.path.join(folder, "program")
    command = command.replace(source_of(command), os.path.join(HERE, source_of(command)))
    made = subprocess.run([*command.split(), "-o", program], capture_output=True, text=True, cwd=folder)
    return program, made.stderr.strip().splitlines()[-1] if made.returncode else None


def limit_stacks():
    """So that core files are small."""
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))


def start(program, how, lines):
    """The program, when it has said that it is ready."""
    process = subprocess.Popen([program, how], stdout=subprocess.PIPE, text=True, preexec_fn=limit_stacks)
    for _ in range(lines):
        assert process.stdout.readline(), "the program has ended"
    return process


def mappings_of(pid):
    """Of code."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        for words in (line.split(maxsplit=5) for line in file if line.split()[1][2] == "x"):
            low, high = (int(word, 16) for word in words[0].split("-"))
            yield low, high, int(words[2], 16), words[5].strip() if len(words) > 5 else ""


def address_of(frame, mappings):
    """Of an offset in a file. Other memory has its address as the offset."""
    for low, high, offset, path in mappings:
        if path and path == frame["module"] and offset <= frame["offset"] < offset + high - low:
            return low + frame["offset"] - offset
    return frame["offset"]


def sprof_stacks(mappings, *options):
    dump = subprocess.run([SPROF, "dump", "--json", *options], capture_output=True, text=True, timeout=60)
    assert dump.returncode == 0, dump.stderr
    return {thread["tid"]: (thread["stack_end"], [(address_of(frame, mappings), frame["function"] or "?")
                                                  for frame in thread["stack"] if not frame["inlined"]])
            for process in json.loads(dump.stdout)["processes"] for thread in process["threads"]}


def gdb_stacks(pid, places=1, core=""):
    """Those of each place."""
    answer = subprocess.run(["gdb", "-q", "-batch", "-p", str(pid), "-x", os.path.join(HERE, "gdb_stacks.py")],
                            capture_output=True, text=True, timeout=300, env={**os.environ, "CORE": core, "PLACES": str(places)})
    found = []
    for line in answer.stdout.splitlines():
        if line.startswith("PLACE\t"):
            found.append({})
        if line.startswith("STACK\t"):
            _, tid, *frames = line.split("\t")
            found[-1][int(tid)] = [(int(frame.split()[0], 16), frame.split(maxsplit=1)[1]) for frame in frames]
    assert len(found) == places and all(found), answer.stderr[-500:]
    return found


def judge(mine, end, other):
    """In a word."""
    same = 0
    while same < len(mine) and same < len(other) and abs(mine[same][0] - other[same][0]) <= 1:
        same += 1
    if same == len(mine) == len(other):
        return "equal"
    if end == "root" and (same == len(other) or (same == len(mine) and mine[-1][1] == "__start_context")):
        return "equal so far"
    if end != "root":
        return "cut"
    return "no gdb" if any(name == "?" for _, name in other[:same + 2]) else "other"


def compare(mine, others, found, log):
    for tid, other in others.items():
        end, frames = mine.get(tid, ("no thread", []))
        word = judge(frames, end, other)
        found[word] += 1
        if word in ("cut", "other"):
            log.append(f"  {word}: sprof ({end}): {' '.join(f'{name}:{pc:x}' for pc, name in frames)}\n"
                       f"  {' ' * len(word)}  gdb: {' '.join(f'{name}:{pc:x}' for pc, name in other)}")


def look_asleep(program, source, found, log):
    process = start(program, "sleep", SLEEPERS[source])
    try:
        while any(state_of(process.pid, tid) != "S" for tid in os.listdir(f"/proc/{process.pid}/task")):
            assert process.poll() is None, "the program has ended"
        mine = sprof_stacks(list(mappings_of(process.pid)), "-p", str(process.pid))
        compare(mine, gdb_stacks(process.pid)[0], found, log)
    finally:
        process.kill()
        process.wait()


def state_of(pid, tid):
    with open(f"/proc/{pid}/task/{tid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0]


def look_at_cores(program, places, found, log):
    process = start(program, "run", 1)
    core = program + ".core"
    try:
        mappings = list(mappings_of(process.pid))
        for place, others in enumerate(gdb_stacks(process.pid, places, core)):
            compare(sprof_stacks(mappings, "--core", f"{core}.{place}"), others, found, log)
    finally:
        process.kill()
        process.wait()


def ends_of_run(program, seconds, folder):
    """How often the stacks ended how; whole ones end at the root."""
    out = os.path.join(folder, "run.json")
    process = start(program, "run", 1)
    try:
        attach = subprocess.run([SPROF, "attach", "-q", "-r", "200", "-d", str(seconds), "-f", "json", "-o", out,
                                 "-p", str(process.pid)], capture_output=True, text=True, timeout=60)
    finally:
        process.kill()
        process.wait()
    assert attach.returncode == 0, attach.stderr
    with open(out, encoding="utf-8") as file:
        return collections.Counter(json.load(file)["quality"]["stacks"])


def judge_build(name, options):
    folder = tempfile.mkdtemp(prefix="corpus-")
    log, found = [], {"asleep": collections.Counter(), "core": collections.Counter()}
    try:
        program, why = build(BUILDS[name], folder)
        if why:
            return name, None, None, [f"  not made: {why}"]
        look_asleep(program, source_of(BUILDS[name]), found["asleep"], log)
        look_at_cores(program, options["--places"], found["core"], log)
        run = ends_of_run(program, options["--seconds"], folder)
        return name, found, run, log
    except (AssertionError, KeyError, OSError, subprocess.SubprocessError) as error:
        return name, None, None, [*log, f"  failed: {error!r}"]
    finally:
        shutil.rmtree(folder)


def parse(words):
    options = {"--places": 20, "--seconds": 2, "--jobs": 1, "--show": False}
    names = []
    while words:
        word = words.pop(0)
        if word == "--show":
            options[word] = True
        elif word in options:
            options[word] = int(words.pop(0))
        else:
            names.append(word)
    return options, names or list(BUILDS)


def describe(found, run):
    other = ", ".join(f"{end} {count}" for end, count in run.items() if count and end != "root")
    return (f"asleep {dict(found['asleep'])}, core {dict(found['core'])}, "
            f"run {run['root']} of {sum(run.values())} whole{f' ({other})' if other else ''}")


def main():
    options, names = parse(sys.argv[1:])
    sums, runs = {"asleep": collections.Counter(), "core": collections.Counter()}, collections.Counter()
    is_right = True
    with concurrent.futures.ThreadPoolExecutor(options["--jobs"]) as pool:
        for name, found, run, log in pool.map(lambda name: judge_build(name, options), names):
            if not found:
                print(f"{name}: {log[-1].strip()}", flush=True)
                continue
            print(f"{name}: {describe(found, run)}", flush=True)
            if options["--show"] and log:
                print("\n".join(log), flush=True)
            for way, sum_of_way in sums.items():
                sum_of_way.update(found[way])
            runs.update(run)
            is_right &= not log and run["root"] == sum(run.values())
    print(f"all: {describe(sums, runs)}")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
