"""Runs in gdb: prints each frame's variables as JSON, as sprof writes values. See test_variables.py."""

import decimal
import json
import re

import gdb

NESTING, ITEMS, TEXT = 3, 8, 64
CHARACTERS = {"char", "signed char", "unsigned char", "char8_t"}
COMPOUNDS = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)


def text_of(data, more):
    out = ""
    for c in bytes(data).decode("utf-8", errors="surrogateescape").encode("utf-32-le", errors="surrogatepass").decode(
            "utf-32-le", errors="surrogatepass"):
        c = ord(c) & 255 if 0xdc80 <= ord(c) <= 0xdcff else ord(c)
        if c < 256 and chr(c) in '"\\':
            out += "\\" + chr(c)
        elif c == 10:
            out += "\\n"
        else:
            out += chr(c) if 32 <= c < 127 or c > 255 else f"\\x{c:02x}"
    return f'"{out}"' + ("..." if more else "")


def string_at(address):
    """The text that a pointer leads to; None: it leads nowhere."""
    data = b""
    while len(data) <= TEXT:
        try:
            byte = bytes(gdb.selected_inferior().read_memory(address + len(data), 1))
        except gdb.MemoryError:
            return text_of(data, False) if data else None
        if byte == b"\0":
            break
        data += byte
    return text_of(data[:TEXT], len(data) > TEXT)


def is_character(kind):
    return kind.sizeof == 1 and kind.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR) and str(kind.unqualified()) in CHARACTERS


def pointer(value):
    text = f"{int(value.cast(gdb.lookup_type('unsigned long'))):#x}"
    target = value.type.strip_typedefs().target().strip_typedefs()
    string = string_at(int(value)) if is_character(target) else None
    return text if string is None else f"{text} {string}"


def enumeration(value, kind):
    number = int(value)
    for field in kind.fields():
        if field.enumval == number:
            return field.name.split("::")[-1]
    return str(number)


def character(value):
    number = int(value)
    return f"{number} '{chr(number)}'" if 32 <= number < 127 else str(number)


def array(value, kind, nesting):
    item = kind.target().strip_typedefs()
    low, high = 0, value.type.strip_typedefs().sizeof // item.sizeof - 1
    if is_character(item) and kind.code == gdb.TYPE_CODE_ARRAY:
        data = bytearray()
        for i in range(low, high + 1):
            try:
                c = int(value[i]) & 255
            except gdb.error:
                return text_of(data, True)
            if not c:
                break
            data.append(c)
        return text_of(data[:TEXT], len(data) > TEXT)
    parts = [render(value[i], nesting) for i in range(low, min(high + 1, ITEMS))]
    return "{" + ", ".join(parts + (["..."] if high + 1 > ITEMS else [])) + "}"


def structure(value, kind, nesting):
    parts = []
    for field in kind.fields():
        if not hasattr(field, "bitpos") or (field.artificial and not field.is_base_class and not field.name.startswith("_vptr")):
            continue
        if len(parts) == ITEMS:
            parts.append("...")
            break
        text = render(value[field], nesting)
        parts.append(text if field.is_base_class or not field.name else f"{field.name} = {text}")
    return "{" + ", ".join(parts) + "}"


def render(value, nesting=0):
    kind = value.type.strip_typedefs().unqualified()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        target = value.referenced_value()
        return f"@{int(target.address):#x}: {render(target, nesting)}"
    if kind.code in COMPOUNDS or kind.code == gdb.TYPE_CODE_ARRAY:
        if nesting == NESTING:
            return "{...}"
        return (structure if kind.code in COMPOUNDS else array)(value, kind, nesting + 1)
    try:
        if value.is_optimized_out:
            return "<optimized out>"
        return scalar(value, kind)
    except gdb.error as error:
        if "optimized out" not in str(error):
            raise
        return "<optimized out>"


def scalar(value, kind):
    if kind.code == gdb.TYPE_CODE_PTR:
        return pointer(value)
    if "nullptr" in str(kind):
        return "0x0"
    if kind.code == gdb.TYPE_CODE_ENUM:
        return enumeration(value, kind)
    if kind.code == gdb.TYPE_CODE_CHAR or is_character(kind) or (kind.code == gdb.TYPE_CODE_INT and str(kind) in ("char16_t", "char32_t")):
        return character(value)
    if kind.code == gdb.TYPE_CODE_MEMBERPTR:
        return str(member_offset(value))
    text = value.format_string(symbols=False)
    if text == str(kind):
        return "?"
    if "128" in str(kind) and kind.code == gdb.TYPE_CODE_FLT:
        return f"{decimal.Context(prec=18).create_decimal(text).normalize():g}"
    return text.split(" L'")[0]


def member_offset(value):
    """gdb says which member it leads to, except for none."""
    if value.address is None:
        number = re.search(r"-?(0x[0-9a-f]+|\d+)$", value.format_string(symbols=False))
        return int(number[0], 0) if number else "<optimized out>"
    return int.from_bytes(bytes(gdb.selected_inferior().read_memory(int(value.address), value.type.sizeof)), "little", signed=True)


def described(symbol, frame):
    try:
        text = render(symbol.value(frame))
        return None if not re.sub(r'<optimized out>|""\.\.\.|[\w$.]+ = |[{}, .]', "", text) or "<synthetic pointer>" in text else text
    except gdb.error:
        return None


def variables_of(frame):
    try:
        block = frame.block()
    except RuntimeError:
        return []
    blocks = []
    while block and not block.is_global and not block.is_static:
        blocks.insert(0, [symbol for symbol in block if symbol.is_variable or symbol.is_argument or symbol.is_constant])
        if block.function:
            break
        block = block.superblock
    return [(symbol.name, described(symbol, frame)) for symbols in blocks for symbol in symbols]


def main():
    gdb.execute("set width 0")
    gdb.execute("set backtrace past-main on")
    gdb.execute("set print symbol off")
    frames, frame = [], gdb.newest_frame()
    while frame:
        frame.select()
        frames.append((frame.name() or "?", variables_of(frame)))
        frame = frame.older()
    print("JSON " + json.dumps(frames))


main()
