"""Names and inline chains of 2000 random text addresses, or 500, of a file, beside those of eu-addr2line.

Where the two differ, one of these must hold, and it must hold for a reason that can be checked:

  alias     both names are symbols of one address; eu-addr2line takes another one of them
  plt       the address is in the procedure linkage table, which eu-addr2line doesn't name
  gap       no symbol covers the address: eu-addr2line takes the symbol before it, or one without a
            size that is nearer than the one that covers it; sprof says that nothing is known
  label     eu-addr2line takes a label without a size inside of a function that has one
  nested    eu-addr2line takes the last symbol of several that overlap; sprof the one that begins last
  llvm      llvm-symbolizer has the chain that sprof has: eu-addr2line leaves inlined functions out in
            units without .debug_aranges (clang, Rust), and where code was moved out of its function;
            where inlined functions overlap it lists one inside the other
"""

import bisect
import collections
import os
import random
import re
import subprocess

from harness import main, require, sprof, tool
from subjects import build, command, write

ADDRESSES = 2000
FEWER = 500       # where eu-addr2line takes 20 ms for each
AGREE = 0.999


def text_sections(path):
    """(address, size) of the sections with code, the PLT included."""
    out = command(tool("readelf"), "-SW", path)
    return [(int(m.group(1), 16), int(m.group(2), 16)) for m in
            re.finditer(r"\sPROGBITS\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)\s+\d+\s+AX\s", out)]


def choose(path, count):
    sections = [section for section in text_sections(path) if section[1] > 0]
    chosen = random.Random(os.path.basename(path))
    picked = chosen.choices(sections, weights=[size for _, size in sections], k=count)
    return [address + chosen.randrange(size) for address, size in picked]


def chains_of_sprof(path, addresses):
    text = sprof("symbols", "--no-demangle", path, *(f"0x{a:x}" for a in addresses)).text()
    chains = {}
    for line in text.splitlines():
        if line.startswith("0x"):
            chain = chains[int(line, 16)] = []
        else:
            name = re.fullmatch(r"  (.*?)( \(inlined\)|\+0x[0-9a-f]+)?( at \S.*:\d+)?", line).group(1)
            chain.append(without_llvm(name))
    return chains


def chains_of_elfutils(path, addresses):
    result = subprocess.run([tool("eu-addr2line"), "-f", "-i", "-a", "-e", path], text=True, check=False,
                            input="".join(f"0x{a:x}\n" for a in addresses), capture_output=True)
    chains, lines = {}, iter(result.stdout.splitlines())
    for line in lines:
        if re.fullmatch(r"0x[0-9a-f]{16}", line):
            chain = chains[int(line, 16)] = []
        else:
            chain.append(without_llvm(re.sub(r" inlined at .*", "", line)))
            next(lines)
    return chains


def chains_of_llvm(path, addresses):
    result = subprocess.run([tool("llvm-symbolizer"), "--functions=linkage", "--inlines",
                             "--no-demangle", "-e", path], text=True, check=True, capture_output=True,
                            input="".join(f"0x{a:x}\n" for a in addresses))
    blocks = result.stdout.split("\n\n")
    return {address: [without_llvm(name) for name in block.splitlines()[::2]]
            for address, block in zip(addresses, blocks)}


def without_llvm(name):
    """LLVM renames functions that its link-time optimization exports; DWARF has the name from before."""
    return re.sub(r"\.llvm\.\d+$", "", name)


class Symbols:
    """All symbols that sprof lists, with which both answers can be judged."""

    def __init__(self, path):
        self.rows = []
        for line in sprof("symbols", path).text().splitlines():
            address, size, name, source = line.split("\t")
            self.rows.append((int(address, 16), int(size), without_llvm(name), source))
        self.starts = [row[0] for row in self.rows]

    def named(self, name):
        return [row for row in self.rows if row[2] == name]

    def covering(self, address):
        """Symbols with a size that the address is in."""
        end = bisect.bisect_right(self.starts, address)
        return [row for row in self.rows[max(0, end - 400):end]
                if row[1] and address < row[0] + row[1] and row[3] != "FDE only"]

    def are_aliases(self, one, other):
        return bool({row[0] for row in self.named(one)} & {row[0] for row in self.named(other)})


def explain(symbols, address, ours, theirs):
    """Which of the reasons above applies to the outermost function; None: no reason."""
    mine, other = ours[-1], theirs[-1]
    covering = symbols.covering(address)
    if mine.endswith("@plt"):
        return "plt"
    if ours[:-1] != theirs[:-1]:
        return None
    if symbols.are_aliases(mine, other):
        return "alias"
    if not any(row[2] == other for row in covering):
        if not covering:
            return "gap"
        if other == "??" or all(row[1] == 0 for row in symbols.named(other)):
            return "label"
    if any(row[2] == mine for row in covering) and any(row[2] == other for row in covering):
        return "nested"
    return None


def agrees(symbols, ours, theirs):
    if len(theirs) != len(ours) or theirs[:-1] != ours[:-1]:
        return False
    if theirs[-1].startswith(ours[-1] + "."):
        return True  # the symbol of a clone (".isra.0"), where DWARF has the function's own name
    return theirs[-1] in (ours[-1], "??") or symbols.are_aliases(ours[-1], theirs[-1])


def compare(path, count=ADDRESSES):
    """Fails when sprof and eu-addr2line differ without a reason in more than one of 1000 addresses."""
    require(os.path.exists(path), f"there is no {path}")
    addresses = sorted(set(choose(path, count)))
    ours, theirs = chains_of_sprof(path, addresses), chains_of_elfutils(path, addresses)
    symbols = Symbols(path)
    reasons = {}
    for address in addresses:
        mine, other = ours[address], theirs[address]
        if mine == other or (other == ["??"] and mine == [os.path.basename(path)]):
            reasons[address] = "equal"
        else:
            reasons[address] = explain(symbols, address, mine, other)
    others = chains_of_llvm(path, [address for address in addresses if not reasons[address]])
    for address, chain in others.items():
        reasons[address] = "llvm" if agrees(symbols, ours[address], chain) else None
    print(f"     {os.path.basename(path)}: {dict(collections.Counter(reasons.values()))}")
    wrong = [f"{a:x}: {ours[a]}\n  {theirs[a]}\n  {others[a]}" for a in addresses if not reasons[a]]
    assert len(wrong) <= (1 - AGREE) * len(addresses), "\n".join(wrong[:20])


def test_libc():
    compare(os.path.realpath(command(tool("gcc"), "-print-file-name=libc.so.6").strip()))


def test_libstdcxx():
    compare(os.path.realpath(command(tool("g++"), "-print-file-name=libstdc++.so.6").strip()))


def test_python():
    compare(os.path.realpath(tool("/usr/bin/python3")))


def test_git():
    compare(os.path.realpath(tool("git")))


def test_cc1plus():
    compare(os.path.realpath(command(tool("g++"), "-print-prog-name=cc1plus").strip()))


def test_cplusplus():
    """Templates, lambdas, what the library inlines."""
    source = """
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
namespace a { namespace { struct hidden { int v; int twice() const { return v * 2; } }; } }
template <class T> struct stack { std::vector<T> v; void push(T t) { v.push_back(std::move(t)); } };
int main(int argc, char **argv)
{
    std::map<std::string, stack<std::unique_ptr<a::hidden>>> tree;
    std::unordered_map<int, std::function<int(int)>> table;
    for (int i = 0; i < argc * 100; i++) {
        tree[std::to_string(i)].push(std::make_unique<a::hidden>(a::hidden{i}));
        table[i] = [i](int x) { return x + i; };
    }
    std::regex r("([a-z]+)-([0-9]+)");
    std::smatch m;
    std::string s(argv[0]);
    int sum = std::regex_search(s, m, r);
    for (auto &[name, st] : tree)
        for (auto &p : st.v) sum += p->twice() + table[p->v](sum);
    std::cout << sum << std::endl;
    return 0;
}
"""
    compare(build("namespace", "-g", source=source), FEWER)


def test_rust():
    source = """
use std::collections::{BTreeMap, HashMap};
trait Shape { fn area(&self) -> f64; }
struct Square(f64);
struct Circle(f64);
impl Shape for Square { fn area(&self) -> f64 { self.0 * self.0 } }
impl Shape for Circle { fn area(&self) -> f64 { 3.14 * self.0 * self.0 } }
fn main() {
    let mut tree: BTreeMap<String, Vec<Box<dyn Shape>>> = BTreeMap::new();
    let mut table: HashMap<u64, String> = HashMap::new();
    for i in 0..1000u64 {
        tree.entry(format!("{}", i % 17)).or_default().push(if i % 2 == 0 { Box::new(Square(i as f64)) } else { Box::new(Circle(i as f64)) });
        table.insert(i, format!("{:x}", i));
    }
    let mut sorted: Vec<_> = table.values().cloned().collect();
    sorted.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    let sum: f64 = tree.values().flat_map(|v| v.iter()).map(|s| s.area()).sum();
    println!("{} {}", sum, sorted.join(",").len());
}
"""
    write("program.rs", source)
    rustc = "/usr/bin/rustc" if os.path.exists("/usr/bin/rustc") else tool("rustc")
    command(rustc, "-O", "-g", "program.rs", "-o", "program")
    compare(os.path.abspath("program"))


if __name__ == "__main__":
    main()
