"""What is the same function: two of one name, lines of several files, builds of one program."""

import itertools
import json
import os
import re
import sys

import made
from harness import SPROF, main, others, require_plain_sprof, run, sprof, tool
from subjects import write

MAIN = """
#include <stdlib.h>
volatile unsigned long sum;
void parse_file(void);
void write_file(void);
int main(int argc, char **argv)
{
    for (long i = 0; i < atol(argv[1]); i++) {
        parse_file();
        write_file();
    }
}
"""
WORK = """extern volatile unsigned long sum;
static __attribute__((noinline)) void work(unsigned long n)
{
    for (unsigned long i = 0; i < n; i++)
        sum += i * i;
}
"""
INCLUDED = "    for (unsigned long i = 0; i < n; i++)\n        sum += i ^ 3;\n"


def build(name, *flags, compiler="gcc", files=None):
    """A program of two static functions of one name, one of which includes its body."""
    files = files or {
        "one.c": WORK + "void parse_file(void) { work(9000); sum++; }\n",
        "two.c": "extern volatile unsigned long sum;\n" * 20 +
                 "static __attribute__((noinline)) void work(unsigned long n)\n{\n#include \"body.h\"\n}\n"
                 "void write_file(void) { work(9000); sum++; }\n",
        "main.c": MAIN}
    write("body.h", INCLUDED)
    for path, text in files.items():
        write(path, text)
    sources = [path for path in files if path.endswith((".c", ".cpp"))]
    run(tool(compiler), "-O2", "-g", *flags, *sources, "-o", name).check(0)
    return f"./{name}"


def record(program, *args, output="x.pb.gz"):
    sprof("run", "-q", "-r", "999", "-o", output, "--", program, *args or ("5000",)).check(0)
    return output


def as_json(path, *options):
    sprof("report", path, *options, "-f", "json", "-o", "report.json").check(0)
    with open("report.json") as file:
        return json.load(file)


def places(report):
    """What a profile has on its lines: (function, its file, the line's file, line)."""
    found = set()
    for location in report["locations"]:
        for number, line, _, *more in location:
            function = report["functions"][number]
            files = [entry["file"] for entry in more if isinstance(entry, dict)]
            found.add((function["name"], function["file"], files[0] if files else function["file"], line))
    return found


def test_two_functions_of_one_name():
    program = build("two")
    files = {file for name, file, _, _ in places(as_json(record(program))) if name == "work"}
    assert {file.rsplit("/", 1)[1] for file in files} == {"one.c", "two.c"}, files


def test_two_functions_of_one_name_without_debug_information():
    """The symbol table has their units: two rows, which diff finds again in a build with debug information."""
    plain = record(build("two", "-g0"), output="plain.pb.gz")
    full = record(build("two"), output="full.pb.gz")
    assert {file for name, file, _, _ in places(as_json(plain)) if name.startswith("work")} == {"one.c", "two.c"}
    text = sprof("report", plain, "--full").check(0).text()
    for file in ("one.c", "two.c"):
        assert len(re.findall(rf"work[.\w]*  {file}$", text, re.MULTILINE)) == 1, text
        sprof("annotate", f"work*@{file}", plain).check(0)
    run(tool("strip"), "--strip-debug", "two", "-o", "stripped").check(0)
    places_of = places(as_json(record("./stripped", output="stripped.pb.gz")))
    files = {file for name, file, _, _ in places_of if name.startswith("work")}
    assert len(files) == 2 and all(re.fullmatch(r"0x[0-9a-f]+|(one|two)\.c", file) for file in files), files
    for runs in ((full, plain), (plain, full)):
        text = sprof("diff", "--weight", "user", "--full", *runs).check(0).text()
        assert len(re.findall(r" work[.\w]*  \w+\.c(:\d+)?$", text, re.MULTILINE)) == 2, text


def test_a_function_has_lines_of_several_files():
    """Its lines are in the file that it includes, whatever reads them; a profile that is written again
    has them, too."""
    path = record(build("several"))
    lines = {(file.rsplit("/", 1)[1], line) for name, own, file, line in places(as_json(path))
             if name == "work" and own.endswith("two.c")}
    assert ("body.h", 2) in lines and all(file == "body.h" or line > 20 for file, line in lines), lines
    sprof("report", path, "-o", "again.pb.gz").check(0)
    assert places(as_json("again.pb.gz")) == places(as_json(path))
    text = sprof("report", path, "--full", "--by", "srcline").check(0).text()
    assert re.search(r"body\.h:2$", text, re.MULTILINE), text
    text = sprof("report", path, "-f", "callgrind").check(0).text()
    assert re.search(r"^fi=\(\d+\) \S+body\.h$", text, re.MULTILINE), text


def test_annotate_takes_the_source_file():
    path = record(build("annotated"))
    result = sprof("annotate", "work", path).check(64)
    assert "'work@one.c'" in result.err and "'work@two.c'" in result.err, result.err
    text = sprof("annotate", "work@two.c", path).check(0).text()
    assert re.search(r"body\.h: work\n.*(\n.*)*sum \+= i \^ 3;", text), text


def functions_of(path, module="two"):
    """The program's functions that samples lead through: a list, for one may be there twice."""
    report = as_json(path)
    return sorted(function["name"] for function in report["functions"]
                  if function["module"] is not None and
                  report["modules"][function["module"]]["path"].endswith(module))


def test_two_builds_are_one_program():
    """Builds that differ in everything but their source: no function is there twice."""
    first = record(build("two"), output="first.pb.gz")
    os.mkdir("other")
    os.chdir("other")
    second = os.path.abspath(record(build("two", "-O3", "-fno-inline", "-DOTHER"), output="second.pb.gz"))
    os.chdir("..")
    third = record(build("two", "-Wl,--build-id=none"), output="third.pb.gz")
    for paths in ((first, second), (second, third), (first, second, third)):
        sprof("merge", *paths, "-o", "merged.pb.gz").check(0)
        for again in ("merged.pb.gz", "twice.pb.gz"):
            names = functions_of(again)
            assert names.count("work") == 2 and names.count("main") == 1, (paths, again, names)
            sprof("merge", again, "-o", "twice.pb.gz").check(0)
    text = sprof("diff", first, second, "--shares", "--full").check(0).text()
    for name, count in (("main", 1), ("work", 2), ("parse_file", 1)):
        rows = re.findall(rf"^.* {name}(?:  \S+)?$", text, re.MULTILINE)
        assert len(rows) == count, text


def test_a_function_that_moves_has_lines_of_both_files():
    """One file in two folders is one; a line of another file stays there."""
    def record_at(file, output):
        files = {file: WORK.replace("static ", "") + "void parse_file(void) { work(9000); sum++; }\n",
                 "rest.c": "void work(unsigned long); void write_file(void) { work(9000); }\n", "main.c": MAIN}
        return record(build("moved", files=files), output=output)

    os.mkdir("folder")
    paths = [record_at("old.c", "old.pb.gz"), record_at("new.c", "new.pb.gz"),
             record_at("folder/old.c", "folder.pb.gz")]
    sprof("merge", *paths, "-o", "merged.pb.gz").check(0)
    found = places(as_json("merged.pb.gz"))
    files = {file.rsplit("/", 1)[1] for name, _, file, line in found if name == "work" and line}
    assert files == {"old.c", "new.c"} and functions_of("merged.pb.gz", "").count("work") == 1, found
    assert not any("folder/" in file for name, _, file, _ in found if name == "work"), found


def test_link_time_optimization_keeps_paths():
    """What is said of a function in another unit has that unit's folder."""
    os.mkdir("folder")
    files = {"folder/one.c": WORK + "void parse_file(void) { work(9000); sum++; }\n",
             "folder/two.c": WORK.replace("i * i", "i ^ 5") + "void write_file(void) { work(9000); sum++; }\n", "main.c": MAIN}
    found = places(as_json(record(build("lto", "-flto", files=files))))
    files = {(own, file) for name, own, file, _ in found if name == "work"}
    assert len(files) == 2 and all(own == file and own.startswith("/") for own, file in files), files


def test_a_difference_is_answered():
    """The function that works four times as much is in the first line, and in the page's title."""
    before = record(build("slower"), output="before.pb.gz")
    after = record(build("slower", files={
        "one.c": WORK + "void parse_file(void) { for (int i = 0; i < 4; i++) work(9000); sum++; }\n",
        "two.c": "void write_file(void) { }\n", "main.c": MAIN}), output="after.pb.gz")
    runs = ((before, after), (before, before, before, before, "--", after, after, after, after))
    for weight, words in ((weight, words) for weight in ("user", "wall") for words in runs):
        first, whole, *rest = sprof("diff", "--weight", weight, *words).check(0).text().splitlines()
        assert re.fullmatch(r"work: .* more, .* before, .* now, \d\.\d\d x", first), first
        assert whole.startswith(f"in all, by {weight}: "), whole
        assert any(re.search(r"work(  two\.c:\d+)? \(gone\)$", line) for line in rest), rest
        assert ("median of 4 runs" in whole) == (len(words) > 2), whole
    sprof("diff", before, after, "--weight", "user", "-o", "page.html").check(0)
    with open("page.html", encoding="utf-8") as file:
        assert '"change":"work: ' in file.read()
    folded = sprof("diff", before, after, "-t", "-f", "folded").check(0).text()
    assert re.search(r"^slower;_start;.*;work \d+ \d+$", folded, re.MULTILINE), folded


STATIC = """
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) long print(long count)
{
    char text[64];
    long sum = 0;
    for (long i = 0; i < count; i++)
        sum += snprintf(text, sizeof(text), "%ld %.12g", i, (double)i / 7);
    return sum;
}
int main(int argc, char **argv) { return print(atol(argv[1])) == 0; }
"""


def test_a_static_libc_is_no_own_code():
    """Its functions have no source file, unlike the program's: their time is the caller's."""
    write("static.c", STATIC)
    run(tool("gcc"), "-O1", "-g", "-static", "static.c", "-o", "static").check(0)
    paths = [record("./static", count, output=f"{count}.pb.gz") for count in ("150000", "600000")]
    first, *rest = sprof("diff", "--weight", "user", *paths).check(0).text().splitlines()
    assert first.startswith("print: "), first
    assert not [line for line in rest if "printf" in line], rest


NESTED = """
#include <stdlib.h>
static volatile unsigned long sink;
__attribute__((noinline)) void parse(long n) { for (long i = 0; i < n; i++) sink += i; }
#ifdef EXTRA
__attribute__((noinline)) void extra(long n) { parse(n); sink++; }
#else
#define extra parse
#endif
__attribute__((noinline)) void work(long n) { extra(n); sink++; }
int main(int count, char **words) { work(atol(words[count - 1])); return 0; }
"""


def test_debug_information_of_one_side():
    """Own code of one side stays own if only the other one has source files."""
    write("nested.c", NESTED)
    run(tool("gcc"), "-O1", "nested.c", "-o", "plain").check(0)
    run(tool("gcc"), "-O1", "-g", "-DEXTRA", "nested.c", "-o", "documented").check(0)
    paths = [record(program, count, output=f"{count}.pb.gz")
             for program, count in (("./plain", "100000000"), ("./documented", "400000000"))]
    first = sprof("diff", "--weight", "user", *paths).check(0).text().splitlines()[0]
    assert first.startswith("parse: "), first


PART = "extern volatile unsigned long sum; volatile unsigned long sum;\n" + \
       "void work(long n) { for (long i = 0; i < n; i++) sum += i; }\n"
LOADER = """
#include <dlfcn.h>
#include <stdlib.h>
int main(int count, char **words)
{
    for (int i = 2; i < count; i++) {
        void *library = dlopen(words[i], RTLD_NOW | RTLD_LOCAL);
        void (*work)(long) = (void (*)(long))dlsym(library, "work");
        work(atol(words[1]) * (i - 1));
    }
    return 0;
}
"""


def test_libraries_of_one_name():
    """Two of one name stay two, in whichever order they are loaded, and the rows say which is which."""
    write("part.c", PART)
    write("loader.c", LOADER)
    run(tool("gcc"), "-O1", "loader.c", "-o", "loader", "-ldl").check(0)
    libraries = [os.path.abspath(f"{folder}/lib/libpart.so") for folder in ("one", "two")]
    for library in libraries:
        os.makedirs(os.path.dirname(library))
        run(tool("gcc"), "-O1", "-g", "-shared", "-fPIC", "part.c", "-o", library).check(0)
    before = record("./loader", "300000000", *libraries, output="before.pb.gz")
    after = record("./loader", "300000000", *reversed(libraries), output="after.pb.gz")
    text = sprof("diff", "--weight", "user", "--full", before, after).check(0).text()
    for folder, sign in (("one", "+"), ("two", "-")):
        assert len(re.findall(rf"^[ ~] +[{sign}].* work  {folder}/lib/libpart\.so$", text, re.MULTILINE)) == 1, text


RUST = """
use std::env::args;
use std::ops::{Add, Mul};
struct Pair<T>(T, T);
impl<T: Copy + Add<Output = T> + Mul<Output = T>> Pair<T> {
    #[inline(never)]
    fn mix(&self, turns: u64) -> T { let mut sum = self.0; for _ in 0..turns { sum = sum * self.1 + self.0; } sum }
}
#[inline(never)]
fn fold<T: Copy + Add<Output = T> + Mul<Output = T>>(start: T, turns: u64) -> T {
    let mut sum = start; for _ in 0..turns { sum = sum * start + start; } sum
}
fn main() {
    let turns: u64 = args().nth(1).unwrap().parse().unwrap();
    println!("{} {} {} {}", fold(0.25f32, 4 * turns), fold(0.75f64, turns), Pair(0.5f32, 0.25).mix(turns),
             Pair(0.5f64, 0.125).mix(turns));
}
"""


@others
def test_instances_of_rust():
    """
    Each instance of a generic function is one row of its own, with debug information or without it. Without a common hash or
    the types of both sides, all instances are one row.
    """
    write("generic.rs", RUST)
    for name, *flags in (("plain",), ("full", "-g"), ("other", "-g", "-C", "metadata=other")):
        run(tool("rustc"), "-O", *flags, "--crate-name", "generic", "generic.rs", "-o", name).check(0)
        record(f"./{name}", "20000000", output=f"{name}.pb.gz")
    for count, *runs in ((4, "plain", "full"), (4, "full", "other"), (4, "other", "full"), (2, "plain", "other"), (2, "other", "plain")):
        text = sprof("diff", "--weight", "user", "--full", *(f"{run}.pb.gz" for run in runs)).check(0).text()
        rows = [line for line in text.splitlines() if re.search(r" generic::.*(fold|mix)", line)]
        assert len(rows) == count and not any(line.endswith(("(new)", "(gone)")) for line in rows), (runs, text)


POOL = """
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int left, over, ends[2];
static char kind;
static void spin(long us)
{
    struct timespec from, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - from.tv_sec) * 1000000 + (now.tv_nsec - from.tv_nsec) / 1000 < us);
}
__attribute__((noinline)) void parse(void) { spin(400); left += 0; }
__attribute__((noinline)) void count(void) { spin(200); left += 0; }
__attribute__((noinline)) int take(void)
{
    char item = 0;
    if (kind == 'p')
        return read(ends[0], &item, 1) == 1 && item;
    if (kind == 's')
        sem_wait(&semaphore);
    pthread_mutex_lock(&lock);
    while (kind == 'c' && !left && !over)
        pthread_cond_wait(&more, &lock);
    int got = left > 0;
    left -= got;
    if (got)
        count();
    pthread_mutex_unlock(&lock);
    return got;
}
__attribute__((noinline)) void give(int last)
{
    char item = !last;
    pthread_mutex_lock(&lock);
    left += !last;
    over = last;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
    sem_post(&semaphore);
    if (kind == 'p' && write(ends[1], &item, 1) != 1)
        abort();
}
static void *work(void *data) { while (take()) parse(); return data; }
static void *tick(void *data) { for (;;) usleep(20000); return data; }
int main(int argc, char **argv)
{
    pthread_t workers[4], ticker;
    kind = argv[1][0];
    if (pipe(ends) || sem_init(&semaphore, 0, 0))
        return 1;
    pthread_create(&ticker, NULL, tick, NULL);
    for (int i = 0; i < 4; i++)
        pthread_create(&workers[i], NULL, work, NULL);
    for (int i = 0; i < 500; i++) {
        count();
        give(0);
    }
    for (int i = 0; i < 4; i++)
        give(1);
    pthread_cond_broadcast(&more);
    for (int i = 0; i < 4; i++)
        pthread_join(workers[i], NULL);
}
"""


# Instances of one generic function: with types in the name (v0), and without (legacy).
TYPED = [(f"m::f::<{name}>", f"_RINvCs0_1m1f{code}E") for name, code in (("u8", "h"), ("u64", "y"))]
BARE = [("m::f", f"_ZN1m1f17h{number}123456789abcdefE") for number in range(3)]


def test_the_order_of_files_changes_nothing():
    """What a later file can't tell apart is one row, under one name, whichever file is named first."""
    files = [made.instances("one.pb.gz", "11", BARE[:2], 10), made.instances("two.pb.gz", "22", TYPED, 20),
             made.instances("three.pb.gz", "11", BARE[1:], 30)]
    other = made.instances("other.pb.gz", "22", TYPED[:1], 40)

    def shown(*words):
        return sprof(*words).check(0).text()

    for command in (("report", "-f", "text"), ("report", "-f", "folded"), ("report", "-f", "json"), ("merge", "-f", "json", "-o", "-")):
        assert len({shown(*command, *order) for order in itertools.permutations(files)}) == 1, command
    for form in ("text", "folded"):
        for sides in (lambda order: (*order, "--", other), lambda order: (other, "--", *order)):
            answers = {shown("diff", "--absolute", "-f", form, *sides(order)) for order in itertools.permutations(files)}
            assert len(answers) == 1, (form, answers)
    started = [made.instances("started.pb.gz", "11", BARE[:2], 10, start=1), made.instances("later.pb.gz", "22", TYPED, 20, start=2)]
    (row,) = {line.split(" ")[0] for line in shown("diff", "--absolute", "-f", "folded", *started[::-1], "--", other).splitlines()}
    assert row == "m::f", row
    gate = ("diff", "--fail-if", "user(m::f) > +900%")
    assert len({shown(*gate, *order, *order, "--", *order, *order) for order in itertools.permutations(files)}) == 1


def test_the_order_of_files_that_differ_in_little():
    """They have no time; only a thread, or the order of their stacks, is another."""
    rows = [made.row(made.Thread(100, "made", 101, "worker"), "user", names, 10, user=100)
            for names in (("main", "walk", "parse"), ("walk", "main", "parse"))]
    pairs = [[made.instances(f"{name}.pb.gz", "11", BARE[:1], 10, thread=name) for name in ("reader", "writer")]]
    pairs.append([made.write(f"{i}.pb.gz", made.Model(order, [rows[0].thread])) for i, order in enumerate((rows, rows[::-1]))])
    for pair in pairs:
        answers = {sprof("merge", "-f", "json", "-o", "-", *order).check(0).text() for order in (pair, pair[::-1])}
        assert len(answers) == 1, (pair, answers)


def test_the_order_of_runs_is_that_of_their_starts():
    """Whichever of them come from a pipe, which can be read only once."""
    files = [made.instances("first.pb.gz", "11", BARE[:2], 10, start=1), made.instances("second.pb.gz", "22", TYPED, 20, start=2),
             made.instances("same.pb.gz", "11", BARE[1:], 30, start=2)]
    answers = set()
    for order in itertools.permutations(files):
        answers.add(sprof("merge", "-f", "json", "-o", "-", *order).check(0).text())
        for piped in order:
            words = ["/dev/fd/0" if path == piped else path for path in order]
            for name in ("/dev/fd/0", "-"):
                merge = [SPROF, "merge", "-f", "json", "-o", "-", *(name if word == "/dev/fd/0" else word for word in words)]
                answers.add(run("sh", "-c", 'cat "$0" | "$@"', piped, *merge).check(0).text())
    assert len(answers) == 1, answers


PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_runs_are_merged_one_after_the_other():
    """Memory holds one of them beside the sum, however many there are."""
    require_plain_sprof("freed memory stays in use for a while")
    files = made.large_runs(100)

    def peak(count):
        return int(run(sys.executable, "-c", PEAK, SPROF, "merge", "-o", "sum.pb.gz", *files[:count]).check(0).text())

    few, many = peak(10), peak(100)
    assert many < few + 8 * 1024, (few, many)
    assert sum(row["values"]["samples"] for row in as_json("sum.pb.gz")["rows"]) == 150000


def test_a_program_is_like_itself():
    """Pools whose functions take fixed CPU time, while their waits are as long as the machine lets them be."""
    write("pool.c", POOL)
    run(tool("gcc"), "-O2", "-g", "-pthread", "pool.c", "-o", "pool").check(0)
    for kind in ("semaphore", "condition", "pipe"):
        paths = []
        for i in range(3):
            paths.append(f"{kind}{i}.pb.gz")
            sprof("run", "-q", "-o", paths[-1], "--", "./pool", kind).check(0)
        for before, after in zip(paths, paths[1:]):
            first, *rest = sprof("diff", before, after).check(0).text().splitlines()
            assert first.startswith("no function's CPU time has changed by more than chance; in all: "), (first, rest)
            assert any(re.match(r"only \d+ samples on a CPU: ", line) for line in rest), rest
            assert all(line[0] == "~" for line in rest if line.endswith(("take", "tick", "work)", "CPU)"))), rest


if __name__ == "__main__":
    main()
