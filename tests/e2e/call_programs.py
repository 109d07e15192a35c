"""
Random C programs that count their own calls. make(seed) returns the sources of one: a program and its plugin.

They have recursion, tail calls, callbacks of libc, longjmp, coroutines of makecontext, threads, forks, handlers of signals on
an alternate stack, loops that begin at a function's first instruction, and a plugin that is loaded again and again. A
program writes a line of each function to the file of its first argument: its calls, and how many of them returned.
"""

import random

FRAME = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define FUNCTION __attribute__((noipa)) void

/* Calls of all processes and threads. */
struct figures { long calls, returned; };
static struct figures *figures;

/* What runs on one stack: the calls that are open there. */
struct context {
    int open[100000], height, budget;
    jmp_buf *target;
    ucontext_t self, *resumer;
    int is_done, is_coroutine, seed, nested;
    unsigned first;
};
static __thread struct context *now;

static inline void add(long *figure) { __atomic_add_fetch(figure, 1, __ATOMIC_RELAXED); }
static inline void enter(int function) { add(&figures[function].calls); now->open[now->height++] = function; }
static inline void returned_to(int height) { while (now->height > height) add(&figures[now->open[--now->height]].returned); }
static inline unsigned mix(unsigned seed, unsigned with)
{
    seed = (seed ^ with) * 2654435761u;
    return seed ^ seed >> 15;
}
/* A caller sees which calls have returned: its callee's, and those of tail calls. */
#define CALL(call) do { int height_ = now->height; call; returned_to(height_); } while (0)
#define TRY(call) do { \
    struct context *const mine_ = now; jmp_buf buffer_, *const before_ = mine_->target; const int height_ = mine_->height; \
    mine_->target = &buffer_; \
    if (!_setjmp(buffer_)) { CALL(call); } else { mine_->height = height_; } \
    mine_->target = before_; } while (0)
#define THROW() do { if (now->target) longjmp(*now->target, 1); } while (0)
#define YIELD() do { struct context *const mine_ = now; if (mine_->is_coroutine) swapcontext(&mine_->self, mine_->resumer); } while (0)
#define STOP (depth <= 0 || --now->budget <= 0)

/* Its first instruction is in a loop. Its caller counts it, as it has no room for that. */
struct node { struct node *next; long value; };
__attribute__((noipa)) long loop_list(const struct node *node) { while (node->next) node = node->next; return node->value; }
__attribute__((noipa)) const char *loop_text(const char *text) { while (*text == ' ') text++; return text; }
static struct node nodes[5] = {{&nodes[1], 0}, {&nodes[2], 0}, {&nodes[3], 0}, {&nodes[4], 0}, {NULL, 5}};
static volatile long sink;
"""

TAIL = r"""
static void start(struct context *context, unsigned seed) { context->budget = BUDGET; context->first = seed; }

static void coroutine(void)
{
    struct context *const mine = now;

    CALL(functions[mine->first % COUNT](mine->first, 4));
    mine->is_done = 1;
    swapcontext(&mine->self, mine->resumer);
}

/* Some coroutines, each resumed in turn until its end. */
static void run_coroutines(unsigned seed, int count, size_t size)
{
    struct context *const mine = now, *coroutines[64];
    char *const room = malloc(size * (size_t)count);
    int running = count;
    ucontext_t here;

    for (int i = 0; i < count; i++) {
        struct context *one = coroutines[i] = calloc(1, sizeof(*one));

        start(one, mix(seed, (unsigned)i));
        one->budget = BUDGET / 8;
        one->is_coroutine = 1;
        one->resumer = &here;
        getcontext(&one->self);
        one->self.uc_stack.ss_sp = room + size * (size_t)i;
        one->self.uc_stack.ss_size = size;
        one->self.uc_link = NULL;
        makecontext(&one->self, coroutine, 0);
    }
    while (running) {
        for (int i = 0; i < count; i++) {
            const int at = SHUFFLED ? count - 1 - i : i;

            if (coroutines[at]->is_done)
                continue;
            now = coroutines[at];
            swapcontext(&here, &now->self);
            now = mine;
            running -= coroutines[at]->is_done;
        }
    }
    for (int i = 0; i < count; i++)
        free(coroutines[i]);
    free(room);
}

static void run_child(unsigned seed)
{
    const pid_t child = fork();
    int status;

    if (!child) {
        now->budget = BUDGET / 8;
        CALL(functions[seed % COUNT](seed, DEPTH));
        _exit(0);
    }
    while (waitpid(child, &status, 0) != child)
        ;
}

static void on_signal(int number)
{
    jmp_buf *const before = now->target;

    (void)number;
    now->target = NULL;
    if (now->nested++ == 0)
        CALL(functions[(unsigned)++now->seed % COUNT](mix(now->first, (unsigned)now->seed), 2));
    now->nested--;
    now->target = before;
}

static void run_plugin(unsigned seed, const char *path)
{
    void *const plugin = dlopen(path, RTLD_NOW);
    void (*const begin)(struct figures *) = plugin ? (void (*)(struct figures *))dlsym(plugin, "begin") : NULL;
    void (*const first)(unsigned, int) = plugin ? (void (*)(unsigned, int))dlsym(plugin, "plug_0") : NULL;

    if (!begin || !first)
        abort();
    begin(figures + COUNT + 2);
    first(seed, 6);
    dlclose(plugin);
}

static void run_all(unsigned seed)
{
    char room[SIGNAL_STACK];
    stack_t alternate = {.ss_sp = room, .ss_size = sizeof(room)}, none = {.ss_flags = SS_DISABLE};

    sigaltstack(&alternate, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        now->budget = BUDGET;
        CALL(functions[mix(seed, (unsigned)i) % COUNT](mix(seed, (unsigned)i), DEPTH));
    }
    MORE
    sigaltstack(&none, NULL);
}

static void *run_thread(void *data)
{
    now = calloc(1, sizeof(*now));
    start(now, (unsigned)(long)data);
    run_all(now->first);
    free(now);
    return NULL;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    pthread_t threads[THREADS + 1];
    FILE *file;

    if (argc < 3)
        return 2;
    figures = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGUSR1, &action, NULL);
    now = calloc(1, sizeof(*now));
    start(now, SEED);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run_thread, (void *)(long)mix(SEED, (unsigned)i + 77));
    run_all(SEED);
    for (int i = 0; i < PLUGINS; i++)
        run_plugin(mix(SEED, (unsigned)i), argv[2]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < CHILDREN; i++)
        run_child(mix(SEED, (unsigned)i + 99));
    file = fopen(argv[1], "w");
    for (int i = 0; i < COUNT + 2 + PLUG_COUNT; i++)
        fprintf(file, "%s %ld %ld\n", names[i], figures[i].calls, figures[i].returned);
    return fclose(file);
}
"""

PLUGIN = r"""
struct figures { long calls, returned; };
static struct figures *figures;
void begin(struct figures *to) { figures = to; }
static void add(long *figure) { __atomic_add_fetch(figure, 1, __ATOMIC_RELAXED); }
"""


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        self.count = self.random.randint(3, 12)
        self.has = {what: self.random.random() < share for what, share in
                    {"longjmp": 0.6, "coroutines": 0.5, "threads": 0.5, "forks": 0.3, "plugin": 0.4, "signals": 0.3}.items()}
        self.tails = self.random.random()

    def call(self):
        salt, function = self.random.randrange(1000), self.random.randrange(self.count)
        if self.random.random() < 0.3:
            return f"functions[mix(seed, {salt}) % COUNT](mix(seed, {salt + 1}), depth - 1)"
        return f"fn_{function}(mix(seed, {salt}), depth - 1)"

    def statement(self):
        kinds = ["CALL({call});"] * 4 + [
            "if (mix(seed, {salt}) & 1) CALL({call});",
            "for (unsigned i = 0; i < mix(seed, {salt}) % 4; i++) {{ seed = mix(seed, i); CALL({call}); }}",
            "{{ int items[] = {{3, 1, 2, (int)(seed % 7)}}; qsort(items, 4, sizeof(*items), compare_{which}); sink += items[0]; }}",
            "{{ volatile char room[1 + seed % {size}]; room[0] = 1; CALL({call}); sink += room[0]; }}",
            "add(&figures[COUNT].calls); sink += loop_list(nodes); add(&figures[COUNT].returned);",
            "add(&figures[COUNT + 1].calls); sink += *loop_text(\"     x\"); add(&figures[COUNT + 1].returned);",
        ]
        if self.has["longjmp"]:
            kinds += ["TRY({call});"] * 3 + ["if (mix(seed, {salt}) % 4 == 0) THROW();"] * 2
        if self.has["coroutines"]:
            kinds += ["if (mix(seed, {salt}) & 1) YIELD();"] * 3
        if self.has["signals"]:
            kinds += ["if (!now->is_coroutine && mix(seed, {salt}) % 16 == 0) raise(SIGUSR1);"]
        return self.random.choice(kinds).format(call=self.call(), salt=self.random.randrange(1000),
                                               which=self.random.randrange(2), size=self.random.choice([16, 200]))

    def function(self, number):
        lines = [f"FUNCTION fn_{number}(unsigned seed, int depth)", "{", f"    enter({number});", "    if (STOP)", "        return;"]
        is_tail = self.random.random() < self.tails
        for _ in range(self.random.randint(0 if is_tail else 1, 4)):
            lines.append("    " + self.statement())
        if is_tail:
            others = [other for other in range(self.count) if other != number]
            lines.append(f"    fn_{self.random.choice(others)}(mix(seed, {self.random.randrange(1000)}), depth - 1);")
        return "\n".join([*lines, "}", ""])

    def comparison(self, number):
        return (f"static int compare_{number}(const void *one, const void *other)\n{{\n"
                "    const int *a = one, *b = other;\n    jmp_buf *const before = now->target;\n\n"
                "    if (now->nested++ == 0) {\n        now->seed++;\n        now->target = NULL;\n"
                f"        CALL(fn_{self.random.randrange(self.count)}(mix(now->first, (unsigned)now->seed), 2));\n"
                "    }\n    now->nested--;\n    now->target = before;\n    return (*a > *b) - (*a < *b);\n}\n")

    def plugin(self, count):
        lines = [PLUGIN]
        lines += [f"__attribute__((noipa)) void plug_{i}(unsigned seed, int depth);" for i in range(count)]
        for i in range(count):
            callee = self.random.randrange(count)
            lines.append(f"__attribute__((noipa)) void plug_{i}(unsigned seed, int depth)\n{{\n    add(&figures[{i}].calls);\n"
                         f"    for (unsigned i = 0; depth > 0 && i <= seed % 3; i++)\n"
                         f"        plug_{callee}(seed * 7 + i, depth - 1);\n    add(&figures[{i}].returned);\n}}")
        return "\n".join(lines) + "\n"

    def sources(self):
        plugs = self.random.randint(1, 4)
        more = []
        if self.has["coroutines"]:
            size = self.random.choice([20, 24, 32, 64, 256]) * 1024
            more.append(f"run_coroutines(seed, {self.random.choice([2, 5, 12, 40])}, {size});")
        names = [f"fn_{i}" for i in range(self.count)] + ["loop_list", "loop_text"] + [f"plug_{i}" for i in range(plugs)]
        values = {
            "COUNT": self.count, "PLUG_COUNT": plugs, "SEED": f"{self.random.randrange(1 << 31)}u",
            "DEPTH": self.random.choice([5, 8, 12]), "BUDGET": self.random.choice([60, 150, 400]),
            "ROUNDS": self.random.randint(1, 4), "THREADS": self.random.randint(1, 4) if self.has["threads"] else 0,
            "CHILDREN": self.random.randint(1, 3) if self.has["forks"] else 0,
            "PLUGINS": self.random.randint(1, 4) if self.has["plugin"] else 0, "SHUFFLED": self.random.randrange(2),
            "SIGNAL_STACK": self.random.choice([24, 40, 100]) * 1024, "MORE": " ".join(more),
        }
        parts = [FRAME, *(f"#define {name} {value}" for name, value in values.items())]
        parts += [f"FUNCTION fn_{i}(unsigned seed, int depth);" for i in range(self.count)]
        parts.append(f"static void (*const functions[])(unsigned, int) = {{{', '.join(names[:self.count])}}};")
        parts.append("static const char *const names[] = {%s};" % ", ".join(f'"{name}"' for name in names))
        parts += [self.comparison(i) for i in range(2)]
        parts += [self.function(i) for i in range(self.count)]
        return "\n".join(parts) + TAIL, self.plugin(plugs), self.random.choice(["-O0", "-O1", "-O2", "-O2", "-O3", "-Os"])


def make(seed):
    """(the program, its plugin, how to optimize them)"""
    return Maker(seed).sources()
