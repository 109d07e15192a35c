"""Names: each kind of module, made here, sampled or resolved by the program."""

import ctypes
import errno
import http.server
import json
import os
import re
import shutil
import struct
import threading

from harness import (Program, SPROF, as_plain_user, main, read_folded, require, run, sprof, tool, wait_for_cpu)
from subjects import (PROGRAM, address_of, build, build_id, build_library, command, inside,
                      split_debug, write)

NAMES = ("-f", "folded", "-o", "x.folded", "-r", "500")


def resolve(*words, code=0, **options):
    """What `sprof symbols` says of an address."""
    return sprof("symbols", *words, **options).check(code).text()


def sample(program, *options, args=("0.3",), **more):
    """Folded stacks of a run."""
    sprof("run", *NAMES, *options, "--", program, *args, **more).check(0)
    return read_folded("x.folded")


def attach(program, *options):
    """Folded stacks of a running program, which is left running."""
    wait_for_cpu(program.pid, 0.05)
    sprof("attach", "-p", program.pid, "-d", "400ms", *NAMES, *options).check(0)
    return read_folded("x.folded")


def check_share(folded, pattern, least=0.2):
    assert folded.share(pattern) >= least, f"{pattern}: {folded.share(pattern):.2f}: {folded.names()}"


def check_inline_chain(text):
    assert re.search(r"^  inner \(inlined\) at \S+\.c:\d+\n  outer\+0x[0-9a-f]+ at \S+\.c:\d+$", text,
                     re.MULTILINE), text


def inside_outer(program):
    return inside(program, "outer")


# What files hold.

def test_dwarf_versions():
    for flags in (["-g", "-gdwarf-4"], ["-g", "-gdwarf-5"], ["-g", "-gz=zlib"], ["-g", "-gdwarf-5", "-no-pie"]):
        program = build("program", *flags)
        check_inline_chain(resolve(program, inside_outer(program)))


def test_zstd():
    """libelf may not know it."""
    require("zstd" in command(tool("objcopy"), "--help"), "this objcopy doesn't know zstd")
    program = build("program", "-g")
    command(tool("objcopy"), "--compress-debug-sections=zstd", program, "small")
    check_inline_chain(resolve("small", inside_outer(program)))
    assert sample("./small").has("main", "outer", "inner")


def test_aranges():
    """A unit that doesn't say itself where its code is, as far as can be read: .debug_aranges does."""
    program = build("program", "-g", "-gdwarf-5", "-ffunction-sections")
    command(tool("objcopy"), "--remove-section", ".debug_rnglists", program)
    assert re.search(r"^  outer\+0x[0-9a-f]+ at \S+program\.c:\d+$", resolve(program, inside_outer(program)),
                     re.MULTILINE)
    command(tool("objcopy"), "--remove-section", ".debug_aranges", program)
    assert " at " not in resolve(program, inside_outer(program))


def test_some_units_have_no_aranges():
    """Few compilers except gcc write them: what .debug_aranges doesn't tell, the units do."""
    command(tool("gcc"), "-O2", "-g", "-DLIBRARY", "-c", write("with.c", PROGRAM))
    command(tool("gcc"), "-O2", "-g", "-Dmain=other", "-c", write("without.c", PROGRAM))
    command(tool("objcopy"), "--remove-section=.debug_aranges", "--remove-section=.rela.debug_aranges", "without.o")
    for objects in (("with.o", "without.o"), ("without.o", "with.o")):
        command(tool("gcc"), "-o", "program", *objects)
        main_place, outer_place = address_of("program", "main", 4), inside_outer("program")
        for places in ((main_place, outer_place), (outer_place, main_place)):
            text = resolve("program", *places)
            check_inline_chain(text)
            assert re.search(r"^  main\+0x[0-9a-f]+ at \S*with\.c:\d+$", text, re.MULTILINE), text


def test_inlined_frames_are_marked():
    program = build("program", "-g")
    folded = sample(program)
    assert folded.has("main", "outer", "inner"), folded.stacks
    sprof("run", "-f", "text", "-o", "x.txt", "-r", "500", "--", program).check(0)
    with open("x.txt", encoding="utf-8") as file:
        text = file.read()
    assert re.search(r"  inner \(inlined\)$", text, re.MULTILINE), text
    assert re.search(r" outer  program\.c:\d+$", text, re.MULTILINE), text


def test_no_inlines():
    program = build("program", "-g")
    folded = sample(program, "--no-inlines")
    assert "inner" not in folded.names() and folded.has("main", "outer")


def test_stripped():
    """Functions are kept apart by the unwind tables: one row each, and the report says why."""
    program = build("program", "-g0", "-s")
    folded = sample(program)
    own = {name for name in folded.names() if name.startswith("program+0x")}
    assert 2 <= len(own) <= 4, f"main, outer and _start: {own}"
    sprof("run", "-f", "text", "-o", "x.txt", "-r", "500", "--", program).check(0)
    with open("x.txt", encoding="utf-8") as file:
        text = file.read()
    assert re.search(r"% of samples, \d+ address(es)?  \S+/program\n +stripped, no debug file for "
                     r"build id [0-9a-f]{40}\n +try: .*--debug-dir", text), text


def test_build_id():
    program = build("program", "-g")
    stripped, debug = split_debug(program, "stripped", "debug")
    place = inside_outer(program)
    assert "stripped+0x" in resolve(stripped, place, code=1)
    identity = build_id(program)
    folder = f"root/.build-id/{identity[:2]}"
    os.makedirs(folder)
    os.rename(debug, f"{folder}/{identity[2:]}.debug")
    check_inline_chain(resolve(stripped, place, "--debug-dir", "root"))
    folded = sample(stripped, "--debug-dir", "root")
    assert folded.has("main", "outer", "inner"), folded.names()


def test_debuglink():
    """By name and checksum where there is no build id; a file with another checksum is not taken."""
    program = build("program", "-g", "-Wl,--build-id=none")
    stripped, _ = split_debug(program, "stripped", "program.debug")
    command(tool("objcopy"), "--add-gnu-debuglink=program.debug", stripped)
    place = inside_outer(program)
    check_inline_chain(resolve(stripped, place))
    os.mkdir(".debug")
    os.rename("program.debug", ".debug/program.debug")
    check_inline_chain(resolve(stripped, place))
    os.rename(".debug", "elsewhere")
    assert "stripped+0x" in resolve(stripped, place, code=1)
    check_inline_chain(resolve(stripped, place, "--debug-dir", "elsewhere"))
    with open("elsewhere/program.debug", "ab") as file:
        file.write(b"x")
    assert "stripped+0x" in resolve(stripped, place, "--debug-dir", "elsewhere", code=1)


def test_mini_debuginfo():
    """.gnu_debugdata as Fedora makes it: the symbols that .dynsym lacks, compressed."""
    xz = tool("xz")
    program = build("program", "-g")
    stripped, debug = split_debug(program, "stripped", "debug")
    command(tool("objcopy"), "-S", "--keep-symbol=outer", "--keep-symbol=main", debug, "mini")
    command(xz, "mini")
    command(tool("objcopy"), "--add-section", ".gnu_debugdata=mini.xz", stripped)
    text = sprof("symbols", stripped).check(0).text()
    assert re.search(r"\touter\t\.gnu_debugdata$", text, re.MULTILINE), text
    check_share(sample(stripped), "outer")


def test_split_dwarf():
    program = build("program", "-g", "-gsplit-dwarf", "-gdwarf-5")
    check_inline_chain(resolve(program, inside_outer(program)))
    for name in os.listdir("."):
        if name.endswith(".dwo"):
            os.remove(name)
            os.mkfifo(name)  # would block whoever opens it
    assert "  outer" in resolve(program, inside_outer(program))


def test_split_dwarf_is_gone():
    """The functions keep their names by the symbols, and the reason why inlined ones are missing is given."""
    source = write("hot.c", """
        static volatile long sum;
        static inline __attribute__((always_inline)) void add(int n) { for (int i = 0; i < n; i++) sum += i; }
        __attribute__((noinline)) void hot(void) { add(100000000); }
        int main(void) { hot(); return 0; }
        """)
    command(tool("gcc"), "-O1", "-g", "-gsplit-dwarf", source, "-o", "hot")
    assert ".dwo" not in sprof("run", *NAMES, "--", "./hot").check(0).err
    assert read_folded("x.folded").has("hot", "add")
    write("hot.dwp", "")
    for name in os.listdir("."):
        if name.endswith(".dwo"):
            os.unlink(name)
    result = sprof("run", *NAMES, "--", "./hot").check(0)
    assert read_folded("x.folded").has("main", "hot")
    assert "hot: no inlined functions of 1 unit, whose .dwo file is missing" in result.err, result.err
    assert "hot.dwp" in result.err, result.err


def test_dwz():
    """What two programs have in common, in a third file: .gnu_debugaltlink."""
    dwz = tool("dwz")
    source = PROGRAM + "".join(f"struct s{i} {{ int a{i}; struct s{i} *next; }} v{i};\n" for i in range(500))
    one, two = build("one", "-g", source=source), build("two", "-g", source=source)
    place = inside_outer(one)
    command(dwz, "-m", "common.debug", "-M", os.path.abspath("common.debug"), one, two)
    require(".gnu_debugaltlink" in command(tool("readelf"), "-SW", one), "dwz found nothing in common")
    check_inline_chain(resolve(one, place))
    os.mkdir("moved")
    identity = build_id("common.debug")
    os.makedirs(f"moved/.build-id/{identity[:2]}")
    os.rename("common.debug", f"moved/.build-id/{identity[:2]}/{identity[2:]}.debug")
    check_inline_chain(resolve(one, place, "--debug-dir", "moved"))


def test_static():
    for flags in (["-g", "-static"], ["-g", "-static-pie"]):
        program = build("program", *flags)
        check_inline_chain(resolve(program, inside_outer(program)))
        assert sample(program).has("main", "outer", "inner")


def test_several_executable_segments():
    source = PROGRAM.replace("__attribute__((noinline)) unsigned outer",
                             '__attribute__((noinline, section(".far"))) unsigned outer')
    for flags in (["-g", "-Wl,--section-start=.far=0x10000000"],
                  ["-g", "-no-pie", "-Wl,--section-start=.far=0x10000000"]):
        program = build("program", *flags, source=source)
        headers = command(tool("readelf"), "-lW", program)
        require(len(re.findall(r"LOAD.* R E ", headers)) == 2, "the linker made one segment of it")
        check_inline_chain(resolve(program, inside_outer(program)))
        assert sample(program).has("main", "outer", "inner")


def test_prelinked_library():
    """One that is linked to an address, and loaded to another."""
    library = build_library("libleaf.so", "outer", "-Wl,-Ttext-segment=0x40000000")
    assert int(address_of(library, "outer"), 16) >= 0x40000000
    assert "  outer" in resolve(library, address_of(library, "outer"))
    check_share(sample(library_user(library)), "outer")


def test_plt():
    """Entries of the PLT are called after their function; a loop of calls is seen there."""
    library = build_library("libleaf.so", "outer")
    source = PROGRAM.replace("while (", "for (unsigned k = 0; k < 1000; k++)\n    while (")
    for flags in (["-DLIBRARY", "-g0"], ["-DLIBRARY", "-g0", "-fcf-protection", "-Wl,-z,ibtplt"],
                  ["-DLIBRARY", "-g0", "-no-pie", "-s"]):
        program = build("program", *flags, library, "-Wl,-rpath,$ORIGIN", source=source)
        text = sprof("symbols", program).check(0).text()
        assert re.search(r"\touter@plt\tPLT$", text, re.MULTILINE), text
        entry = re.search(r"^([0-9a-f]+)\t\d+\touter@plt", text, re.MULTILINE).group(1)
        assert "  outer@plt" in resolve(program, "0x" + entry)


def test_plt_of_ifuncs():
    """Entries for functions that are chosen at the start have the name of the symbol at their resolver."""
    require_x86()
    for flags in (["-g0", "-static"], ["-g0", "-static-pie"],
                  ["-g0", "-static", "-fcf-protection", "-Wl,-z,ibtplt"]):
        program = build("program", *flags)
        symbols = {}
        for line in command(tool("nm"), program).splitlines():
            symbols.setdefault(int(line.split()[0], 16), set()).add(line.split()[-1])
        resolvers = {int(offset, 16): int(addend, 16) for offset, addend in re.findall(
            r"^([0-9a-f]+) .*_IRELATIV[E ]+([0-9a-f]+)$", command(tool("readelf"), "-rW", program), re.MULTILINE)}
        text = command(tool("objdump"), "-d", "-j", ".plt", "--no-show-raw-insn", program)
        slots = [int(slot, 16) for slot in re.findall(r"\bjmp .*# ([0-9a-f]+)", text) if int(slot, 16) in resolvers]
        names = re.findall(r"^[0-9a-f]+\t\d+\t(\S+)@plt\tPLT$", sprof("symbols", program).check(0).text(), re.MULTILINE)
        assert len(slots) > 10 and len(names) == len(slots), f"{names} for {slots}"
        for name, slot in zip(names, slots):
            assert name in symbols[resolvers[slot]], f"{name} is none of {symbols[resolvers[slot]]}"


def test_vdso():
    source = """
#include <time.h>
int main(void) { struct timespec t; do clock_gettime(CLOCK_MONOTONIC, &t); while (clock() < 300000); return 0; }
"""
    folded = sample(build("program", "-g", source=source), args=())
    assert any("clock_gettime" in name for name in folded.names()), folded.names()
    assert folded.share(r".*(clock_gettime|vdso).*") > 0.05, folded.names()


def test_cplusplus():
    """Inlined functions without a linkage name are qualified; short names have no arguments."""
    source = """
#include <cstdlib>
#include <ctime>
#include <vector>
namespace shop { namespace {
template <class T> struct basket {
    std::vector<T> items;
    inline __attribute__((always_inline)) T sum() { T s = 0; for (auto &i : items) { s = s * 31 + i; asm volatile("" : "+r"(s)); } return s; }
};
__attribute__((noinline)) unsigned total(basket<unsigned> &b) { return b.sum(); }
} }
int main(int argc, char **argv)
{
    shop::basket<unsigned> b;
    unsigned s = 0;
    b.items.resize(100000);
    while (clock() < atof(argv[1]) * CLOCKS_PER_SEC) s += shop::total(b);
    return s == 1;
}
"""
    program = build("program", "-g", source=source)
    folded = sample(program)
    qualified = r"shop::\(anonymous namespace\)::basket<unsigned int>::sum.*"
    check_share(folded, qualified)
    check_share(folded, r"shop::\(anonymous namespace\)::total\(.*basket<unsigned int>&\)")
    sprof("run", "-f", "text", "-o", "x.txt", "--names", "short", "-r", "500", "--", program, "0.3").check(0)
    with open("x.txt", encoding="utf-8") as file:
        text = file.read()
    assert "shop::(anonymous namespace)::basket<...>::sum (inlined)" in text, text
    assert re.search(r" shop::\(anonymous namespace\)::total$", text, re.MULTILINE), text
    assert "basket<unsigned" not in text
    sprof("run", "-o", "x.pb.gz", "-r", "500", "--", program, "0.3").check(0)
    text = sprof("report", "x.pb.gz", "--names", "short").check(0).text()
    assert "basket<...>::sum (inlined)" in text and "basket<unsigned" not in text, text
    place = next("0x" + line.split()[0] for line in command(tool("nm"), program).splitlines() if "total" in line)
    assert "total(shop" in resolve(program, place)
    assert "total(" not in resolve(program, place, "--names", "short")
    folded = sample(program, "--no-demangle", "--names", "short")
    assert any(name.startswith("_ZN4shop") for name in folded.names()), folded.names()


def test_classes_without_a_name():
    """Inlined functions of two lambdas, or of other classes without a name, are two functions."""
    source = """
#include <cstdlib>
#include <ctime>
namespace { unsigned spin(unsigned turns) { unsigned s = 1; for (unsigned i = 0; i < turns; i++) { s = s * 31 + i; asm volatile("" : "+r"(s)); } return s; } }
template <class F> __attribute__((noinline)) unsigned call(F f) { return f(1); }
int main(int argc, char **argv)
{
    unsigned s = 0;
    auto first = [](unsigned n) __attribute__((always_inline)) { return spin(100000 * n); };
    auto second = [](unsigned n) __attribute__((always_inline)) { return spin(100000 * n) + 1; };
    struct { __attribute__((always_inline)) unsigned operator()(unsigned n) const { return spin(100000 * n) + 2; } } third;
    while (clock() < atof(argv[1]) * CLOCKS_PER_SEC) s += call(first) + call(second) + call(third);
    return s == 1;
}
"""
    folded = sample(build("program", "-g", source=source))
    inlined = {name for name in folded.names() if re.search(r"(\{|\$).*operator\(\)", name) and "call<" not in name}
    assert len(inlined) == 3, folded.names()


# Modules that change under way.

def test_deleted_while_running():
    program = build("program", "-g")
    watched = Program([program, "30"])
    watched.line()
    os.remove(program)
    assert attach(watched).has("main", "outer", "inner")
    watched.process.kill()


def library_user(library):
    return build("program", "-g0", "-DLIBRARY", library, "-Wl,-rpath,$ORIGIN")


def users():
    """
    What makes a process another user's, and a sprof that this one can run: the build may be in a folder of
    ours alone. Without privilege /proc/PID/map_files is closed, and the target's memory is what is left.
    """
    yield {}, SPROF
    if os.geteuid() == 0:
        os.chmod(".", 0o777)
        yield as_plain_user(), shutil.copy(SPROF, os.path.abspath("sprof"))


def check_lost_library(program, lose):
    """The library's file is not to be had: its memory still tells exported names."""
    for user, own_sprof in users():
        library = build_library("libleaf.so", "outer")
        watched = Program([program, "30"], **user)
        watched.line()
        lose(library)
        wait_for_cpu(watched.pid, 0.05)
        if os.path.exists("x.folded"):
            os.remove("x.folded")
        run(own_sprof, "attach", "-p", watched.pid, "-d", "400ms", *NAMES, **user).check(0)
        check_share(read_folded("x.folded"), "outer")
        watched.process.kill()


def test_library_deleted_while_running():
    check_lost_library(library_user(build_library("libleaf.so", "outer")), os.remove)


def test_library_replaced_while_running():
    """The new file's names would be wrong: what is in memory counts."""
    def replace(library):
        build_library("libnew.so", "somebody_else")
        os.rename("libnew.so", library)
    check_lost_library(library_user(build_library("libleaf.so", "outer")), replace)


def test_truncated_under_way():
    """A file that is cut off while sprof has it mapped costs names, not sprof."""
    program = build("program", "-g")
    copy = shutil.copy(program, "copy")
    size = os.path.getsize(copy)
    watched = Program([program, "30"])
    watched.line()
    text = resolve(copy, inside_outer(program))
    check_inline_chain(text)
    os.truncate(copy, size // 2)
    result = sprof("symbols", copy, inside_outer(program))
    assert result.code in (0, 1, 2), result.err
    watched.process.kill()


def require_x86():
    require(os.uname().machine == "x86_64", "it uses what is x86-64's only")


DLOPEN = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static void *last;
static inline __attribute__((always_inline)) void use(const char *path, const char *name, unsigned ms)
{
    void *library = dlopen(path, RTLD_NOW);
    unsigned (*volatile f)(unsigned) = (unsigned (*)(unsigned))dlsym(library, name);
    unsigned sum = 0;
    clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);
    while (clock() < end) sum += f(sum);
    if (last != (void *)f) printf("%p\\n", last = (void *)f);
    dlclose(library);
}
__attribute__((noinline)) void in_one(unsigned ms) { use("./libone.so", "first_one", ms); __asm__ volatile(""); }
__attribute__((noinline)) void in_two(unsigned ms) { use("./libtwo.so", "second_two", ms); __asm__ volatile(""); }
int main(int argc, char **argv)
{
    unsigned ms = (unsigned)atoi(argv[1]), times = (unsigned)atoi(argv[2]);
    for (unsigned i = 0; i < times; i++) { in_one(ms); in_two(ms); }
    return argc == 1;
}
"""


def check_alternation(*args, sampling=(), **options):
    """Two libraries in turns at one address: each is called by a function of its own."""
    build_library("libone.so", "first_one")
    build_library("libtwo.so", "second_two")
    program = build("program", "-g0", source=DLOPEN)
    result = sprof("run", *NAMES, *sampling, "--", program, *args, **options).check(0)
    folded = read_folded("x.folded")
    for caller, right, wrong in (("in_one", "first_one", "second_two"), ("in_two", "second_two", "first_one")):
        check_share(folded, right, 0.1)
        mixed = sum(weight for frames, weight in folded.stacks if caller in frames and wrong in frames)
        assert folded.has(caller, right), folded.stacks
        assert mixed <= 0.05 * folded.total, folded.stacks  # the copy may be older than the mappings
    require(len(result.text().split()) == 1, "the libraries were not loaded at one address")


def build_version(path, leaf, *before):
    """A library whose outer() calls a function of another name, behind the given ones, in each version."""
    body = "{ unsigned sum = n; for (unsigned i = 0; i < 200000; i++) __asm__ volatile(\"imull $31, %0\" : \"+r\"(sum)); return sum; }"
    functions = "".join(f"__attribute__((noinline)) unsigned {name}(unsigned n) {body}\n" for name in (*before, leaf))
    source = write(os.path.basename(path) + ".c", functions + f"""
unsigned outer(unsigned n)
{{
    volatile char room[{100 * (1 + len(before))}] = {{0}};
    return {leaf}(n) + room[n % sizeof(room)];
}}
""")
    command(tool("gcc"), "-O2", "-g", "-shared", "-fPIC", source, "-o", path)
    return os.path.abspath(path)


def check_versions(folded, old_caller, new_caller):
    """What ran of the new version has its names, what ran of the old one has none rather than those."""
    assert folded.has(new_caller, "outer", "new_leaf"), folded.stacks
    wrong = sum(weight for frames, weight in folded.stacks
                if old_caller in frames and {"outer", "new_leaf", "unused"} & set(frames))
    assert wrong == 0, folded.stacks
    assert any(old_caller in frames and frames[-1].startswith("libleaf.so+0x") for frames, _ in folded.stacks), folded.stacks


def test_library_overwritten_between_processes():
    """A rebuild that writes into the file: the inode is the same, what is in it is not."""
    library = build_version("libleaf.so", "old_leaf")
    build_version("libnew.so", "new_leaf", "unused", "unused_too")
    flags = ["-g0", "-DLIBRARY", library, "-Wl,-rpath,$ORIGIN"]
    build("first", "-Dmain=main_of_first", "-Wl,--defsym=main=main_of_first", *flags)
    build("second", "-Dmain=main_of_second", "-Wl,--defsym=main=main_of_second", *flags)
    script = "./first 0.4; cat libnew.so > libleaf.so; ./second 0.4"
    sprof("run", *NAMES, "-o", "x.txt", "-f", "text", "--", "sh", "-c", script).check(0)
    check_versions(read_folded("x.folded"), "main_of_first", "main_of_second")
    with open("x.txt", encoding="utf-8") as file:
        text = file.read()
    assert re.search(r"libleaf\.so\n +overwritten", text), text


def test_library_overwritten_while_running():
    """The same within one process, which loads the library again."""
    build_version("libleaf.so", "old_leaf")
    build_version("libnew.so", "new_leaf", "unused", "unused_too")
    source = DLOPEN.replace("first_one", "outer").replace("second_two", "outer").replace("./libone", "./libleaf").replace(
        "./libtwo", "./libleaf").replace("in_two(ms); }", "if (system(\"cat libnew.so > libleaf.so\")) return 2; in_two(ms * 5); }")
    program = build("program", "-g0", source=source)
    sprof("run", *NAMES, "--no-children", "--", program, "300", "1").check(0)
    folded = read_folded("x.folded")
    check_versions(folded, "in_one", "in_two")
    named = sum(weight for frames, weight in folded.stacks if "in_two" in frames and "new_leaf" in frames)
    every = sum(weight for frames, weight in folded.stacks if "in_two" in frames)
    assert every >= named > 0, folded.stacks  # within a second


def test_dlopen_and_dlclose():
    check_alternation("2500", "1")


def test_dlopen_in_turns():
    """Much more often than mappings are looked at of sprof's own accord."""
    check_alternation("50", "20")


def test_dlopen_in_turns_at_a_low_rate():
    """Between two looks at a timer's records there are several turns."""
    check_alternation("50", "40", sampling=("-r", "99"))


def test_dlopen_in_turns_by_stops():
    check_alternation("50", "20", sampling=("--source", "stop"))


def refuse_map_queries():
    """This process and its children are as on Linux before 6.11: PROCMAP_QUERY is ENOTTY."""
    def step(code, jump, value):
        return struct.pack("=HBBI", code, jump >> 8, jump & 255, value)
    libc = ctypes.CDLL(None, use_errno=True)
    query, load, equal, give = 0xc0686611, 0x20, 0x15, 0x06
    steps = (step(load, 0, 0), step(equal, 3, 16), step(load, 0, 24), step(equal, 1, query),
             step(give, 0, 0x50000 | errno.ENOTTY), step(give, 0, 0x7fff0000))
    program = ctypes.create_string_buffer(b"".join(steps))
    filters = struct.pack("=HxxxxxxQ", len(steps), ctypes.addressof(program))
    assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, filters, 0, 0) == 0


def test_dlopen_in_turns_on_an_older_kernel():
    """All mappings are read again then; of a small process often enough."""
    require_x86()
    check_alternation("50", "20", preexec_fn=refuse_map_queries)


def test_other_mount_namespace():
    """A file that only the target can see by its path."""
    unshare = tool("unshare")
    require(run(unshare, "-m", "true").code == 0, "may not make a mount namespace")
    program = build("program", "-g")
    os.mkdir("hidden")
    script = f"mount -t tmpfs none hidden && cp {program} hidden/inside && exec hidden/inside 30"
    watched = Program([unshare, "-m", "sh", "-c", script])
    require(watched.process.poll() is None and watched.line() == "ready", "may not mount")
    assert not os.path.exists("hidden/inside")
    assert attach(watched).has("main", "outer", "inner")
    watched.process.kill()


def test_debug_file_in_a_container():
    """The debug file lies where only the target's root has it, and both are gone when names are looked up."""
    unshare = tool("unshare")
    require(run(unshare, "-m", "true").code == 0, "may not make a mount namespace")
    program = build("program", "-g", "-static")
    stripped, debug = split_debug(program, "stripped", "debug")
    identity = build_id(program)
    folder = f"root/usr/lib/debug/.build-id/{identity[:2]}"
    os.makedirs(folder)
    os.makedirs("root/proc")
    shutil.copy(stripped, "root/program")
    os.rename(debug, f"{folder}/{identity[2:]}.debug")
    for words in ([unshare, "-m", "-R", "root"], [tool("chroot"), "root"]):
        sprof("run", *NAMES, "--", *words, "/program", "0.3").check(0)
        folded = read_folded("x.folded")
        assert folded.has("main", "outer", "inner"), folded.names()


JIT = """
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static const unsigned char code[] = { 0xb8, 0x40, 0x42, 0x0f, 0, 0xff, 0xc8, 0x75, 0xfc, 0xc3 }; /* mov; dec; jnz; ret */
int main(void)
{
    unsigned char *memory = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char path[64];
    FILE *map;
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
    map = fopen(path, "w");
    memcpy(memory, code, sizeof(code));
    memcpy(memory + 4096, code, sizeof(code));
    mprotect(memory, 8192, PROT_READ | PROT_EXEC);
    fprintf(map, "garbage\\n%lx %x jit::first(int)\\n", (unsigned long)memory, (unsigned)sizeof(code));
    fflush(map);
    while (clock() < CLOCKS_PER_SEC / 4) ((void (*)(void))memory)();
    fprintf(map, "%lx %x jit::second\\n", (unsigned long)memory + 4096, (unsigned)sizeof(code));
    fflush(map);
    while (clock() < CLOCKS_PER_SEC / 2) ((void (*)(void))(memory + 4096))();
    remove(path);
    return 0;
}
"""


def check_jit(folded):
    check_share(folded, r"jit::first\(int\)", 0.05)
    check_share(folded, "jit::second", 0.05)


def test_perf_map():
    """What is added to the map while the program runs is seen, though the file is gone at the end."""
    require_x86()
    check_jit(sample(build("program", "-g", source=JIT), args=()))


def test_perf_map_in_a_container():
    """The map is in the target's /tmp, under the pid that it has there."""
    require_x86()
    unshare = tool("unshare")
    words = [unshare, "-m", "-p", "-f", "--mount-proc"]
    require(run(*words, "true").code == 0, "may not make namespaces")
    program = build("program", "-g", source=JIT)
    sprof("run", *NAMES, "--", *words, program).check(0)
    check_jit(read_folded("x.folded"))


JIT_REGIONS = """
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static const unsigned char code[] = { 0xb8, 0x40, 0x42, 0x0f, 0, 0xff, 0xc8, 0x75, 0xfc, 0xc3 }; /* mov; dec; jnz; ret */
int main(void)
{
    unsigned char *regions[4];
    int file = memfd_create("code", 0);
    ftruncate(file, 8192);
    for (int i = 0; i < 4; i++) {
        mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* so that they are not one mapping */
        regions[i] = i < 3 ? mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                           : mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        for (int at = 0; at < 8192; at += 64)
            memcpy(regions[i] + at, code, sizeof(code));
        mprotect(regions[i], 8192, PROT_READ | PROT_EXEC);
    }
    for (int i = 0; clock() < CLOCKS_PER_SEC / 2; i++) ((void (*)(void))(regions[i % 4] + i % 128 * 64))();
    return 0;
}
"""


def jit_rows(names):
    return {name for name in names if re.match(r"\[(jit|anon)|code\+|memfd", name)}


def test_jit_without_a_perf_map():
    """All of it is one row in every format, whatever regions it is in, with the remedy."""
    require_x86()
    program = build("program", "-g", source=JIT_REGIONS)
    outputs = [word for suffix in ("folded", "txt", "pb.gz", "html", "json") for word in ("-o", f"x.{suffix}")]
    sprof("run", "-r", "500", *outputs, "--", program).check(0)
    folded = read_folded("x.folded")
    assert jit_rows(folded.names()) == {"[jit of program]"}, folded.names()
    check_share(folded, r"\[jit of program\]", 0.5)
    with open("x.json", encoding="utf-8") as file:
        profile = json.load(file)
    assert jit_rows(function["name"] for function in profile["functions"]) == {"[jit of program]"}, profile["functions"]
    assert jit_rows(module["path"] for module in profile["modules"]) == {"[jit of program]"}, profile["modules"]
    with open("x.html", encoding="utf-8") as file:
        assert "[jit of program]" in file.read()
    texts = [open("x.txt", encoding="utf-8").read()]
    texts.append(sprof("report", "x.pb.gz", "-f", "text").check(0).text())
    for text in texts:
        assert len(re.findall(r"^ .* \[jit of program\](  try: have it write /tmp/perf-PID\.map)?$", text, re.MULTILINE)) >= 2 and "[anon]" not in text, text
        assert "code without a file, and no /tmp/perf-PID.map" in text, text
        assert re.search(r"try: .*/tmp/perf-PID\.map", text), text
    saved = json.loads(sprof("report", "x.pb.gz", "-f", "json").check(0).text())
    assert jit_rows(function["name"] for function in saved["functions"]) == {"[jit of program]"}, saved["functions"]
    assert any("perf-PID.map" in module.get("gap_help", "") for module in saved["modules"]), saved["modules"]


# Lists of symbols.

def test_sysmap():
    program = build("program", "-g0", "-no-pie")
    with open("program.map", "w", encoding="utf-8") as file:
        file.write(command(tool("nm"), program))
    place = inside_outer(program)
    command(tool("strip"), program)
    assert "program+0x" in resolve(program, place, code=1)
    assert "  outer+0x" in resolve(program, place, "--sysmap", "program.map")
    check_share(sample(program, "--sysmap", "program.map"), "outer")
    check_share(sample(program, "--sysmap", "program.map=program"), "outer")
    assert "outer" not in sample(program, "--sysmap", "program.map=libc.so.6").names()


def test_verify():
    program = build("program", "-g")
    write("program.map", command(tool("nm"), program))
    text = resolve(program, "--sysmap", "program.map", "--verify")
    count = len(re.findall(r"^OK\t", text, re.MULTILINE))
    assert count > 5 and text.endswith(f"{count} of {count} match\n") and "MIS" not in text, text
    place = int(address_of(program, "outer"), 16)
    write("wrong.map", f"{place:x} T inner_or_what\n{place:x} T outer\n10 T nowhere\nfff000 T beyond\n")
    text = resolve(program, "--sysmap", "wrong.map", "--verify", code=3)
    assert re.search(r"^MISMATCH\t[0-9a-f]+\tinner_or_what\touter$", text, re.MULTILINE), text
    for name in ("nowhere", "beyond"):
        assert re.search(rf"^MISSING\t[0-9a-f]+\t{name}$", text, re.MULTILINE), text
    assert text.endswith("1 of 4 match\n"), text
    assert re.search(r"^OK\t[0-9a-f]+\touter$", sprof("symbols", program, "--verify").text(), re.MULTILINE)


def test_listing_of_a_process():
    program = build("program", "-g")
    watched = Program([program, "30"])
    watched.line()
    text = sprof("symbols", "-p", watched.pid).text()
    place = re.search(r"^([0-9a-f]+)\t\d+\touter\t\.symtab$", text, re.MULTILINE).group(1)
    distance = int(inside_outer(program), 16) - int(address_of(program, "outer"), 16)
    check_inline_chain(resolve("-p", watched.pid, f"0x{int(place, 16) + distance:x}"))
    assert re.search(r"\t[^\t]*clock_gettime[^\t]*\t", text), "the vDSO's functions are missing"
    watched.process.kill()


# debuginfod.

class Server(http.server.BaseHTTPRequestHandler):
    """Serves one debug file by its build id, and notes what was asked for."""
    files, asked = {}, []

    def do_GET(self):
        Server.asked.append(self.path)
        content = Server.files.get(self.path)
        self.send_response(200 if content else 404)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_):
        pass


def start_server():
    Server.files, Server.asked = {}, []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def test_debuginfod():
    """Only with --debuginfod, only for modules with samples, and the names are there then."""
    program = build("program", "-g")
    stripped, debug = split_debug(program, "stripped", "debug")
    server = start_server()
    environment = {**os.environ, "DEBUGINFOD_URLS": f"http://127.0.0.1:{server.server_port}",
                   "DEBUGINFOD_CACHE_PATH": os.path.abspath("cache")}
    with open(debug, "rb") as file:
        Server.files[f"/buildid/{build_id(program)}/debuginfo"] = file.read()
    assert "outer" not in sample(stripped, env=environment).names()
    assert not Server.asked, Server.asked
    result = sprof("run", *NAMES, "--debuginfod", "--", stripped, env=environment).check(0)
    require("can't load libdebuginfod" not in result.err, "libdebuginfod is not installed")
    assert read_folded("x.folded").has("main", "outer", "inner"), result.err
    assert any(build_id(program) in path for path in Server.asked)
    server.shutdown()


def test_debuginfod_gives_up():
    """A server that never answers costs no more than the limit."""
    import socket
    stripped, _ = split_debug(build("program", "-g"), "stripped", "debug")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(8)
        environment = {**os.environ, "DEBUGINFOD_CACHE_PATH": os.path.abspath("cache"),
                       "DEBUGINFOD_URLS": f"http://127.0.0.1:{listener.getsockname()[1]}"}
        sprof("run", *NAMES, "--debuginfod", "--debuginfod-limit", "1s", "--", stripped,
              env=environment).check(0)
    assert "stripped+0x" in " ".join(read_folded("x.folded").names())


def test_debuginfod_without_servers():
    environment = {name: value for name, value in os.environ.items() if name != "DEBUGINFOD_URLS"}
    result = sprof("symbols", SPROF, "--debuginfod", env=environment).check(64)
    assert "DEBUGINFOD_URLS" in result.err


if __name__ == "__main__":
    main()
