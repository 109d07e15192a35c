#!/usr/bin/env python3
"""Proves that documents.py sees what it is there for, with a small program in sprof's place."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import documents  # noqa: E402

PROGRAM = """#!/bin/sh
case $1 in
--help) printf 'Usage: x\\n\\nCommands:\\n  run       Run\\n  dump      Dump\\n\\nmore\\n' ;;
--version) printf 'sprof 1\\nformats: text, folded\\n' ;;
run) printf 'Options:\\n  -r, -F, --rate HZ   rate\\n      --top N         rows\\n  -h, --help   help\\n' ;;
dump) printf 'Options:\\n  -h, --help   help\\n' ;;
esac
"""
PAGES = {
    "sprof.1": ".BR sprof\\-run (1)\n.BR sprof\\-dump (1)\n",
    "sprof-run.1": """.SH OPTIONS
.TP
.BI \\-\\-top " n"
Rows.
.so shared.inc
.so common.inc
""",
    "sprof-dump.1": "Dumps.\n.so common.inc\n",
    "shared.inc": """.TP
.BR \\-r ", " \\-F ", " \\-\\-rate " hz"
Rate.
""",
    "common.inc": ".TP\n.BR \\-h \", \" \\-\\-help\nHelp.\n",
    "sprof-formats.5": ".TP\n.B text\n.TP\n.BR folded \" (\" .folded )\n",
}
README = "`sprof run --rate 5`, `sprof dump`, `sprof --version`\n"


class Planted(unittest.TestCase):
    def find(self, program=PROGRAM, readme=README, **pages):
        """Of pages that are given by their names without a dot or a dash; None: it isn't there."""
        with tempfile.TemporaryDirectory() as root:
            os.mkdir(os.path.join(root, "man"))
            sprof = os.path.join(root, "x")
            files = {f"man/{name}": pages.get(name.replace("-", "_").partition(".")[0], text)
                     for name, text in PAGES.items()}
            for path, text in ((sprof, program), (os.path.join(root, "README.md"), readme),
                               *((os.path.join(root, name), text) for name, text in files.items() if text is not None)):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            os.chmod(sprof, 0o755)
            return list(documents.disagreements(sprof, root))

    def test_figure_that_the_page_lacks(self):
        with tempfile.TemporaryDirectory() as root:
            for path, text in (("man/sprof-pprof.5", ".BR ticks \", \" own_pid\n"),
                               ("profile/model/quality.c", "\tFIELD(ticks),\n\tFIELD(stops),\n"),
                               ("profile/model/thread-facts.c", '\t[OWN_PID] = "own_pid",\n'),
                               ("profile/model/attributes.c", '\t{"ticks", TEXT},\n'), ("profile/pprof/pprof.h", "")):
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(list(documents.undocumented(root)), [
                "sprof-pprof(5) lacks stops", "profile/pprof/pprof.h names nothing that is saved"])

    def test_file_that_is_gone(self):
        with tempfile.TemporaryDirectory() as root:
            for name, text in (("ARCHITECTURE.md", "`a/b.c` and `ARCHITECTURE.md`, `a/*.c`\n"),
                               ("CONTRIBUTING.md", "`x/y.py --all`\n")):
                with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(list(documents.missing_files(root)), [
                "ARCHITECTURE.md names a/b.c, which is not there",
                "CONTRIBUTING.md names x/y.py, which is not there"])

    def test_agreement(self):
        self.assertEqual(self.find(), [])

    def test_option_only_in_help(self):
        page = PAGES["sprof-run.1"].replace('.TP\n.BI \\-\\-top " n"\nRows.\n', "")
        self.assertEqual(self.find(sprof_run=page), ["sprof run --top is not in the manual page"])

    def test_option_only_in_the_page(self):
        page = "Dumps.\n.so common.inc\n.TP\n.B \\-\\-deep\nDeep.\n"
        self.assertEqual(
            self.find(sprof_dump=page), ["the manual page's --deep is not an option of sprof dump"])

    def test_part_that_is_missing(self):
        page = PAGES["sprof-run.1"].replace(".so shared.inc\n", "")
        self.assertEqual(self.find(sprof_run=page), ["sprof run --rate is not in the manual page"])

    def test_command_without_a_page(self):
        self.assertEqual(self.find(sprof_dump=None), ["no manual page sprof-dump(1)"])

    def test_page_that_is_not_listed(self):
        self.assertEqual(self.find(sprof=".BR sprof\\-run (1)\n"), ["sprof(1) does not list sprof-dump(1)"])

    def test_format_without_words(self):
        self.assertEqual(self.find(sprof_formats=".TP\n.B text\n"), ["sprof-formats(5) lacks folded"])

    def test_readme(self):
        self.assertEqual(self.find(readme="`sprof run --speed`, `sprof dump`\n"),
                         ["README.md mentions --speed, which no command knows"])
        self.assertEqual(self.find(readme="`sprof run`\n"), ["README.md does not mention sprof dump"])

    def test_help_that_fails(self):
        with self.assertRaises(SystemExit):
            self.find(program="#!/bin/sh\nexit 3\n")


if __name__ == "__main__":
    unittest.main()
