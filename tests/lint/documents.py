#!/usr/bin/env python3
"""Help, manual page and README name the same commands and options; the page of the saved profile has
every figure and label that is written.

    documents.py SPROF ROOT     prints one line per disagreement; exits 1 if there is any
"""

import os
import re
import subprocess
import sys

# Where the names of a saved profile's figures and labels stand in the code.
SAVED = (("profile/model/quality.c", r"\bFIELD\((\w+)\),"), ("profile/model/thread-facts.c", r"= \"(\w+)\","),
         ("profile/model/attributes.c", r"^\t\{\"(\w+)\","),
         ("profile/pprof/pprof.h", r"^#define SPROF_PPROF_\w+ \"(\w+)\""))
# The rows of docs/stops.md, and what they call the effects that the test names.
STOPS = ("tests/ptrace/calls-transfer.c", "tests/ptrace/calls-wait.c")
EFFECTS = {"NONE": "nothing", "GOES_ON": "continues", "ANEW": "restarts", "PART": "returns a part",
           "REM": "continues, rem is written"}
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])")


def help_of(sprof, *words):
    result = subprocess.run([sprof, *words, "--help"], capture_output=True, text=True, check=False)
    if result.returncode or result.stderr:
        raise SystemExit(f"{sprof} {' '.join(words)} --help: exit {result.returncode}: {result.stderr}")
    return result.stdout


def commands_of(text):
    """The commands that `sprof --help` lists: two blanks, a word, the summary."""
    section = text.partition("Commands:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  (\w[\w-]*)  ", section, re.MULTILINE)


def page_of(root, name):
    """A manual page with the parts that it shares with others, hyphens unescaped; None: there is none."""
    path = os.path.join(root, "man", name)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return re.sub(r"^\.so (\S+)$", lambda found: page_of(root, found[1]), text, flags=re.MULTILINE).replace("\\-", "-")


def sections_of(page):
    """{section title: its text} of a manual page."""
    parts = re.split(r"^\.S[HS] +\"?([^\"\n]*)\"?$", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def options_in_definitions(text):
    """The long options that a section of the manual defines: on the line after each .TP."""
    heads = re.findall(r"^\.TP\n(.*)$", text, re.MULTILINE)
    return {option for head in heads for option in OPTION.findall(head)}


def options_in_help(text):
    """Those at the start of a help line."""
    heads = re.findall(r"^  (?:-\w, |    )?(?:-\w, )?(--[a-z-]+)", text, re.MULTILINE)
    return {head[2:] for head in heads}


def compare(command, in_help, in_page):
    for option in sorted(in_help - in_page):
        yield f"sprof {command} --{option} is not in the manual page"
    for option in sorted(in_page - in_help):
        yield f"the manual page's --{option} is not an option of sprof {command}"


def formats_of(sprof):
    """The formats that are built in, as --version lists them."""
    result = subprocess.run([sprof, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"^formats: (.*)$", result.stdout, re.MULTILINE)
    return match.group(1).split(", ") if match else []


def disagreements(sprof, root):
    with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    overview = page_of(root, "sprof.1") or ""
    commands = commands_of(help_of(sprof))
    known = {"help", "version", "list-formats", "self-check"}
    if not commands:
        yield "sprof --help lists no commands"
    for command in commands:
        in_help = options_in_help(help_of(sprof, command))
        page = page_of(root, f"sprof-{command}.1")
        if page is None:
            yield f"no manual page sprof-{command}(1)"
        else:
            yield from compare(command, in_help, options_in_definitions(page))
        if not re.search(rf"^\.BR sprof-{command} \(1\)", overview, re.MULTILINE):
            yield f"sprof(1) does not list sprof-{command}(1)"
        if f"sprof {command}" not in readme:
            yield f"README.md does not mention sprof {command}"
        known |= in_help
    formats = page_of(root, "sprof-formats.5") or ""
    for name in formats_of(sprof):
        if not re.search(rf"^\.TP\n\.BR? {name}\b", formats, re.MULTILINE):
            yield f"sprof-formats(5) lacks {name}"
    for option in sorted({o for line in re.findall(r"`[^`\n]*`", readme) for o in OPTION.findall(line)}):
        if option not in known:
            yield f"README.md mentions --{option}, which no command knows"


def undocumented(root):
    """What a saved profile has and sprof-pprof(5) does not."""
    with open(os.path.join(root, "man/sprof-pprof.5"), encoding="utf-8") as file:
        page = file.read()
    for path, pattern in SAVED:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            names = re.findall(pattern, file.read(), re.MULTILINE)
        if not names:
            yield f"{path} names nothing that is saved"
        for name in names:
            if not re.search(rf"\b{name}\b", page):
                yield f"sprof-pprof(5) lacks {name}"


def stops(root):
    """The rows about stops that are only in the test, or only in the document."""
    tested = []
    for path in STOPS:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            rows = re.findall(r'\{"([^"]+)", EFFECT_(\w+), "([^"]+)",', file.read())
        tested += [(name, EFFECTS[effect], source) for name, effect, source in rows]
    with open(os.path.join(root, "docs/stops.md"), encoding="utf-8") as file:
        told = re.findall(r"^\| (.+) \| (.+) \| `(.+)` \|$", file.read(), re.MULTILINE)
    if not tested:
        yield "no rows about stops in " + " ".join(STOPS)
    for row in tested:
        if row not in told:
            yield f"docs/stops.md lacks {', '.join(row)}"
    for row in told:
        if row not in tested:
            yield f"docs/stops.md has {', '.join(row)}, which no test has"


def missing_files(root):
    """The files of the tree that are named where it is described, and are not there."""
    for document in ("ARCHITECTURE.md", "CONTRIBUTING.md"):
        with open(os.path.join(root, document), encoding="utf-8") as file:
            paths = re.findall(r"`((?:\w[\w-]*/)+[\w-]+\.(?:c|h|py|md))[` ]", file.read())
        for path in paths:
            if not os.path.exists(os.path.join(root, path)):
                yield f"{document} names {path}, which is not there"


def joined_claims(root):
    """Lines of the tutorial that its test can't read: what a command shows is one comment, alone on a line."""
    with open(os.path.join(root, "docs/tutorial.md"), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if "<!--" in line and not re.fullmatch(r"<!-- shows: ((?!-->).)+ -->\n", line):
                yield f"docs/tutorial.md:{number}: not one comment `<!-- shows: EXPRESSION -->` on a line of its own"


def main():
    found = [*disagreements(os.path.abspath(sys.argv[1]), sys.argv[2]), *undocumented(sys.argv[2]),
             *missing_files(sys.argv[2]), *stops(sys.argv[2]), *joined_claims(sys.argv[2])]
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
