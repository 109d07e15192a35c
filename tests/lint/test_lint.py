#!/usr/bin/env python3
"""Proves that lint.py sees what it is there for: each case plants one violation in a small tree."""

import os
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lint  # noqa: E402

OPENING = "/*\n * A file that knows enough to be allowed to stay here.\n */\n"
HEADER = "/*\n * A header that says what it is.\n */\n#ifndef H\n#define H\n%s\n#endif\n"


def c(text):
    return OPENING + text


class Planted(unittest.TestCase):
    def lint(self, **files):
        """Violations of a tree; files are named folder__name_c for folder/name.c."""
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                folder, _, rest = name.partition("__")
                path = os.path.join(root, folder, rest[:-2] + "." + rest[-1])
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            return [message for _, _, message in lint.lint(root)]

    def assert_planted(self, expected, **files):
        messages = self.lint(**files)
        self.assertEqual(len(messages), 1, messages)
        self.assertIn(expected, messages[0])

    def assert_clean(self, **files):
        self.assertEqual(self.lint(**files), [])

    def test_an_unknown_part(self):
        with unittest.mock.patch.object(sys, "argv", ["lint.py", ".", "header"]), self.assertRaises(SystemExit):
            lint.main()

    def test_a_good_tree(self):
        self.assert_clean(
            base__good_h=HEADER % "#include <stddef.h>\nsize_t good(void);",
            base__good_c=c(
                '#include "base/good.h"\n\n#include <stdio.h>\n\n'
                "/* never calls ptrace(0) or exit(1), and has no stderr */\n"
                "static const char *const words[] = {\"exit(1)\", \"stderr\"};\n"
                "enum { SIZE = 3 };\n"
                "struct pair {\n\tint a, b;\n};\n\n"
                "static int apply(int (*function)(int), int value)\n{\n\treturn function(value);\n}\n\n"
                "size_t good(void)\n{\n\tstatic const int three = 3;\n\n\treturn three + (size_t)words[0][0];\n}\n"
            ),
            attach__stop_c=c('#include "base/good.h"\n\nvoid stop(void)\n{\n\t_exit(1);\n\twaitpid(1, 0, 0);\n}\n'),
            cmd__main_c=c('#include "attach/x.h"\nstatic int level;\nint main(void)\n{\n\texit(level);\n}\n'),
            tests__t_c=c('#include "cmd/x.h"\nint level;\nvoid t(void)\n{\n\tfprintf(stderr, "x");\n}\n'),
        )

    def test_every_forbidden_include(self):
        allowed = {(a, b) for a, folders in lint.INCLUDES.items() for b in folders}
        for includer in lint.INCLUDES:
            for included in set(lint.INCLUDES) | {"tests"}:
                if included == includer or (includer, included) in allowed:
                    continue
                with self.subTest(includer=includer, included=included):
                    file = {f"{includer}__a_c": c(f'#include "{included}/b.h"\n')}
                    self.assert_planted(f"{includer}/ may not include {included}/b.h", **file)

    def test_the_unwinder_knows_no_threads(self):
        self.assert_planted("may not include", unwind__a_c=c('#include "attach/thread.h"\n'))
        self.assert_planted("may not include", unwind__a_c=c('#include "elfsym/names/symbols.h"\n'))
        self.assert_clean(unwind__a_c=c('#include "attach/proc/memory.h"\n'))

    def test_a_folder_has_few_files(self):
        files = {f"base__room/f{number}_c": c("") for number in range(lint.MAX_ROOM_FILES)}
        self.assert_clean(**files)
        self.assert_planted("at most 30 in one folder", **files, **{"base__room/more_c": c("")})

    def test_includes_are_spelled_from_the_root(self):
        self.assert_planted("not spelled from the root", base__a_c=c('#include "b.h"\n'))
        self.assert_planted("not spelled from the root", base__a_c=c('#include "../base/b.h"\n'))

    def test_own_header_comes_first(self):
        self.assert_planted(
            "not the first include", base__a_c=c('#include <stdio.h>\n#include "base/a.h"\n')
        )

    def test_libraries(self):
        for folder, header in [
            ("elfsym", "libunwind.h"),
            ("attach", "libunwind-ptrace.h"),
            ("unwind", "elfutils/libdw.h"),
            ("profile", "libelf.h"),
            ("output", "gelf.h"),
            ("cmd", "dwarf.h"),
        ]:
            with self.subTest(folder=folder, header=header):
                file = {f"{folder}__a_c": c(f"#include <{header}>\n")}
                self.assert_planted(f"{folder}/ includes lib", **file)
        self.assert_clean(
            unwind__a_c=c("#include <libunwind.h>\n"), elfsym__a_c=c("#include <elfutils/libdw.h>\n")
        )

    def test_calls(self):
        for folder, call, message in [
            ("sampler", "ptrace(PTRACE_CONT, 1, 0, 0)", "calls ptrace"),
            ("unwind", "process_vm_readv(1, 0, 0, 0, 0, 0)", "reads another process's memory"),
            ("sampler", "waitpid(1, 0, 0)", "waits for processes"),
            ("sampler", "wait4(1, 0, 0, 0)", "waits for processes"),
            ("attach", 'fprintf(stderr, "x")', "writes to stderr"),
            ("elfsym", 'perror("x")', "writes to stderr"),
            ("output", 'printf("x")', "writes to stdout"),
            ("profile", "exit(1)", "exits"),
            ("base", "abort()", "exits"),
            ("sampler", "_exit(1)", "exits"),
        ]:
            with self.subTest(folder=folder, call=call):
                file = {f"{folder}__a_c": c(f"void a(void)\n{{\n\t{call};\n}}\n")}
                self.assert_planted(f"{folder}/ {message}", **file)

    def test_an_id_is_no_index(self):
        for text in ["profile->threads[row->thread].name", "event->thread < profile->thread_count",
                     "site->thread >= report->profile->thread_count"]:
            planted = c(f"int f(void)\n{{\n\treturn {text};\n}}\n")
            self.assert_planted("is no index", cmd__a_c=planted)
            self.assert_clean(output__a_c=planted)

    def test_files(self):
        for call in ('fopen("x", "we")', 'fopen(path, mode)', 'fopen("x", "r+")', 'rename("a", "b")',
                     'open("x", O_WRONLY | O_CREAT, 0600)', 'open("x", O_WRONLY | O_TRUNC)', "mkstemp(path)",
                     'freopen("x", "r", file)', 'linkat(1, "a", 2, "b", 0)'):
            with self.subTest(call=call):
                self.assert_planted("makes a file by itself", cmd__a_c=c(f"void a(void)\n{{\n\t{call};\n}}\n"))
        self.assert_clean(
            cmd__a_c=c('/* rename() */\nvoid a(void)\n{\n\tfopen("x", "re");\n\tfopen("/dev/tty", "r+e");\n'
                       '\tx->link(1);\n\topen("x", O_RDONLY);\n}\n'),
            output__out_c=c('void a(void)\n{\n\trename("a", "b");\n}\n'))

    def test_words(self):
        self.assert_planted("TODO", base__a_c=c("/* TODO: later */\n"))
        self.assert_planted("FIXME", base__a_c=c("// FIXME\n"))
        self.assert_planted("XXX", tests__a_c=c("/* XXX */\n"))
        self.assert_planted("a path of one machine", demo__a_c=c("/* see /work/me/x */\n"))

    def test_plain_words(self):
        for text in [
            "/* Two that can't be told apart. */",
            "/* A reader that refuses to\n * know lines. */",
            "// there are so many",
            "/* All but\n * for one. */",
            "/* Which one is base/'s matter. */",
            "/* That is tick.c's matter. */",
            "/* A sample stands\n * for a tick. */",
            "/* Who waits is stopped. */",
            "/* What the kernel tells. */",
            "/* False: no memory. */",
        ]:
            with self.subTest(text=text):
                self.assert_planted(": say ", base__a_c=c(text + "\n"))
        self.assert_clean(base__a_c=c("/* But forks are, of so manyfold kinds. */\nconst char *const x = \"but for\";\n"))
        self.assert_clean(tests__a_c=c("/* All but for one. */\n"))
        self.assert_clean(base__a_c=c("/* A whole intellect, foretold. */\n"))

    def test_what_can_fail_must_be_used(self):
        types = "#include <stdbool.h>\n#define SPROF_MUST_USE __attribute__((warn_unused_result))\nstruct sprof_error;\n"
        for text in [
            "bool f(struct sprof_error *err);",
            "bool f(int a,\n\tbool (*visit)(void *data), struct sprof_error *err);",
            "static inline bool f(struct sprof_error *err)\n{\n\treturn err;\n}",
        ]:
            with self.subTest(text=text):
                self.assert_planted("f() can fail", base__a_h=HEADER % (types + text))
        for text in [
            "SPROF_MUST_USE bool f(struct sprof_error *err);",
            "bool f(int a, struct sprof_error *err) SPROF_MUST_USE;",
            "bool f(int a);",
            "bool sprof_error_no_memory(struct sprof_error *err);",
            "struct s {\n\tbool (*f)(struct sprof_error *err);\n};",
        ]:
            with self.subTest(text=text):
                self.assert_clean(base__a_h=HEADER % (types + text))

    def test_sizes(self):
        body = "\tx++;\n"
        self.assert_planted("long() has 61 lines", base__a_c=c("void long(void)\n{\n" + body * 61 + "}\n"))
        self.assert_clean(base__a_c=c("void fits(void)\n{\n" + body * 60 + "}\n"))
        self.assert_planted("501 lines", base__a_c=c("\n" * 498))
        self.assert_clean(base__a_c=c("\n" * 497))

    def test_exceptions_have_names(self):
        lint.LONGER["base/a.c:f"] = "for this test"
        self.addCleanup(lint.LONGER.clear)
        body = "void f(void)\n{\n" + "\tx++;\n" * 70 + "}\n"
        self.assert_clean(base__a_c=c(body))
        self.assert_planted("f() has 70 lines", base__b_c=c(body))

    def test_openings(self):
        self.assert_planted("does not open with a comment", base__a_c="#include <stdio.h>\n")
        self.assert_planted("does not open with a comment", base__a_c="/* short */\nenum { A };\n")

    def test_variables(self):
        for text in [
            "static int count;\n",
            "int count = 3;\n",
            "static const char *name;\n",
            "static const char *names[] = {\"a\"};\n",
            "static struct list list = {\n\t.a = 1,\n};\n",
            "__thread int mine;\n",
            "static int (*hook)(void);\n",
            "void f(void)\n{\n}\nstatic bool seen;\n",
        ]:
            with self.subTest(text=text):
                self.assert_planted("variable at file scope", base__a_c=c(text))
        self.assert_planted("static variable", base__a_c=c("void f(void)\n{\n\tstatic int n = 0;\n\n\tn++;\n}\n"))

    def test_a_circle_of_rooms(self):
        files = {
            "events__a/one_h": HEADER % "",
            "events__a/one_c": c('#include "events/a/one.h"\n\n#include "events/b/two.h"\n'),
            "events__b/two_h": HEADER.replace("H\n", "H2\n") % '#include "events/a/one.h"',
        }
        messages = self.lint(**files)
        self.assertEqual(sum("through other subfolders" in message for message in messages), 2, messages)

    def test_a_header_that_needs_another(self):
        self.assert_planted("does not compile alone", base__a_h=HEADER % "size_t a(void);")


if __name__ == "__main__":
    unittest.main()
