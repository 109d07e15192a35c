"""bench/RESULTS.md: the sections that bench/run makes are replaced, all others stay as they are."""

import datetime
import os
import platform
import re
import subprocess

from figures import Check, Row, markdown

OPENING = """# Results

The cost of sprof, measured by `bench/run --results`. Each figure is the median over the rounds of one run, with the
lowest and highest round beside it. A ratio is computed per round, between two measurements that followed each other. The
target measures its figures with its own clock; the CPU time of the profiler is the kernel's (`wait4`).
"""
MACHINE, DONE = "Machine", "Done when"


def first_line(*arguments):
    try:
        result = subprocess.run(arguments, capture_output=True, text=True, check=False)
    except OSError:
        return "not there"
    lines = (result.stdout or result.stderr).strip().splitlines()
    return lines[0] if lines else "?"


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        text = file.read()
    match = re.search(r"^(?:model name|CPU part)\s*: (.*)$", text, re.MULTILINE)
    name = match.group(1) if match else platform.machine()
    return f"{name} (virtual)" if re.search(r"^flags\s*:.*\bhypervisor\b", text, re.MULTILINE) else name


def machine(bench, build_type):
    facts = [
        ("date", datetime.date.today().isoformat()),
        ("CPU", f"{cpu_model()}, {len(os.sched_getaffinity(0))} CPUs"),
        ("kernel", platform.release()),
        ("sprof", first_line(bench.sprof, "--version") + f", built as {build_type}"),
        ("perf", first_line("perf", "--version")),
        ("gdb", first_line("gdb", "--version")),
        ("elfutils", first_line("eu-stack", "--version")),
        ("compiler", first_line("gcc", "--version")),
        ("python3", platform.python_version()),
        ("load at the start", "%.2f %.2f %.2f" % bench.load_at_start),
    ]
    return "\n".join(f"- {name}: {value}" for name, value in facts) + "\n"


def section_of(result):
    return "\n\n".join(filter(None, [
        "\n".join(result.notes),
        markdown(Row.HEAD, [row.cells() for row in result.rows]),
    ])) + "\n"


def read_sections(path):
    """[(title, text)] of a file, the text before the first title left out."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        parts = re.split(r"^## (.*)$", file.read(), flags=re.MULTILINE)
    return [(title, text.strip("\n") + "\n") for title, text in zip(parts[1::2], parts[2::2])]


def kept_marks(text, new):
    """The lines of the marks that this run did not look at."""
    lines = [[cell.strip() for cell in line.strip("|").split(" | ")]
             for line in text.splitlines() if line.startswith("| ")][2:]
    return [line for line in lines if line[0] not in new]


def write(path, bench, build_type, results):
    sections = dict(read_sections(path))
    checks = [check.cells() for result in results for check in result.checks]
    marks = kept_marks(sections.get(DONE, ""), {line[0] for line in checks}) + checks
    made = {MACHINE: machine(bench, build_type), DONE: markdown(Check.HEAD, sorted(marks)) + "\n"}
    made.update((result.title, section_of(result)) for result in results)
    sections.update(made)
    order = [MACHINE, DONE] + [title for title in sections if title not in (MACHINE, DONE)]
    temporary = path + ".new"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(OPENING)
        for title in order:
            file.write(f"\n## {title}\n\n{sections[title]}")
    os.replace(temporary, path)
