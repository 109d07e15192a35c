#!/usr/bin/env python3
"""The rules of ARCHITECTURE.md and CONTRIBUTING.md that a program can check.

    lint.py [ROOT]      prints one line per violation; exits 1 if there is any
"""

import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

# Which folders the files of a folder may include from, besides their own.
INCLUDES = {
    "base": set(),
    "blocked": {"base"},
    "memory": {"base", "attach"},
    "attach": {"base"},
    "elfsym": {"base"},
    "unwind": {"base", "attach", "elfsym"},
    "interp": {"base", "attach", "elfsym"},
    "events": {"base", "attach", "unwind"},
    "sampler": {"base", "blocked", "attach", "unwind", "interp", "events"},
    "profile": {"base", "elfsym"},
    "output": {"base", "memory", "events", "profile"},
    "cmd": {"base", "blocked", "memory", "attach", "unwind", "interp", "events", "sampler", "elfsym", "profile", "output"},
}
ANYTHING = {"tests", "bench", "demo"}

# Of some folders, only these headers: unwind/ knows memory, registers and maps, not threads; CFI and code, not names;
# memory/ knows the texts of /proc.
ONLY_HEADERS = {
    ("unwind", "attach"): {"proc/memory.h", "regs/regs.h", "proc/maps.h"},
    ("memory", "attach"): {"proc/procfs.h"},
    ("interp", "attach"): {"proc/memory.h", "proc/maps.h"},
    ("interp", "elfsym"): {"elf/image.h", "python/greenlet.h", "python/runtime.h"},
    ("unwind", "elfsym"): {"elf/image.h", "locals/caller.h", "cfi/cfi.h", "code/call-decode.h", "cfi/fde-table.h", "cfi/fdes.h",
                           "code/frame-distance.h", "go/rows.h", "go/runtime.h", "elf/plt-decode.h", "code/scan.h",
                           "code/starts.h"},
}

# Folders whose subfolders still include each other in circles.
CIRCLES_LEFT = {"sampler"}

# (what, pattern over code without comments and strings, folders that may).
CALLS = [
    ("calls ptrace", r"\bptrace\s*\(", {"attach"}),
    ("waits for processes", r"\b(waitpid|waitid|wait3|wait4|wait)\s*\(", {"attach", "cmd"}),
    ("reads another process's memory", r"\bprocess_vm_(readv|writev)\s*\(", {"attach"}),
    ("writes to stderr", r"\bstderr\b|\b(perror|psignal|warnx?|errx?)\s*\(", {"cmd"}),
    ("writes to stdout", r"\bstdout\b|\b(printf|puts|putchar)\s*\(", {"cmd"}),
    ("exits", r"(?<!_)\b(exit|quick_exit|abort|_Exit)\s*\(", {"cmd"}),
    ("exits", r"\b_exit\s*\(", {"cmd", "attach"}),
]

# (what, pattern over the name of a system header, folders that may).
HEADERS = [
    ("includes libunwind", r"^libunwind", {"unwind"}),
    ("includes Zydis", r"^Zydis/", {"attach", "unwind"}),
    ("includes libdw or libelf", r"^(elfutils/|libelf\.h|gelf\.h|dwarf\.h|libdw)", {"elfsym"}),
]

# Only these make files, or replace them by name: a name in a folder that others may write to can become a link at any
# moment. The pattern sees strings.
FILE_MAKERS = {
    "output/out.c",
    "elfsym/core/open.c",  # a copy without a name, where the file system has no O_TMPFILE
}
FILE_MAKING = re.compile(
    r"\b(?:rename|renameat2?|link|linkat|symlink|symlinkat|creat|mkn?od(?:at)?|mkfifo|mko?s?temps?|freopen|tmpfile)\s*\("
    r"|\bO_(?:CREAT|TRUNC)\b"
    r"|\bfopen\s*\([^;,]*,(?!\s*\"r[eb]*\"\s*\))[^;]*;")

MAX_ROOM_FILES = 30
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
# "path" or "path:function" -> why it may be longer.
LONGER = {
    "attach/calls/remainder.c": "one table of calls, and what the rest of each is",
    "tests/unit/events/test-expression.c": "a table of what expressions are",
}

# No comment of a layer has one of these: how it was written once, and how to write it.
UNCLEAR = [
    (r"told apart", "distinguished"),
    (r"refuses? to know", "does not handle"),
    (r"so many", "that many, or name the number"),
    (r"but for", "except for"),
    (r"is \S+(?:'s|s') matter", "does"),
    (r"(?:tells?|told(?! apart)|untold)", "reports, shows, says"),
    (r"stands? for", "represents, means"),
    (r"meets?", "finds, hits, joins"),
    (r"who(?:ever)?", "the thread, program or user that"),
    (r"(?:no|some)body", "the thread, program or user; or the passive"),
    (r"by itself", "its own, or nothing"),
    (r"his own", "the user's"),
    (r"in vain", "without success"),
    (r"for want of", "because there was no"),
    (r"anew", "again"),
    (r"(?:False|NULL): no memory", "Returns false (NULL) if out of memory"),
]

# The sampler's ids of threads, which events have, are no indexes: sprof_profile_thread_of() finds the thread.
INDEXED_BY_ID = re.compile(r"profile->threads\[\w+->thread\]|->thread (?:<|>=) (?:\w+->)*profile->thread_count")

WORDS = re.compile(r"\b(TODO|FIXME|XXX)\b")
MACHINE_PATHS = re.compile(r"(?<![\w.])/work/\w")


def blank(match):
    """Keeps the newlines of what is taken out, so that line numbers stay."""
    return "\n" * match.group(0).count("\n") or " "


def code_of(text):
    """The text without comments and without the content of strings and characters."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''

    def replace(match):
        if match.group(0)[0] in "\"'":
            return match.group(0)[0] * 2
        return blank(match)

    return re.sub(pattern, replace, text, flags=re.DOTALL)


class Source:
    """One C file, whole and without comments."""

    def __init__(self, root, path):
        self.path = path
        self.folder = path.split("/")[0]
        self.in_layers = self.folder in INCLUDES
        with open(os.path.join(root, path), encoding="utf-8") as file:
            self.text = file.read()
        self.code = code_of(self.text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def check_includes(source):
    for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', source.text, re.MULTILINE):
        header = match.group(1)
        folder, _, name = header.partition("/")
        where = line_of(source.text, match.start())
        if not name or header.startswith("."):
            yield where, f'"{header}" is not spelled from the root'
        elif source.in_layers and folder != source.folder:
            if folder not in INCLUDES[source.folder]:
                yield where, f"{source.folder}/ may not include {header}"
            elif name not in ONLY_HEADERS.get((source.folder, folder), {name}):
                yield where, f"{source.folder}/ may not include {header}"


def check_own_header_first(source):
    """foo.c that has a foo.h includes it before anything else: so each header proves itself."""
    own = source.path[:-2] + ".h"
    first = re.search(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)', source.text, re.MULTILINE)
    if source.path.endswith(".c") and f'"{own}"' in source.text and first.group(1) != own:
        yield line_of(source.text, first.start()), f"{own} is not the first include"


def check_system_headers(source):
    if source.folder in ANYTHING:
        return
    for match in re.finditer(r"^[ \t]*#[ \t]*include[ \t]*<([^>]+)>", source.text, re.MULTILINE):
        for what, pattern, folders in HEADERS:
            if re.search(pattern, match.group(1)) and source.folder not in folders:
                yield line_of(source.text, match.start()), f"{source.folder}/ {what}"


def check_calls(source):
    if source.folder in ANYTHING:
        return
    for what, pattern, folders in CALLS:
        if source.folder in folders:
            continue
        for match in re.finditer(pattern, source.code):
            if source.code[: match.start()].endswith(("->", ".")):
                continue  # a member of that name
            yield line_of(source.code, match.start()), f"{source.folder}/ {what}"


def check_identity(source):
    if source.folder != "cmd":
        return
    for match in INDEXED_BY_ID.finditer(source.code):
        yield line_of(source.code, match.start()), "an id of the sampler is no index of the profile's threads"


def check_files(source):
    """Files are made in one place, which follows no link and replaces no open file."""
    if source.folder in ANYTHING or source.path in FILE_MAKERS:
        return
    text = re.sub(r"/\*.*?\*/|//[^\n]*", blank, source.text, flags=re.DOTALL)
    for match in FILE_MAKING.finditer(text):
        if not text[: match.start()].endswith(("->", ".")) and "/dev/tty" not in match.group(0):
            yield line_of(text, match.start()), f"makes a file by itself: sprof_out does ({match.group(0)[:30]!r})"


def check_words(source):
    for match in WORDS.finditer(source.text):
        yield line_of(source.text, match.start()), f"{match.group(0)}: open an issue instead"
    for match in MACHINE_PATHS.finditer(source.text):
        yield line_of(source.text, match.start()), "a path of one machine"


def check_plain_words(source):
    """Comments without the words that made readers translate."""
    if not source.in_layers:
        return
    for comment in re.finditer(r"/\*.*?\*/|//[^\n]*", source.text, re.DOTALL):
        text = re.sub(r"\n[ \t]*\*", lambda match: "\n" + " " * (len(match.group(0)) - 1), comment.group(0))
        for pattern, better in UNCLEAR:
            for match in re.finditer(rf"\b{pattern}\b".replace(" ", r"\s+"), text, re.IGNORECASE):
                words = " ".join(match.group(0).split())
                yield line_of(source.text, comment.start() + match.start()), f"{words!r}: say {better!r}"


def check_must_use(source):
    """A header's function whose only sign of an error is its result says that the result is to be used."""
    if not source.in_layers or not source.path.endswith(".h"):
        return
    parameters = r"\((?:[^();{}]|\([^()]*\))*\bstruct sprof_error \*err\s*\)"
    for match in re.finditer(rf"^(?:[\w(]+\s+)*?bool\s+(\w+)\s*{parameters}[^;{{]*", source.code, re.MULTILINE):
        if "SPROF_MUST_USE" not in match.group(0) and not match.group(1).startswith("sprof_error_"):
            yield line_of(source.code, match.start()), f"{match.group(1)}() can fail and is not SPROF_MUST_USE"


def functions_of(source):
    """(name, line, number of lines between the braces) of every function: braces in column 0."""
    lines = source.code.split("\n")
    start = None
    for number, line in enumerate(lines, 1):
        if line.rstrip() == "{":
            start = number
        elif line.startswith("}") and start:
            head = "\n".join(lines[max(0, start - 12) : start - 1])
            names = re.findall(r"^[A-Za-z_][^\n;{}#]*?\b(\w+)\s*\(", head, re.MULTILINE)
            yield names[-1] if names else "?", start, number - start - 1
            start = None


def check_sizes(source):
    count = source.text.count("\n")
    if count > MAX_FILE_LINES and source.path not in LONGER:
        yield count, f"{count} lines, at most {MAX_FILE_LINES}"
    for name, line, length in functions_of(source):
        if length > MAX_FUNCTION_LINES and f"{source.path}:{name}" not in LONGER:
            yield line, f"{name}() has {length} lines, at most {MAX_FUNCTION_LINES}"


def check_opening(source):
    """Every .c file opens with a paragraph, every header with a word."""
    opening = re.match(r"/\*(.*?)\*/", source.text, re.DOTALL)
    least = 30 if source.path.endswith(".c") else 10
    if not opening or len(" ".join(opening.group(1).replace("*", " ").split())) < least:
        yield 1, "does not open with a comment that says what it knows"


def collapse_braces(code):
    """The code with everything inside of braces taken out, newlines kept."""
    out, depth = [], 0
    for character in code:
        depth -= character == "}"
        if depth <= 0 or character == "\n":
            out.append(character)
        depth += character == "{"
    return "".join(out)


def is_constant(declaration):
    """Whether a declaration without its initializer names an object that is itself const."""
    _, star, behind = declaration.rpartition("*")
    return bool(re.search(r"\bconst\b", behind if star else declaration))


def is_variable(declaration):
    text = declaration.strip()
    if not text or re.match(r"(typedef|_Static_assert|static_assert|extern)\b", text):
        return False
    if re.fullmatch(r"((struct|union|enum)\s*\w*\s*(\{\s*\})?)", text):
        return False
    behind = text.partition("(")[2].lstrip()
    return "(" not in text or behind.startswith("*")  # a function, or a pointer to one


def check_globals(source):
    """No variable at file scope or static in a function outside of cmd/, as far as patterns can tell."""
    if source.folder in ANYTHING | {"cmd"}:
        return
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, source.code, flags=re.MULTILINE)
    code = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", " ", code)
    flat = re.sub(r"^\{\s*\}", lambda match: ";" + blank(match), collapse_braces(code), flags=re.MULTILINE)
    position = 0
    for statement in flat.split(";"):
        declaration = statement.split("=")[0]
        if is_variable(declaration) and not is_constant(declaration):
            start = position + len(statement) - len(statement.lstrip())
            yield line_of(flat, start), f"variable at file scope: {declaration.strip()[:60]!r}"
        position += len(statement) + 1
    for match in re.finditer(r"^[ \t]+static\b([^;={(]*)[;={]", code, re.MULTILINE):
        if not is_constant(match.group(1)):
            yield line_of(code, match.start()), "static variable in a function"


CHECKS = [
    check_includes,
    check_own_header_first,
    check_system_headers,
    check_calls,
    check_identity,
    check_files,
    check_words,
    check_plain_words,
    check_must_use,
    check_sizes,
    check_opening,
    check_globals,
]


def sources_of(root):
    for folder in sorted(set(INCLUDES) | ANYTHING):
        for path, folders, names in os.walk(os.path.join(root, folder)):
            folders.sort()
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield Source(root, os.path.relpath(os.path.join(path, name), root))


def check_headers_compile(root):
    """Each header of a layer compiles alone, twice over."""
    headers = [source.path for source in sources_of(root) if source.in_layers and source.path.endswith(".h")]
    compiler = os.environ.get("CC", "cc").split()
    flags = ["-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Werror", "-fsyntax-only", "-I", root]

    def compile_alone(header):
        with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
            file.write(f'#include "{header}"\n' * 2)
            file.flush()
            return subprocess.run(compiler + flags + [file.name], capture_output=True, text=True, check=False)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, result in zip(headers, pool.map(compile_alone, headers)):
            if result.returncode:
                first = next((line for line in result.stderr.splitlines() if "error" in line), "?")
                yield header, 1, f"does not compile alone: {first}"


def check_rooms(sources):
    """A folder of a layer has few files of its own, so that a reader finds the one that a feature is in."""
    rooms = collections.Counter(os.path.dirname(each.path) for each in sources if each.in_layers and each.path.endswith(".c"))
    for room, count in sorted(rooms.items()):
        if count > MAX_ROOM_FILES:
            yield room, 1, f"{count} files, at most {MAX_ROOM_FILES} in one folder"


def check_circles(sources):
    """No circle of includes between the subfolders of one folder, except those that are left."""
    edges = collections.defaultdict(set)
    for each in sources:
        room = os.path.dirname(each.path)
        for match in re.finditer(r'^#include "([^"]+)"', each.text, re.MULTILINE):
            other = os.path.dirname(match.group(1))
            if each.in_layers and "/" in room and other != room and other.startswith(each.folder + "/"):
                edges[room].add(other)
    for room in sorted(edges):
        if room.split("/")[0] not in CIRCLES_LEFT and room in reachable(edges, room):
            yield room, 1, "includes itself through other subfolders of its folder"


def reachable(edges, start):
    found, queue = set(), [start]
    while queue:
        for other in edges.get(queue.pop(), ()):
            if other not in found:
                found.add(other)
                queue.append(other)
    return found


PARTS = ("text", "headers")


def lint(root, parts=PARTS):
    """All violations as (path, line, message); of the text itself, or of what a compiler says of the headers."""
    if "text" in parts:
        yield from lint_text(root)
    if "headers" in parts:
        yield from check_headers_compile(root)


def lint_text(root):
    sources = list(sources_of(root))
    yield from check_rooms(sources)
    yield from check_circles(sources)
    for source in sources:
        for check in CHECKS:
            for line, message in check(source):
                yield source.path, line, message


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../..")
    parts = sys.argv[2:] or PARTS
    if not set(parts) <= set(PARTS):
        raise SystemExit(f"usage: lint.py [ROOT [PART...]], with the parts {', '.join(PARTS)}")
    violations = list(lint(os.path.abspath(root), parts))
    for path, line, message in violations:
        print(f"{path}:{line}: {message}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
