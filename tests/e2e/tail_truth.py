"""
What tail calls a program makes, by objdump and readelf alone, and whether a saved profile has put in what is true.

    python3 tests/e2e/tail_truth.py PROGRAM PROFILE.pb.gz     each stack of the profile that goes through the program

A function that was put in has to jump to the next one; the first has to be what the caller's call enters; and no other
way may lead from there to the function that was found. Jumps are those of the code. DWARF only says which functions
make tail calls that the code leaves open.
"""

import bisect
import gzip
import re
import subprocess
import sys

MARK = " (tail call)"
MOST_WAYS = 2  # no more have to be told apart


def lines_of(*words):
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        yield from process.stdout


def fields_of(message):
    """(field, value) of a message of protocol buffers."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(message):
        key = varint()
        if key & 7 == 2:
            size = varint()
            yield key >> 3, message[at:at + size]
            at += size
        else:
            assert key & 7 == 0, key
            yield key >> 3, varint()


def numbers_of(value):
    """A repeated number, packed."""
    result, number, shift = [], 0, 0
    for byte in value:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            result.append(number)
            number = shift = 0
    return result


class Saved:
    """The stacks of a saved profile: [(samples, [location])], innermost first."""

    def __init__(self, path):
        with gzip.open(path) as file:
            fields = list(fields_of(file.read()))
        strings = [value.decode(errors="replace") for field, value in fields if field == 6]
        functions = {}
        self.mappings, self.locations, self.stacks = {}, {}, []
        for field, value in fields:
            if field == 3:
                mapping = dict(fields_of(value))
                self.mappings[mapping[1]] = (strings[mapping.get(5, 0)], mapping.get(2, 0), mapping.get(4, 0))
            elif field == 5:
                function = dict(fields_of(value))
                functions[function[1]] = strings[function.get(2, 0)]
        for field, value in fields:
            if field == 4:
                location = dict(fields_of(value))
                names = [functions[dict(fields_of(line))[1]] for number, line in fields_of(value) if number == 4]
                self.locations[location[1]] = (location.get(2, 0), location.get(3, 0), names)
            elif field == 2:
                sample = dict(fields_of(value))
                self.stacks.append((numbers_of(sample[2])[0], numbers_of(sample.get(1, b""))))


class Program:
    """The functions of a program by their first address, and the ways between them."""

    def __init__(self, path):
        self.names = {}   # first address -> symbol
        self.calls = {}   # the last byte of a direct call -> target
        self.jumps = {}   # function -> [(address behind the jump, its own, target)]
        self.indirect = set()  # functions with a jump to a place that a register or memory has
        self.entered_from = {}  # cold part -> the functions that jump to it
        self.open = set()  # functions with tail calls to a place that isn't known
        self.described = set()  # functions whose tail calls all are in DWARF
        self.segments = []
        self.read_segments(path)
        self.read_code(path)
        self.starts = sorted(self.names)
        self.read_cold_parts()
        self.read_sites(path)

    def read_segments(self, path):
        for line in lines_of("readelf", "-lW", path):
            words = line.split()
            if words[:1] == ["LOAD"]:
                self.segments.append(tuple(int(word, 16) for word in (words[1], words[2], words[4])))

    def address_of(self, offset):
        return next(offset - begin + address for begin, address, size in self.segments if 0 <= offset - begin < size)

    def read_code(self, path):
        function = None
        for line in lines_of("objdump", "-dw", path):
            begin = re.match(r"([0-9a-f]+) <(.*)>:", line)
            if begin:
                function = int(begin.group(1), 16)
                self.names[function] = begin.group(2)
                self.jumps[function] = []
            if re.search(r"\t(?:bnd |notrack )*jmp +\*", line):
                self.indirect.add(function)
            code = re.match(r" +([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t(?:bnd |notrack )?(call|j)\w* +([0-9a-f]+) <", line)
            if code:
                place, target = int(code.group(1), 16), int(code.group(4), 16)
                behind = place + len(code.group(2)) // 3
                if code.group(3) == "call":
                    self.calls[behind - 1] = target
                else:
                    self.jumps[function].append((behind, place, target))

    def function_at(self, address):
        index = bisect.bisect_right(self.starts, address) - 1
        return self.starts[index] if index >= 0 else None

    def is_cold(self, function):
        return bool(re.search(r"\.cold(\.\d+)?$", self.names.get(function, "")))

    def targets_of(self, function):
        """The functions that it jumps to, also from its cold part."""
        found = {target for _, _, target in self.jumps.get(function, ()) if target in self.names}
        parts = {self.function_at(target) for _, _, target in self.jumps.get(function, ())}
        for part in parts:
            if part is not None and part != function and self.is_cold(part) and not self.is_cold(function):
                found |= self.targets_of(part)
        return {target for target in found if target != function and not self.is_cold(target)}

    def can_leave(self, function):
        """Whether it may have tail calls at all. gcc gives a function in two parts no first address in DWARF."""
        parts = {self.function_at(target) for _, _, target in self.jumps.get(function, ())} | {function}
        return bool(parts & self.indirect or self.targets_of(function))

    def owners_of(self, place):
        """The function that has this place, or those that jump to the cold part that has it."""
        owner = self.function_at(place)
        return self.entered_from.get(owner, set()) if self.is_cold(owner) else {owner}

    def read_cold_parts(self):
        for function, jumps in self.jumps.items():
            parts = {self.function_at(target) for _, _, target in jumps} if not self.is_cold(function) else ()
            for part in parts:
                if part is not None and self.is_cold(part):
                    self.entered_from.setdefault(part, set()).add(function)

    def take_site(self, site, is_described):
        """A tail call is open unless its jump enters a function of this program that is not in the PLT."""
        is_behind = "behind" in site
        place = site["behind"] - 1 if is_behind else site["pc"]
        owners = self.owners_of(place)
        if is_described:
            self.described |= owners
        if "tail" not in site:
            return
        ends = [target for behind, own, target in self.jumps.get(self.function_at(place), ())
                if (behind - 1 if is_behind else own) == place]
        if not ends or ends[0] not in self.names or "plt" in self.names[ends[0]]:
            self.open |= owners

    def read_sites(self, path):
        """Those that have an address: gcc describes calls in abstract functions, too."""
        functions, site, die = [], None, None
        for line in lines_of("readelf", "--debug-dump=info", "-W", path):
            entry = re.match(r" *<([0-9a-f]+)><[0-9a-f]+>: Abbrev Number: \d+(?: \((\w+)\))?", line)
            attribute = None if entry or die is None else re.match(r" +<[0-9a-f]+> +DW_AT_(\w+) *: (.*)", line)
            if entry:
                if site and ("behind" in site or "pc" in site):
                    self.take_site(site, functions and "described" in functions[-1][1])
                depth, tag, site, die = int(entry.group(1), 16), entry.group(2), None, None
                while functions and functions[-1][0] >= depth:
                    functions.pop()
                if tag == "DW_TAG_subprogram":
                    die = {}
                    functions.append((depth, die))
                elif tag in ("DW_TAG_call_site", "DW_TAG_GNU_call_site"):
                    site = die = {}
            elif attribute:
                self.take_attribute(die, die is site, attribute.group(1), attribute.group(2))

    def take_attribute(self, die, is_site, name, value):
        if name == "low_pc" and is_site:
            name = "call_return_pc"
        if name in ("low_pc", "call_return_pc", "call_pc"):
            number = int(re.search(r"(?:0x)?([0-9a-f]+)\s*$", value).group(1), 16)
            die[{"low_pc": "low", "call_return_pc": "behind", "call_pc": "pc"}[name]] = number
        elif name.endswith("tail_call"):
            die["tail"] = True
        elif re.search(r"all_(tail_)?call(s|_sites)$", name):
            die["described"] = True
        if "described" in die and "low" in die:
            self.described.add(die["low"])

    def ways(self, start, end):
        """The ways from one function to another one by tail calls, at most MOST_WAYS; None: some are open."""
        found, seen, is_open = [], set(), False

        def reach(function):
            nonlocal is_open
            todo = [function]
            while todo:
                function = todo.pop()
                if function in seen or function == end:
                    continue
                seen.add(function)
                is_open |= function in self.open or function not in self.described and self.can_leave(function)
                todo += self.targets_of(function)

        def walk(way):
            for target in sorted(self.targets_of(way[-1])):
                if target == end:
                    found.append(way)
                elif target not in way and len(found) < MOST_WAYS:
                    walk([*way, target])
        reach(start)
        walk([start])
        return None if is_open else found


def put_in_of(saved, location, mapping_name):
    """The functions that were put in behind the location's own, if it is one of the program."""
    mapping, _, names = saved.locations[location]
    path = saved.mappings.get(mapping, ("",))[0]
    return [name.removesuffix(MARK) for name in names if name.endswith(MARK) and path.rpartition("/")[2] == mapping_name]


def check_pair(program, saved, inner, outer, put_in):
    mapping, address, _ = saved.locations[inner]
    caller_mapping, caller_address, _ = saved.locations[outer]
    _, start, offset = saved.mappings[mapping]
    assert caller_mapping == mapping, "a tail call between files"
    call = program.address_of(caller_address - start + offset)
    place = program.address_of(address - start + offset)
    assert call in program.calls, f"no direct call ends at {call + 1:x}"
    ways = program.ways(program.calls[call], program.owners_of(place).pop())
    assert ways and len(ways) == 1, (f"{call:x} -> {place:x}", put_in, ways)
    true = [program.names[function].partition(".")[0] for function in reversed(ways[0])]
    assert len(true) == len(put_in), (put_in, true)
    assert all(name == symbol or symbol.startswith("_Z") for name, symbol in zip(put_in, true)), (put_in, true)


def check(program, saved, mapping_name):
    """(samples with functions that were put in, places where they were)"""
    samples, known = 0, set()
    for count, stack in saved.stacks:
        pairs = [(inner, outer) for inner, outer in zip(stack, stack[1:]) if put_in_of(saved, inner, mapping_name)]
        samples += count if pairs else 0
        for inner, outer in set(pairs) - known:
            known.add((inner, outer))
            check_pair(program, saved, inner, outer, put_in_of(saved, inner, mapping_name))
    return samples, len(known)


def main():
    program, saved = Program(sys.argv[1]), Saved(sys.argv[2])
    samples, pairs = check(program, saved, sys.argv[1].rpartition("/")[2])
    total = sum(count for count, _ in saved.stacks)
    print(f"{total} samples; functions put in on {samples}, at {pairs} places: all true")


if __name__ == "__main__":
    main()
