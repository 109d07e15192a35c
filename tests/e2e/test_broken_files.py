"""Files that are broken, or made to break us: nameless as far as need be, and the profile goes on."""

import re
import struct

from harness import main, sprof, tool, read_folded
from subjects import address_of, build, command, write
from test_names import JIT, NAMES, check_share, inside_outer, require_x86, resolve, sample


def section_of(program, name):
    """Where a section header is in the file, and what its offset and size are there."""
    with open(program, "rb") as file:
        bytes_of = file.read()
    table, = struct.unpack_from("<Q", bytes_of, 40)
    for line in command(tool("readelf"), "-SW", program).splitlines():
        match = re.match(rf" +\[ *(\d+)\] {re.escape(name)} ", line)
        if match:
            header = table + 64 * int(match.group(1))
            return header, *struct.unpack_from("<QQ", bytes_of, header + 24)
    raise AssertionError(f"{program} has no {name}")


def patch(program, changes):
    """Writes (offset, bytes) into the file."""
    with open(program, "r+b") as file:
        for offset, content in changes:
            file.seek(offset)
            file.write(content)


def test_symbol_tables_outside_the_file():
    for offset, size in ((1 << 40, None), ((1 << 64) - 16, None), (None, 1 << 62), (None, (1 << 64) - 1)):
        program = build("program", "-g0")
        for name in (".symtab", ".strtab", ".dynsym", ".dynstr"):
            header, right_offset, right_size = section_of(program, name)
            patch(program, [(header + 24, struct.pack("<QQ", offset or right_offset, size or right_size))])
        folded = sample(program)
        assert any(re.match(r"program\+0x|outer", name) for name in folded.names()), folded.names()


def test_cyclic_references():
    """Each DIE that refers to another one refers to itself."""
    program = build("program", "-g")
    place, names = inside_outer(program), resolve(program, address_of(program, "outer"))
    _, info, _ = section_of(program, ".debug_info")
    changes, die = [], None
    for line in command(tool("readelf"), "--debug-dump=info", program).splitlines():
        die = int(re.match(r" *<\d+><([0-9a-f]+)>", line).group(1), 16) if re.match(r" *<\d+><", line) else die
        match = re.match(r" *<([0-9a-f]+)> +DW_AT_(abstract_origin|specification|sibling|type)\b", line)
        if match:
            changes.append((info + int(match.group(1), 16), struct.pack("<I", die)))
    assert len(changes) > 5, "readelf shows no references"
    patch(program, changes)
    assert "  outer" in names and "  outer" in resolve(program, place)
    check_share(sample(program), "(outer|main)")


def test_mapped_garbage():
    """Code that runs from a file which is no ELF file."""
    require_x86()
    source = JIT.replace("MAP_PRIVATE | MAP_ANONYMOUS, -1, 0", "MAP_SHARED, open(\"garbage\", O_RDWR), 0").replace(
        "memcpy(memory,", "memcpy(memory + 2048,").replace("(void))memory)", "(void))(memory + 2048))").replace(
        "#include <stdio.h>", "#include <stdio.h>\n#include <fcntl.h>").replace("/tmp/perf-", "/tmp/not-perf-")
    program = build("program", "-g", source=source)
    for beginning in (b"", b"\x7fELF", b"\x7fELF\x02\x01\x01" + b"\xff" * 57):
        write("garbage", "x" * 8192)
        patch("garbage", [(0, beginning)])
        sprof("run", *NAMES, "-o", "x.txt", "-f", "text", "--", program).check(0)
        with open("x.txt", encoding="utf-8") as file:
            text = file.read()
        assert re.search(r" \S+/garbage\n +not a readable ELF file", text), text
        check_share(read_folded("x.folded"), "garbage\\+0x[0-9a-f]+")


if __name__ == "__main__":
    main()
