"""
Programs with variables of many types, made by a seed. A program is a chain of functions with some variables each; the
innermost function says "ready" and stays, asleep or running. Some functions are inlined, some variables are static.
"""

import random

HEAD = r"""
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#include <wchar.h>
#define APART __attribute__((noinline, noclone))
struct point { int x, y; };
struct bits { int five : 5; unsigned three : 3; long wide : 40; _Bool yes : 1; signed char last : 2; };
struct packed { char first; long second; short third; } __attribute__((packed));
struct nested { struct point at; struct { short low, high; } halves; union { unsigned whole; float real; } either; const char *name; };
struct wide { long one, two, three, four, five, six, seven, eight, nine, ten; };
struct grid { char rows[2][3]; double cells[2]; struct point corners[2]; };
struct open_ended { int count; char data[]; };
union both { int number; float ratio; char bytes[4]; };
enum colour { RED, GREEN = 5, BLUE = 1000 };
enum sign { MINUS = -3, ZERO, PLUS };
enum flags { READ = 1, WRITE = 2, RUN = 4 };
typedef struct point place;
typedef const volatile int watched;
typedef int row[3];
typedef void (*callback)(int);
typedef int four __attribute__((vector_size(16)));
extern volatile long sum;
volatile long sum;
static APART void take(const volatile void *variable) { __asm__ volatile("" : : "r"(variable) : "memory"); }
static void called(int number) { sum += number; }
"""
CXX_HEAD = r"""
struct base { int in_base; base(int n) : in_base(n) {} int method(int n) { return n; } };
struct other { long in_other = 7; static int common; };
int other::common = 3;
struct derived : base, other { char own; derived(int n) : base(n), own('d') {} };
struct speaking { int said; speaking(int n) : said(n) {} virtual ~speaking() {} virtual int speak() { return said; } };
struct louder : speaking { long volume; louder(int n) : speaking(n), volume(n * 3L) {} int speak() override { return 2; } };
struct root { int top; root(int n) : top(n) {} };
struct left : virtual root { int in_left; left(int n) : root(n), in_left(n + 1) {} };
struct right : virtual root { int in_right; right(int n) : root(n), in_right(n + 2) {} };
struct diamond : left, right { int bottom; diamond(int n) : root(n), left(n), right(n), bottom(n + 3) {} };
enum class mood : short { CALM = -1, ANGRY = 300 };
template <typename T, int N> struct pair_of { T first; T rest[N]; };
namespace inner { struct hidden { bool yes; char16_t letter; char32_t sign; wchar_t wide; }; }
struct with_union { int kind; union { int number; float real; }; };
"""
SCALARS = {
    "char": "(char)('a' + n)", "signed char": "(signed char)(-n)", "unsigned char": "(unsigned char)(200 + n)",
    "short": "(short)(-300 * n)", "unsigned short": "(unsigned short)(60000 + n)", "int": "-7 * n", "unsigned": "4000000000u + n",
    "long": "-5000000000L * n", "unsigned long": "~0UL - n", "long long": "n * 1234567890123LL", "float": "n / 3.0f",
    "double": "n / 7.0", "long double": "n / 9.0L", "enum colour": "n % 2 ? GREEN : BLUE", "enum sign": "n % 2 ? MINUS : PLUS",
    "__int128": "((__int128)n << 100) + 5", "unsigned __int128": "~(unsigned __int128)n", "place *": "n % 2 ? (place *)&sum : NULL",
    "const char *": "n % 2 ? \"a text\" : \"another \\\"text\\\"\"", "callback": "n % 2 ? called : NULL", "void *": "(char *)0 + n * 16",
    "wchar_t": "(wchar_t)(L'w' + n)", "watched": "n + 77",
}
C_ONLY = {"_Bool": "n % 2", "enum flags": "(n % 2 ? READ : WRITE) | RUN"}
COMPLEX = {"_Complex float": "n + 1.5if", "_Complex double": "n / 3.0 - 2.25i", "_Complex int": "n + 3i"}
CXX_ONLY = {"bool": "n % 2", "mood": "n % 2 ? mood::CALM : mood::ANGRY", "char16_t": "(char16_t)(u'x' + n)",
            "char32_t": "(char32_t)(U'y' + n)", "decltype(nullptr)": "nullptr"}
# What is declared with a value that needs no cast, and lives in memory or in parts of it.
WHOLES = {
    "struct point NAME": "{n, n * 2}", "const struct point NAME": "{n + 1, -n}", "struct packed NAME": "{'p', n * 3L, (short)n}",
    "struct bits NAME": "{(n % 30) - 15, (unsigned)n % 8, n * -1000000000L, 1, -1}", "struct wide NAME": "{n, 2, 3, n * 4, 5, 6, 7, 8, n * 9, 10}",
    "struct nested NAME": "{{n, 2}, {(short)n, -4}, {(unsigned)n * 5}, \"nested\"}", "union both NAME": "{n * 1000}",
    "struct grid NAME": "{{\"ab\", \"cd\"}, {n / 2.0, 1e300}, {{n, 1}, {2, n}}}", "int NAME[3]": "{n, 2, 3}", "long NAME[12]": "{n, 1}",
    "int NAME[2][3]": "{{n, 2, 3}, {4, 5, n}}", "short NAME[2][2][2]": "{{{1, 2}, {3, (short)n}}, {{5, 6}, {7, 8}}}",
    "char NAME[16]": "\"text \\\"in\\\"\\n\"", "char NAME[2][4]": "{\"one\", \"two\"}", "row NAME[2]": "{{n, 1, 2}, {3, 4, 5}}",
    "place NAME[2]": "{{n, 1}, {2, 3}}", "unsigned char NAME[4]": "{1, 2, 255, (unsigned char)n}", "double NAME[2]": "{n / 3.0, -0.0}",
    "const char *NAME[2]": "{\"first\", NULL}", "enum colour NAME[2]": "{RED, BLUE}", "four NAME": "{n, 1, 2, 3}",
}
CXX_WHOLES = {
    "derived NAME": "(n)", "louder NAME": "(n)", "diamond NAME": "(n)", "pair_of<short, 2> NAME": "{1, {2, (short)n}}",
    "pair_of<pair_of<int, 1>, 1> NAME": "{{n, {2}}, {{3, {n}}}}", "inner::hidden NAME": "{true, u'h', U'i', L'j'}",
    "with_union NAME": "{n, {5}}", "int &NAME": "= *new int(n)", "const double &NAME": "= n / 3.0", "place &&NAME": "= place{n, 1}",
    "int base::*NAME": "= &base::in_base", "long other::*NAME": "= n % 2 ? &other::in_other : nullptr",
    "auto NAME": "= [n, m = n * 2L](int k) { return n + m + k; }", "speaking &NAME": "= *new louder(n)", "auto *NAME": "= new diamond(n)",
    "int (&NAME)[3]": "= *new int[1][3]{{n, 2, 3}}",
}


class Maker:
    def __init__(self, seed, language, compiler):
        self.random = random.Random(seed)
        self.is_cxx = language == "c++"
        self.scalars = {**SCALARS, **(CXX_ONLY if self.is_cxx else C_ONLY)}
        if not self.is_cxx:
            self.scalars.update({name: value for name, value in COMPLEX.items() if compiler == "gcc" or "int" not in name})
            if compiler == "gcc":
                self.scalars["_Float128"] = "n / 11.0"
        self.wholes = {**WHOLES, **(CXX_WHOLES if self.is_cxx else {})}

    def scalar(self, name):
        kind, value = self.random.choice(list(self.scalars.items()))
        return kind, f"{kind} {name} = {self.cast(kind, value)};"

    def cast(self, kind, value):
        return f"({kind})({value})" if self.is_cxx and kind != "watched" else value

    @staticmethod
    def use(kind, name):
        """Keeps it in a register if it fits into one."""
        large = ("_Complex", "128", "long double")
        return f"take(&{name});" if any(word in kind for word in large) else f'__asm__ volatile("" : : "rm"({name}));'

    def declared(self, name):
        """A variable, and what uses it after the call; or None."""
        choice = self.random.random()
        if choice < 0.06:
            kind = self.random.choice(["int", "struct point", "char", "long"])
            value = "{1, 2}" if "point" in kind else self.random.randrange(100)
            return f"static {kind} {name} = {value}; take(&{name});", f"take(&{name});"
        if choice < 0.09:
            return f"static __thread int {name} = 5; {name} += n;", f"sum += {name};"
        if choice < 0.12 and not self.is_cxx:
            return f"int {name}[n + 2]; for (int i = 0; i < n + 2; i++) {name}[i] = i + n; take({name});", f"take({name});"
        if choice < 0.14 and not self.is_cxx:
            return (f"short {name}[n + 1][2]; for (int i = 0; i < n + 1; i++) {name}[i][0] = {name}[i][1] = (short)(i - n); take({name});",
                    f"take({name});")
        if choice < 0.55:
            kind, text = self.scalar(name)
            use = self.random.choice([f"take(&{name});", self.use(kind, name), ""])
            return text, use
        kind, value = self.random.choice(list(self.wholes.items()))
        value = value if value[0] in "=(" and "n)" in value[:3] or value[0] == "=" else f"= {value}"
        use = self.random.choice([f"take(&{name});", f"take(&{name});", ""])
        return f"{kind.replace('NAME', name)} {value};", use if "&" not in kind else f"take(&{name});"

    def function(self, index, last):
        parameters = [(self.random.choice(list(self.scalars)), f"p{i}") for i in range(self.random.randrange(5))]
        variables = [self.declared(f"v{i}") for i in range(self.random.randrange(4, 9))]
        inner = [self.declared(f"w{i}") for i in range(self.random.randrange(1, 4))]
        list_of = ", ".join(["int n", *(f"{kind} {name}" for kind, name in parameters)])
        how = "static inline __attribute__((always_inline))" if self.random.random() < 0.25 else "APART"
        call = "stay();" if last else f"sum += f{index + 1}(n + 1{self.arguments});"
        self.arguments = "".join(f", {self.cast(kind, self.scalars[kind])}" for kind, name in parameters)
        uses = [self.use(kind, name) for kind, name in parameters if self.random.random() < 0.5]
        lines = [text for text, use in variables] + ["{", *(text for text, use in inner), call, *(use for text, use in inner), "}"]
        lines += [use for text, use in variables] + uses
        return f"{how} int f{index}({list_of})\n{{\n\t" + "\n\t".join(lines) + "\n\treturn n;\n}\n"


def make(seed, language="c", compiler="gcc", functions=8, asleep=True):
    maker = Maker(seed, language, compiler)
    maker.arguments = ""
    made = [maker.function(index, index == functions - 1) for index in reversed(range(functions))]
    wait = "for (;;) pause();" if asleep else "for (;;) __asm__ volatile(\"\" : : : \"memory\");"
    stay = f"static APART void stay(void)\n{{\n\tputs(\"ready\");\n\tfflush(stdout);\n\t{wait}\n}}\n"
    head = HEAD.replace("_Bool", "bool") + CXX_HEAD if maker.is_cxx else HEAD
    main = f"int main(int n, char **words)\n{{\n\tsum += f0(n{maker.arguments});\n\treturn 0;\n}}\n"
    return head + stay + "".join(made) + main
