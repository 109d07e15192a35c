"""`sprof symbols`: names and addresses, lists of symbols in the forms of other tools, and --verify."""

import re
import shutil

from harness import Program, SPROF, main, sprof, tool
from subjects import build, command, write

LISTS = (("nm",), ("nm", "-n"), ("nm", "-S"), ("nm", "-P"), ("nm", "-C"), ("objdump", "-t"), ("readelf", "-sW"),
         ("readelf", "-s"))
DYNAMIC_LISTS = (("nm", "-D"), ("nm", "-D", "-P"), ("nm", "-D", "--without-symbol-versions"), ("objdump", "-T"),
                 ("readelf", "-W", "--dyn-syms"))
LIBC = "/lib/x86_64-linux-gnu/libc.so.6"

# A file of each kind; the last two have segments that are linked at an address of their own.
KINDS = {
    "pie": (),
    "no-pie": ("-no-pie",),
    "moved": ("-no-pie", "-Wl,-Ttext-segment=0x10000000"),
    "prelinked": ("-shared", "-fPIC", "-Wl,-Ttext-segment=0x3000000"),
}


def nm_functions(*words):
    """What nm says: (address, name) of the functions."""
    rows = re.findall(r"^([0-9a-f]+) [tTwWi] (\S+)$", command(tool("nm"), *words), re.MULTILINE)
    return {(int(address, 16), name.partition("@")[0]) for address, name in rows}


def listed(path, *words):
    """What sprof lists: (address, name)."""
    rows = [line.split("\t") for line in sprof("symbols", path, *words).check(0).text().splitlines()]
    return {(int(row[0], 16), row[2]) for row in rows}


def verify(path, list_path=None, code=0):
    words = ("--sysmap", list_path) if list_path else ()
    return sprof("symbols", path, *words, "--verify").check(code)


def verdicts(text):
    return {name: verdict for verdict, name in re.findall(r"^(OK|MISSING|MISMATCH)\t[0-9a-f]+\t(\S+)", text,
                                                          re.MULTILINE)}


def check_list(path, words, functions):
    """sprof takes all of the tool's functions, and finds each where the file has it."""
    write("a.list", command(tool(words[0]), *words[1:], path))
    result = verify(path, "a.list")
    loaded = re.search(r"a\.list: loaded (\d+) functions, (\d+) lines? skipped", result.err)
    assert int(loaded[2]) <= (words == ("readelf", "-s")), f"{words}: {result.err}"
    count = len(re.findall(r"^OK\t", result.text(), re.MULTILINE))
    assert result.text().endswith(f"\n{count} of {count} match\n"), f"{words}: {result.text()[-200:]}"
    rows = re.findall(r"^OK\t([0-9a-f]+)\t(.+)$", result.text(), re.MULTILINE)
    names = {(int(address, 16), name) for address, name in rows}
    if words != ("readelf", "-s"):
        assert functions <= names, f"{words}: {sorted(functions - names)[:5]}"


def has_type(path):
    """nm's functions that have a type: objdump and readelf show labels as such."""
    rows = re.findall(r"^ *\d+: ([0-9a-f]+) +\S+ I?FUNC +\S+ +\S+ +\d+ ([^\s@]+)", command(tool("readelf"), "-sW", path),
                      re.MULTILINE)
    return {(int(address, 16), name) for address, name in rows}


def test_lists_of_other_tools():
    typed = has_type(SPROF)
    assert len(typed) > 1000
    assert typed <= nm_functions(SPROF)
    for words in LISTS:
        check_list(SPROF, words, typed)


def test_dynamic_lists():
    typed = has_type(LIBC)
    assert len(typed) > 1000
    for words in DYNAMIC_LISTS:
        check_list(LIBC, words, typed)


def test_own_list():
    write("own.list", sprof("symbols", SPROF).check(0).text())
    assert " 0 lines skipped" in verify(SPROF, "own.list").err
    assert has_type(SPROF) <= listed(SPROF)


def test_lines_that_are_none():
    program = build("program", "-g0")
    text = command(tool("nm"), program)
    write("odd.map", text.replace("\n", "\nthis is no symbol\n", 3))
    assert re.search(r"loaded \d\d functions, 3 lines skipped", verify(program, "odd.map").err)
    assert "loaded" not in sprof("symbols", program, "--sysmap", "odd.map", "-q").check(0).err
    for content, message in (("", "no functions in"), ("what is this\n", "no functions in"),
                             ("0000000000001000 D data\n", "no functions in"),
                             ("0000000000000000 T startup_64\n", "all addresses in 'bad.map' are 0")):
        write("bad.map", content)
        for words in (("symbols", program), ("run", "--", "true")):
            errors = sprof(words[0], "--sysmap", "bad.map", *words[1:]).check(64).err
            assert message in errors and errors.count("\n") == 2, errors


def test_verdicts():
    for kind, flags in KINDS.items():
        path = build(f"program-{kind}", "-g0", *flags)
        right = command(tool("nm"), path)
        write("right.map", right)
        text = verify(path, "right.map").text()
        assert text.startswith("# right.map, compared with the symbols of "), text
        assert set(verdicts(text).values()) == {"OK"}, text

        write("wrong.map", re.sub(r" [tT] outer$", " T another", right, flags=re.MULTILINE))
        text = verify(path, "wrong.map", 3).text()
        assert re.search(r"^MISMATCH\t[0-9a-f]+\tanother\touter$", text, re.MULTILINE), text

        write("missing.map", right + "0000000000000010 T nowhere\n")
        assert verdicts(verify(path, "missing.map", 1).text())["nowhere"] == "MISSING"

        command(tool("strip"), "-o", "stripped", path)
        exported = {name for _, name in nm_functions("-D", path)}
        text = verify("stripped", "right.map", 0 if exported > set(verdicts(text)) else 1).text()
        for name, verdict in verdicts(text).items():
            assert verdict == ("OK" if name in exported else "MISSING"), f"{kind}: {name} {verdict}\n{text}"


def test_list_of_an_earlier_build():
    """What has moved by a new function in front of it isn't where the list says."""
    source = "int %s(int x) { return x * 3 + 1; }\nint kept(int x) { return x + 2; }\nint main(void) { return %s(3); }\n"
    write("old.c", source % ("one", "one"))
    write("new.c", "int added(int x) { while (x > 9) x /= 3; return x; }\n" + source % ("one", "one"))
    for name in ("old", "new"):
        command(tool("gcc"), "-O0", "-o", name, f"{name}.c")
    write("old.map", command(tool("nm"), "old"))
    verify("old", "old.map")
    found = verdicts(verify("new", "old.map", 3).text())
    assert found["one"] == found["kept"] == "MISMATCH" and found["_start"] == "OK", found


def test_symbols_and_debug_information():
    for flags in ((), ("-no-pie",), ("-no-pie", "-Wl,-Ttext-segment=0x10000000")):
        program = build("program", "-g", *flags)
        text = verify(program, code=1).text()
        assert text.startswith("# the symbols of ") and "compared with the debug information of" in text, text
        found = verdicts(text)
        assert found["outer"] == found["main"] == "OK" and found["_start"] == "MISSING", text
        command(tool("objcopy"), "--redefine-sym", "outer=renamed", program, "renamed")
        assert re.search(r"^MISMATCH\t[0-9a-f]+\trenamed\touter$", verify("renamed", code=3).text(), re.MULTILINE)
    command(tool("strip"), "-g", program)
    assert "no debug information to compare" in verify(program, code=2).err


def test_made_up_names_are_never_ok():
    program = build("program", "-g0")
    command(tool("strip"), program)
    own = sprof("symbols", program).check(0).text()
    rows = re.findall(r"^([0-9a-f]+)\t\d+\t(program\+\S+)\tFDE only$", own, re.MULTILINE)
    assert rows, own
    write("made-up.map", "".join(f"{address} T {name}\n" for address, name in rows))
    assert set(verdicts(verify(program, "made-up.map", 1).text()).values()) == {"MISSING"}


# Names, globs, addresses and data.

WHERE = """
#include <stdio.h>
#include <unistd.h>
int where_counter = 5, where_zeroes[100];
static const char where_text[] = "constant";
__thread int own = 3;
int add(int x) { return x + where_counter; }
int main(void)
{
    printf("%p %p %p %p\\n", (void *)add, (void *)&where_counter, (void *)where_zeroes, (const void *)where_text);
    fflush(stdout);
    pause();
    return add(own);
}
"""


def rows(*words, code=0):
    """name -> the fields of its row; headings are left out."""
    text = sprof("symbols", *words).check(code).text()
    return {line.split("\t")[2]: line.split("\t") for line in text.splitlines() if "\t" in line}


def test_names_and_globs():
    program = build("program", "-g")
    address = rows(program, "outer")["outer"][0]
    assert (int(address, 16), "outer") in nm_functions(program)
    assert set(rows(program, "out*r")) == {"outer"} and set(rows(program, "[om][ua]*[rn]")) >= {"outer", "main"}
    assert "  outer+0x0 at" in sprof("symbols", program, "0x" + address).check(0).text()
    assert "  outer+0x0 at" in sprof("symbols", program, "--address", address).check(0).text()
    missing = sprof("symbols", program, address).check(1).err
    assert f"no function is called '{address}'" in missing and f"an address begins with 0x: 0x{address}" in missing, missing
    missing = sprof("symbols", program, "nothing*").check(1).err
    assert "--all also searches data" in missing, missing
    sprof("symbols", program, "0xfoo").check(64)
    sprof("symbols", program, "--addresses", "file").check(64)


def test_a_name_that_is_a_number():
    program = build("where", "-g", source=WHERE)
    assert (int(rows(program, "add")["add"][0], 16), "add") in nm_functions(program)


def test_names_of_cplusplus():
    source = ("namespace space { template <class T> __attribute__((noinline)) T twice(T x) { return x + x; } }\n"
              "int main(int n, char **) { return space::twice(n) + (int)space::twice(2.5 * n); }\n")
    program = build("cplusplus", "-g", source=source)
    found = set(rows(program, "space::twice"))
    assert found == {"_ZN5space5twiceIiEET_S1_", "_ZN5space5twiceIdEET_S1_"}, found
    assert set(rows(program, "*twice<int>*")) == {"_ZN5space5twiceIiEET_S1_"}
    assert set(rows(program, "_ZN5space5twiceIiEET_S1_")) == {"_ZN5space5twiceIiEET_S1_"}


def test_all_as_readelf_has_it():
    """Address, size, type, binding and section of every symbol."""
    program = build("where", "-g", source=WHERE)
    sections = dict(re.findall(r"^ +\[ *(\d+)\] (\S+)", command(tool("readelf"), "-SW", program), re.MULTILINE))
    theirs = set()
    kinds = {"func": "function", "ifunc": "ifunc", "object": "object", "tls": "tls"}
    for address, size, kind, binding, section, name in re.findall(
            r"^ *\d+: ([0-9a-f]+) +(\d+) (\S+) +(\S+) +\S+ +(\d+) ([^\s@]+)", command(tool("readelf"), "-sW", program),
            re.MULTILINE):
        if kind.lower() in kinds:
            theirs.add((int(address, 16), int(size), name, kinds[kind.lower()], binding.lower(), sections[section]))
    ours = set()
    for line in sprof("symbols", program, "--all").check(0).text().splitlines():
        address, size, name, _, kind, binding, section = line.split("\t")
        ours.add((int(address, 16), int(size), name, kind, binding, section))
    assert {"where_counter", "where_zeroes", "where_text", "own", "main"} <= {row[2] for row in theirs}
    assert theirs <= ours, sorted(theirs - ours)


def test_addresses_in_a_process():
    """Functions and data where the program itself sees them, and where its file has them."""
    # Each of those that are installed; bfd always is.
    for linker in filter(lambda name: shutil.which(f"ld.{name}"), ("bfd", "lld", "gold")):
        for flags in (("-pie", "-fPIE"), ("-no-pie",), ("-no-pie", "-Wl,-Ttext-segment=0x10000000"),
                      ("-pie", "-fPIE", "-Wl,-z,noseparate-code")):
            if linker != "bfd" and flags[-1].startswith("-Wl,"):
                continue
            program = build("where", "-g", f"-fuse-ld={linker}", *flags, source=WHERE)
            watched = Program([program])
            theirs = dict(zip(("add", "where_counter", "where_zeroes", "where_text"), watched.line().split()))
            ours = rows("-p", watched.pid, "--all", *theirs)
            as_file = rows("-p", watched.pid, "--all", "--addresses", "file", *theirs)
            in_file = rows(program, "--all", *theirs)
            for name, address in theirs.items():
                assert int(ours[name][0], 16) == int(address, 16), f"{linker} {flags} {name}: {ours[name]}, {address}"
                assert as_file[name] == in_file[name], f"{linker} {flags} {name}"
            text = sprof("symbols", "-p", watched.pid, "--addresses", "file", theirs["add"]).check(0).text()
            assert text.startswith(f"0x{int(in_file['add'][0], 16):x} {program}\n  add+0x0 at "), text
            watched.process.kill()


def data_of(path):
    """nm's data: (name, address, size)."""
    return [(name, int(address, 16), int(size, 16)) for address, size, name in re.findall(
        r"^([0-9a-f]+) ([0-9a-f]+) [bBdDrR] (\S+)$", command(tool("nm"), "-S", path), re.MULTILINE)]


def test_data_by_address():
    """Each variable from its first to its last byte, in the file and in the process."""
    for flags in (("-pie", "-fPIE"), ("-no-pie",), ("-no-pie", "-Wl,-Ttext-segment=0x10000000"),
                  ("-pie", "-fPIE", "-Wl,-z,noseparate-code")):
        program = build("where", "-g", *flags, source=WHERE)
        variables = {name: (address, size) for name, address, size in data_of(program)}
        watched = Program([program])
        theirs = dict(zip(("add", "where_counter", "where_zeroes", "where_text"), watched.line().split()))
        for name, section in (("where_counter", ".data"), ("where_zeroes", ".bss"), ("where_text", ".rodata")):
            address, size = variables[name]
            for distance in (0, size - 1):
                want = f"  {name}+0x{distance:x} (data, {section})\n"
                in_file = sprof("symbols", program, f"0x{address + distance:x}").check(0).text()
                assert in_file == f"0x{address + distance:x}\n{want}", f"{flags}: {in_file}"
                there = int(theirs[name], 16) + distance
                assert sprof("symbols", "-p", watched.pid, f"0x{there:x}").check(0).text() == f"0x{there:x}\n{want}"
                text = sprof("symbols", "-p", watched.pid, "--addresses", "file", f"0x{there:x}").check(0).text()
                assert text == f"0x{address + distance:x} {program}\n{want}", f"{flags}: {text}"
        command(tool("strip"), "-o", "bare", program)
        end = variables["where_zeroes"][0]
        assert re.search(r"^  \.bss\+0x[0-9a-f]+ \(data\)$", sprof("symbols", "bare", f"0x{end:x}").check(1).text(),
                         re.MULTILINE)
        assert "(in no module)" in sprof("symbols", "-p", watched.pid, "0x10").check(1).text()
        watched.process.kill()


# Files that are not linked yet.

def make_objects():
    """one.o, two.o with a section for each function, and both in both.a."""
    write("one.c", "int table[8], set = 1;\nstatic int own(int x) { return x * set; }\n"
                   "int add(int x) { return own(x) + table[1]; }\n")
    write("two.c", "int first(int x) { return x + 1; }\nint second(int x) { return x * x + 3; }\n")
    command(tool("gcc"), "-O0", "-c", "one.c")
    command(tool("gcc"), "-O0", "-ffunction-sections", "-c", "two.c")
    command(tool("ar"), "rcs", "both.a", "one.o", "two.o")


def object_rows(text):
    return {tuple(line.split("\t")) for line in text.splitlines() if "\t" in line}


def test_objects_as_nm_has_them():
    make_objects()
    for path in ("one.o", "two.o", "both.a"):
        found = object_rows(sprof("symbols", path).check(0).text())
        assert {(int(row[0], 16), row[2]) for row in found} == nm_functions(path), (path, found)
        data = object_rows(sprof("symbols", path, "--all").check(0).text())
        assert {(row[2], int(row[0], 16), int(row[1])) for row in data if row[4] == "object"} == set(data_of(path))
    assert {row[6] for row in object_rows(sprof("symbols", "two.o").text())} == {".text.first", ".text.second"}
    text = sprof("symbols", "both.a").check(0).text()
    assert re.findall(r"^# (.*)", text, re.MULTILINE) == ["both.a(one.o)", "both.a(two.o)"]
    assert sprof("symbols", "both.a", "sec*").check(0).text().startswith("# both.a(two.o)\n")
    assert sprof("symbols", "both.a(one.o)").check(0).text() == text.partition("\n\n")[0] + "\n"
    assert "no function is called 'absent'" in sprof("symbols", "both.a", "absent").check(1).err


def test_addresses_in_objects():
    """An address is one of each section that is long enough."""
    make_objects()
    add = int(next(row[0] for row in object_rows(sprof("symbols", "one.o", "add").text())), 16)
    assert "  add+0x2 (.text)\n" in sprof("symbols", "one.o", f"0x{add + 2:x}").check(0).text()
    text = sprof("symbols", "both.a(two.o)", "0x2").check(0).text()
    assert text == "0x2\n  first+0x2 (.text.first)\n  second+0x2 (.text.second)\n", text
    assert "  table+0x4 (data, .bss)\n" in sprof("symbols", "one.o", "--address", "4").check(0).text()
    assert sprof("symbols", "one.o", "0x9999").check(1).text() == "0x9999\n  (no symbol)\n"
    assert "sprof symbols 'both.a(MEMBER)' 0x2" in sprof("symbols", "both.a", "0x2").check(64).err


def test_objects_that_are_refused():
    make_objects()
    write("one.map", command(tool("nm"), "one.o").replace("0000 ", "0001 "))
    assert "--verify is for linked files" in sprof("symbols", "one.o", "--verify").check(64).err
    assert "--sysmap is for linked files" in sprof("symbols", "both.a", "--sysmap", "one.map").check(64).err
    assert "has no member 'three.o'" in sprof("symbols", "both.a(three.o)").check(2).err
    command(tool("ar"), "rcsT", "thin.a", "one.o")
    assert "is a thin archive" in sprof("symbols", "thin.a").check(2).err
    command(tool("ar"), "rc", "mixed.a", "one.o", "one.c")
    mixed = sprof("symbols", "mixed.a").check(1)
    assert "mixed.a(one.c) is not an ELF object file" in mixed.err and "\tadd\t" in mixed.text()
    with open("both.a", "rb") as file:
        whole = file.read()
    for size in (9, 100, len(whole) // 2, len(whole) - 9):
        with open("cut.a", "wb") as file:
            file.write(whole[:size])
        assert "is a broken archive" in sprof("symbols", "cut.a").check(2).err, size
    with open("cut.a", "wb") as file:
        file.write(b"!<arch>\n")
    assert sprof("symbols", "cut.a").check(0).text() == ""


if __name__ == "__main__":
    main()
