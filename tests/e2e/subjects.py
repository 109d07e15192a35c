"""Programs that the tests of names build for themselves, each in the shape that it is about."""

import os
import subprocess

from harness import tool

# outer() and what is inlined into it take the time; `seconds` of CPU time, then the program ends.
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef LIBRARY
unsigned outer(unsigned n);
#else
static inline __attribute__((always_inline)) unsigned inner(unsigned n)
{
    unsigned sum = n;
    for (unsigned i = 0; i < 200000; i++) __asm__ volatile("imull $31, %0" : "+r"(sum));
    return sum;
}
__attribute__((noinline)) unsigned outer(unsigned n) { return inner(n) + 1; }
#endif
int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 0.3;
    unsigned sum = 0;
    puts("ready");
    fflush(stdout);
    while (clock() < seconds * CLOCKS_PER_SEC)
        sum += outer(sum);
    return sum == 1;
}
"""

LIBRARY = """
__attribute__((noinline)) unsigned NAME(unsigned n)
{
    unsigned sum = n;
    for (unsigned i = 0; i < 200000; i++) __asm__ volatile("imull $31, %0" : "+r"(sum));
    return sum;
}
"""


def command(*words):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{' '.join(map(str, words))}\n{result.stderr}"
    return result.stdout


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def build(name, *flags, source=PROGRAM):
    """Compiles a program here and returns its path."""
    suffix = ".cc" if "namespace" in source else ".c"
    path = write(name + suffix, source)
    command(tool("g++" if suffix == ".cc" else "gcc"), "-O2", path, *(flags or ["-g"]), "-o", name)
    return os.path.abspath(name)


def build_library(path, function, *flags):
    source = write(os.path.basename(path) + ".c", LIBRARY.replace("NAME", function))
    command(tool("gcc"), "-O2", "-g0", "-shared", "-fPIC", *flags, source, "-o", path)
    return os.path.abspath(path)


def address_of(program, symbol, behind=0):
    """The link-time address of a symbol of an unstripped file, in hexadecimal."""
    for line in command(tool("nm"), program).splitlines():
        if line.split()[-1] == symbol:
            return f"0x{int(line.split()[0], 16) + behind:x}"
    raise AssertionError(f"{program} has no symbol {symbol}")


def inside(program, symbol):
    """The address of the multiplication in a function, which is in what is inlined into it."""
    text = command(tool("objdump"), "-d", "--no-show-raw-insn", f"--disassemble={symbol}", program)
    for line in text.splitlines():
        if "imul" in line:
            return "0x" + line.split(":")[0].strip()
    raise AssertionError(f"no multiplication in {symbol} of {program}")


def build_id(program):
    for line in command(tool("readelf"), "-n", program).splitlines():
        if "Build ID:" in line:
            return line.split()[-1]
    raise AssertionError(f"{program} has no build id")


def split_debug(program, stripped, debug):
    """Leaves a stripped copy and a debug file."""
    command(tool("objcopy"), "--only-keep-debug", program, debug)
    command(tool("objcopy"), "--strip-all", program, stripped)
    return os.path.abspath(stripped), os.path.abspath(debug)
