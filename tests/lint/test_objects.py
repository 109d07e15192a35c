#!/usr/bin/env python3
"""Proves that objects.py sees what it is there for: each case compiles a small tree with one violation."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import objects  # noqa: E402

# Sanitizers define and use symbols of their own in each file.
FLAGS = [[], ["-O2"], ["-fsanitize=address,undefined"]]


def function(name, *callees):
    """A function, and declarations of what it calls."""
    declarations = "".join(f"int {callee}(void);\n" for callee in callees)
    calls = "".join(f" + {callee}()" for callee in callees)
    return f"{declarations}int {name}(void) {{ return 1{calls}; }}\n"


class Planted(unittest.TestCase):
    def compile(self, root, flags, path, text):
        """Compiles one file as the build would; returns its entry in compile_commands.json."""
        source = os.path.join(root, "source", path)
        folder = os.path.dirname(path)
        output = os.path.join(folder, "lib.p", os.path.basename(path) + ".o")
        build = os.path.join(root, "build")
        os.makedirs(os.path.dirname(source), exist_ok=True)
        os.makedirs(os.path.dirname(os.path.join(build, output)), exist_ok=True)
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        compiler = os.environ.get("CC", "cc").split()
        subprocess.run(compiler + flags + ["-c", "-o", os.path.join(build, output), source], check=True)
        return {"directory": build, "file": os.path.join("..", "source", path), "output": output}

    def check(self, flags, files):
        with tempfile.TemporaryDirectory() as root:
            entries = [self.compile(root, flags, path, text) for path, text in files.items()]
            with open(os.path.join(root, "build", "compile_commands.json"), "w", encoding="utf-8") as file:
                json.dump(entries, file)
            return list(objects.check(os.path.join(root, "build"), os.path.join(root, "source")))

    def assert_planted(self, expected, **files):
        """Files are named folder__name for folder/name.c; each expected text is in one violation, in order."""
        files = {name.replace("__", "/") + ".c": text for name, text in files.items()}
        for flags in FLAGS:
            with self.subTest(flags=flags):
                violations = self.check(flags, files)
                self.assertEqual(len(violations), len(expected), violations)
                for text, violation in zip(expected, violations):
                    self.assertIn(text, violation)

    def test_a_good_tree(self):
        self.assert_planted(
            [],
            base__a=function("a", "b"),
            base__b="static const int own[] = {1, 2};\nint b(void) { return own[1]; }\n",
            cmd__main=function("main", "a"),
        )

    def test_a_cycle(self):
        self.assert_planted(
            ["base/: 2 files use each other in a cycle: a.c, b.c\n    a.c -> b.c: b\n    b.c -> a.c: a, a2"],
            base__a=function("a", "b") + function("a2"),
            base__b=function("b", "a", "a2"),
            base__c=function("main", "a"),
        )

    def test_a_short_cycle_of_a_long_one(self):
        self.assert_planted(
            ["4 files use each other in a cycle: a.c, b.c, c.c, d.c\n    c.c -> d.c: d\n    d.c -> c.c: c"],
            base__a=function("a", "b"),
            base__b=function("b", "c"),
            base__c=function("c", "d"),
            base__d=function("d", "a", "c"),
        )

    def test_a_table_uses_what_it_names(self):
        self.assert_planted(
            ["a.c -> table.c: table\n    table.c -> a.c: a"],
            base__a="extern int (*const table[])(void);\nint a(void) { return table[0] != a; }\n",
            base__table="int a(void);\nint (*const table[])(void) = {a};\n",
        )

    def test_an_arrow_upwards(self):
        self.assert_planted(
            ["base/a.c: base/ may not use sampler/: high (sampler/b.c)"],
            base__a=function("main", "high"),
            sampler__b=function("high"),
        )

    def test_an_arrow_that_the_table_does_not_have(self):
        self.assert_planted(
            ["sampler/a.c: sampler/ may not use elfsym/: names (elfsym/b.c)"],
            sampler__a=function("main", "names"),
            elfsym__b=function("names"),
        )

    def test_a_symbol_without_a_user(self):
        self.assert_planted(
            ["base/a.c: a: nobody uses it", "base/a.c: table: only tests and benches use it"],
            base__a=function("a") + "const int table[] = {1, 2};\n",
            tests__t="extern const int table[];\nint main(void) { return table[1]; }\n",
        )

    def test_a_symbol_for_tests_has_a_name(self):
        objects.FOR_TESTS["a"] = "for this test"
        self.addCleanup(objects.FOR_TESTS.clear)
        self.assert_planted([], base__a=function("a"), tests__t=function("main", "a"))

    def test_what_another_machine_uses(self):
        self.assert_planted([], base__a=function("decode" + objects.OTHER_MACHINES[0]))

    def test_a_build_of_another_tree(self):
        with self.assertRaises(SystemExit):
            self.check([], {"tests/t.c": function("main")})


if __name__ == "__main__":
    if not shutil.which("nm"):
        print("skipped: there is no nm (Debian: binutils)")
        sys.exit(1 if os.environ.get("SPROF_TESTS_MUST_RUN") else 77)
    unittest.main()
