#!/usr/bin/env python3
"""
The cases of table.py: small programs, and what sprof has to say of each.

    run_cases.py [--at-once N] [--show] [GROUP...]

A row whose answer is wrong is red. So is one that is known to fail and has the right answer: the table stays true. A row
that this machine can't show is left out, and the reason said. --show also prints each answer.
"""

import functools
import glob
import json
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))

import harness  # noqa: E402
from harness import Program, Skip, run, sprof, state_of, threads_of, tool, wait_until  # noqa: E402
from table import CASES  # noqa: E402

SHOWS = "--show" in sys.argv
OF_LIBC = "libc-symbols"


def is_root():
    return os.geteuid() == 0


def require_libc_symbols():
    """Those of functions that are not exported: rows that need them are in the group that has libc6-dbg."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        libc = next((line.split()[-1] for line in maps if "/libc.so.6" in line or "/libc-2" in line), None)
    if not libc or b"__pthread_mutex_lock_full" not in run(harness.SPROF, "symbols", libc, "__pthread_mutex_lock_full").out:
        raise Skip("libc6-dbg is not installed")


# What a row may need of the machine. Its other needs are programs, which must be there where all tests must run.
MACHINES = {
    "x86_64": (os.uname().machine == "x86_64", "its input is code of x86_64"),
    "root": (is_root(), "it takes root"),
    "switches": (harness.perf_opens(with_kernel=False), "kernel.perf_event_paranoid forbids records of switches"),
}


def why_not_here(case):
    for need in case.needs.split():
        if need in MACHINES:
            is_there, reason = MACHINES[need]
            if not is_there:
                return reason
            continue
        try:
            if need == OF_LIBC:
                require_libc_symbols()
            else:
                tool(need)
        except Skip as reason:
            assert os.environ.get("SPROF_TESTS_MUST_RUN") != "1", f"{reason}, and all tests must run"
            return str(reason)
    return None


def make_input(case):
    """The programs are copied to this folder, and the input is made of them."""
    for name in glob.glob(os.path.join(HERE, "*", "*.*")):
        shutil.copy(name, ".")
    made = run("sh", "-ec", case.input, env={**os.environ, "CPATH": os.path.join(HERE, "../..")})
    assert made.code == 0, f"{case.input}\n{made.text()}{made.err}"


# What sprof answers, as lines of text. Words from ./a.out on are the program and its arguments.

def split_at_program(command):
    at = command.index("./a.out") if "./a.out" in command else len(command)
    return command[:at], command[at:]


def whole_answer(command):
    """The exit code, what was written to stdout and stderr, and the files that are called x.*, or -."""
    options, program = split_at_program(command)
    result = sprof(*options, *(["--"] if program else []), *program)
    text = f"exit {result.code}\n{result.text()}{result.err}"
    for name in sorted([*glob.glob("x.*"), *glob.glob("-")]):
        with open(name, encoding="utf-8", errors="replace") as file:
            text += f"file {name}:\n{file.read()}"
    return text


def answer_of_calls(command):
    """A line for each function."""
    if "-o" in command:
        return whole_answer([command[0], "--overhead", "0", *command[1:]])
    (name, *options), program = split_at_program(command)
    result = sprof(name, "--overhead", "0", "--json", *options, "--", *program)
    lines = [f"exit {result.code}"]
    if result.out.startswith(b"{"):
        for row in json.loads(result.text())["functions"]:
            lines.append(f"{row.get('comm') or ''} {row['function']}: {row['calls']} calls, {row['returned']} returned".strip())
    return "\n".join([*lines, result.err])


def answer_of_heap(command):
    """A line for each stack, the outermost function first."""
    (name, *options), program = split_at_program(command)
    result = sprof(name, "--json", *options, "--", *program)
    if result.code:
        return f"exit {result.code}\n{result.err}"
    stacks = json.loads(result.text())["stacks"]
    return "\n".join(f"{stack['allocated']['objects']} objects by {';'.join(reversed(stack['frames']))}" for stack in stacks)


def answer_of_syscalls(command):
    """The columns of the table have one blank between them."""
    return "\n".join(" ".join(line.split()) for line in whole_answer(command).splitlines())


def answer_of_report(command):
    """The first table, which is the flat profile if there is no other."""
    text = whole_answer(command)
    table = re.search(r"^ ?self%.*\n((?:.+\n)*)", text, re.MULTILINE)
    return table.group(1) if table else text


def processes_of(pid):
    """The process and those that it has started."""
    yield pid
    for tid in threads_of(pid):
        with open(f"/proc/{pid}/task/{tid}/children", encoding="utf-8") as file:
            for child in file.read().split():
                yield from processes_of(int(child))


def all_sleep(pid):
    try:
        return all(state_of(process, tid) == "S" for process in processes_of(pid) for tid in threads_of(process))
    except (FileNotFoundError, ProcessLookupError):
        return False


def answer_of_dump(command):
    """A line for each deadlock, thread and local variable; of a core file, or of a program that is where it stays."""
    (name, *options), words = split_at_program(command)
    if not words:
        return described(sprof(name, "--json", *options))
    program = Program(words)
    assert program.line() == "ready", "the program says something else"
    if "--asleep" in options:
        options.remove("--asleep")
        wait_until(lambda: all_sleep(program.pid), "all threads sleep")
    return described(sprof(name, "--json", *options, "-p", program.pid))


def described(result):
    if result.code:
        return f"exit {result.code}\n{result.err}"
    dump = json.loads(result.text())
    lines = [f"deadlock: {json.dumps(deadlock)}" for deadlock in dump["deadlocks"]]
    for thread in (thread for process in dump["processes"] for thread in process["threads"]):
        stack = ";".join(frame["function"] or "?" for frame in reversed(thread["stack"]))
        lines.append(f"thread {thread['name']}, {thread['state']}, lock {json.dumps(thread['lock'])}, stack ;{stack};")
        for frame in thread["stack"]:
            lines += [f"{local['name']} = {local.get('value')}" for local in frame["locals"] or ()]
    return "\n".join(lines)


READERS = {"calls": answer_of_calls, "dump": answer_of_dump, "heap": answer_of_heap, "report": answer_of_report,
           "syscalls": answer_of_syscalls}


def answer(case):
    """Of the last command; the others must end well."""
    *before, last = (command.split() for command in case.command.split("; "))
    for command in before:
        run(*(command if command[0] == "cp" else [harness.SPROF, *command])).check(0)
    return READERS.get(last[0], whole_answer)(last)


def what_is_wrong(right, text):
    """The first line of the right value that the answer doesn't meet, or None."""
    for line in right.split("\n"):
        how, expression = re.fullmatch(r"(not |\d+ times )?(.*)", line).groups()
        found = len(re.findall(expression, text, re.MULTILINE))
        if found == 0 if how is None else found != (0 if how == "not " else int(how.split()[0])):
            return line
    return None


def check(case):
    reason = why_not_here(case)
    if reason:
        print(f"not here: {case.group}/{case.name}: {reason}")
        return
    make_input(case)
    text = answer(case)
    wrong = what_is_wrong(case.right, text)
    if SHOWS:
        print(f"{case.group}/{case.name}: {case.command}\n{text}\nwrong: {wrong}\n")
    if case.known_to_fail == "yes":
        assert wrong, f"it is known to fail, and has the right answer now: table.py must say so\n{text}"
    else:
        assert not wrong, f"{case.command}\nright: {wrong}\nanswer: {text}"


def main():
    """The harness runs what is called test_*, each in a folder of its own."""
    groups = {case.group for case in CASES}
    chosen = [word for word in sys.argv if word in groups] or groups
    for case in CASES:
        test = functools.partial(check, case)
        test.__name__ = f"test_{case.group}_{case.name}".replace("-", "_")
        assert test.__name__ not in globals() and case.known_to_fail in ("yes", "no"), case
        if OF_LIBC in case.needs.split():
            test = harness.others(test)
        if case.group in chosen:
            globals()[test.__name__] = test
    sys.argv = [word for word in sys.argv if word not in groups and word != "--show"]
    harness.main()


if __name__ == "__main__":
    main()
