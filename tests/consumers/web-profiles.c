/*
 * Writes a profile as the page and the flame graph do, and beside it what the model says about it:
 *
 *     web-profiles KIND FOLDER [SEED [FORMAT...]]
 *
 * makes FOLDER/page.html, flame.svg and truth.json, which has the flat table of all threads
 * together and of each thread, by the functions of profile/views/view.h; stdout says how many ms each
 * format took. The kinds are in the table below. Other formats are FOLDER/out.FORMAT.
 */
#include "tests/consumers/web-profiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "output/format.h"
#include "profile/model/build.h"

void *web_check(const void *pointer)
{
	if (!pointer) {
		fputs("out of memory\n", stderr);
		exit(1);
	}
	return (void *)pointer;
}

void web_must(bool done)
{
	web_check(done ? "" : NULL);
}

static uint32_t module_of(struct sprof_profile *profile, const char *path)
{
	uint32_t module;

	web_must(sprof_build_module(profile, path, NULL, &module));
	return module;
}

uint32_t web_thread(struct sprof_profile *profile, pid_t pid, pid_t tid, const char *name)
{
	const struct sprof_build_thread thread = {.pid = pid,
		.tid = tid,
		.name = name,
		.process_name = pid == 100 ? "./one" : "./two -x"};
	uint32_t id;

	web_must(sprof_build_thread(profile, &thread, &id));
	return id;
}

/*
 * One word of a stack: NAME, NAME:LINE, NAME:LINE@MODULE; several joined by '<' are an inline
 * chain, innermost first.
 */
static struct sprof_profile_line line_of(struct sprof_profile *profile, const char *word)
{
	char name[256] = "", module[256] = "/opt/app/one";
	unsigned line = 0;
	struct sprof_profile_function function = {.name = name, .line = 10, .file = "src/one.c"};
	struct sprof_profile_line result = {0};

	sscanf(word, "%255[^:]:%u@%255s", name, &line, module);
	function.module = module_of(profile, module);
	/* A function has one file in all places, or none: other ones are other functions. */
	if (strcmp(module, "/opt/app/one") != 0)
		function.file = NULL;
	web_must(sprof_build_function(profile, &function, &result.function));
	result.line = line;
	result.kernel = name[0] == '[' && strcmp(module, "[kernel]") == 0;
	return result;
}

static uint32_t location_of(struct sprof_profile *profile, char *words)
{
	struct sprof_profile_line lines[8];
	struct sprof_frame frame = {0};
	size_t count = 0;
	uint32_t location;

	for (char *word; (word = strsep(&words, "<"));)
		lines[count++] = line_of(profile, word);
	for (size_t i = 0; i + 1 < count; i++)
		lines[i].mark = SPROF_MARK_INLINED;
	frame.module = profile->functions[lines[0].function].module;
	frame.offset = lines[0].line;
	web_must(sprof_build_location(profile, &frame, lines, count, &location));
	return location;
}

/* Frames are separated by '|', the outermost is first. */
uint32_t web_stack(struct sprof_profile *profile, const char *text)
{
	SPROF_AUTO_FREE char *copy = web_check(strdup(text));
	uint32_t stack = SPROF_PROFILE_ROOT;

	for (char *rest = copy, *words; (words = strsep(&rest, "|"));)
		web_must(sprof_profile_push(profile, stack, location_of(profile, words), &stack));
	return stack;
}

static void add_row(struct sprof_profile *profile, uint32_t thread, uint32_t stack,
	const struct sprof_metrics *metrics)
{
	const struct sprof_profile_context context = {.state = SPROF_STATE_COUNT};
	struct sprof_profile_row row = {.thread = thread, .stack = stack, .metrics = *metrics};

	web_must(sprof_build_context(profile, &context, &row.context));
	web_must(sprof_build_row(profile, &row, NULL));
}

static void add(struct sprof_profile *profile, uint32_t thread, const char *stack, uint64_t samples,
	struct sprof_times times)
{
	const struct sprof_metrics metrics = {.samples = samples, .times = times};

	add_row(profile, thread, web_stack(profile, stack), &metrics);
}

static void add_wait(struct sprof_profile *profile, uint32_t thread, const char *stack, uint64_t ns,
	const struct sprof_profile_context *context)
{
	struct sprof_profile_row row = {.thread = thread, .stack = web_stack(profile, stack)};

	row.metrics.samples = ns / MS;
	row.metrics.times.ns[SPROF_TIME_SLEEP] = ns;
	web_must(sprof_build_context(profile, context, &row.context));
	web_must(sprof_build_row(profile, &row, NULL));
}

static void make_worked(struct sprof_profile *profile, unsigned seed)
{
	static const struct {
		const char *stack;
		uint64_t samples;
	} stacks[] = {
		{"main", 1}, {"main|a", 2}, {"main|a|b", 4}, {"main|a|b|c", 8}, {"main|a|c", 2}};
	uint32_t thread = web_thread(profile, 100, 101, "worked");

	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++)
		add(profile, thread, stacks[i].stack, stacks[i].samples,
			(struct sprof_times){{stacks[i].samples * MS}});
}

/* Recursion, mutual recursion, inlining, lines, several modules, two processes, five threads, time
 * without a sample, locks, and weights beyond what a double can hold to the digit. */
static void make_mixed(struct sprof_profile *profile, unsigned seed)
{
	const struct sprof_profile_context held = {.state = SPROF_STATE_SLEEP,
		.syscall = "futex",
		.object = "mutex cache_lock",
		.holder = "writer (102)"};
	const struct sprof_profile_context pipe = {
		.state = SPROF_STATE_SLEEP, .syscall = "read", .object = "pipe:[4711]"};
	uint32_t main_thread = web_thread(profile, 100, 100, "main");
	uint32_t writer = web_thread(profile, 100, 102, "writer");
	uint32_t reader = web_thread(profile, 100, 103, "reader");
	uint32_t other = web_thread(profile, 200, 200, "other");
	uint32_t last = web_thread(profile, 200, 201, "main");

	add(profile, main_thread, "main:12|f:20|f:20|f:21|leaf:33", 70,
		(struct sprof_times){{70 * MS, 3, 5}});
	add(profile, main_thread, "main:12|f:20|f:21|leaf:34", 7,
		(struct sprof_times){{7 * MS, 1, 0}});
	add(profile, main_thread, "main:13|ping:40|pong:50|ping:41|pong:51", 9,
		(struct sprof_times){{0, 9 * MS}});
	add(profile, writer, "start:1@/lib/libc.so.6|inner:61<middle:62<outer:63|leaf:33", 11,
		(struct sprof_times){{11 * MS, 0, 2 * MS}});
	add(profile, writer,
		"start:1@/lib/libc.so.6|outer:63|write:0@/lib/libc.so.6|vfs_write:0@[kernel]", 5,
		(struct sprof_times){{0, 5 * MS}});
	add_wait(profile, reader, "start:1@/lib/libc.so.6|get:70|lock:0@/lib/libc.so.6", 40 * MS,
		&held);
	add_wait(profile, reader, "start:1@/lib/libc.so.6|get:71|lock:0@/lib/libc.so.6", 20 * MS,
		&held);
	add_wait(profile, reader, "start:1@/lib/libc.so.6|get:72|read:0@/lib/libc.so.6", 10 * MS,
		&pipe);
	add_wait(profile, other, "main:12@/opt/app/two|lock:0@/lib/libc.so.6", 30 * MS, &held);
	add(profile, other, "main:12@/opt/app/two", 100000,
		(struct sprof_times){{9007199254740993, 0, 0, 7}});
	add(profile, last, "[unsampled]:0@", 0, (struct sprof_times){{123, 456}});
}

/* A server: one thread computes and waits for a lock, six wait for connections. */
static void make_idle(struct sprof_profile *profile, unsigned seed)
{
	const struct sprof_profile_context held = {.state = SPROF_STATE_SLEEP,
		.syscall = "futex",
		.object = "mutex cache_lock",
		.holder = "writer (102)",
		.kind = SPROF_WAIT_KIND_LOCK};
	const struct sprof_profile_context connection = {.state = SPROF_STATE_SLEEP,
		.syscall = "accept4",
		.object = "127.0.0.1:80 listening",
		.kind = SPROF_WAIT_KIND_IO};
	uint32_t worker = web_thread(profile, 100, 100, "worker");
	char stack[128];

	add(profile, worker, "main:1|work:2", 60, (struct sprof_times){{60 * MS}});
	add_wait(profile, worker, "main:1|work:2|lock:0@/lib/libc.so.6|[futex]:0@[kernel]", 40 * MS,
		&held);
	for (int i = 0; i < 6; i++) {
		snprintf(stack, sizeof(stack),
			"start:1@/lib/libc.so.6|serve_%d:7|accept4:0@/lib/libc.so.6|"
			"[accept4]:0@[kernel]",
			i);
		add_wait(profile, web_thread(profile, 100, 101 + i, "listener"), stack, 100 * MS,
			&connection);
	}
}

/* A ms of waiting for something of that name, in a system call and held by a thread of that name. */
static void wait_for(
	struct sprof_profile *profile, uint32_t thread, uint32_t stack, const char *name)
{
	const struct sprof_profile_context context = {
		.state = SPROF_STATE_SLEEP, .syscall = name, .object = name, .holder = name};
	struct sprof_profile_row row = {.thread = thread, .stack = stack};

	row.metrics.samples = 1;
	row.metrics.times.ns[SPROF_TIME_SLEEP] = MS;
	web_must(sprof_build_context(profile, &context, &row.context));
	web_must(sprof_build_row(profile, &row, NULL));
}

static void make_hostile(struct sprof_profile *profile, unsigned seed)
{
	static const char *const names[] = {"<script>window.hacked=1</script>",
		"</script><img src=x onerror=window.hacked=2>",
		"\"quotes\" & 'apostrophes' \\back\\", "<!--", "]]>", "&lt;b&gt;",
		"tab\there\x01\x1b[31m\x7f", "bad\xff\xc0\xaf utf8",
		"\xe2\x80\xae"
		"rtl mark",
		"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", "\xef\xbf\xbf nonchar",
		"javascript"
		";alert(1)",
		"__proto__", "constructor", "${window.hacked=3}", "", "\xe2\x80\xa8line"};
	uint32_t thread = web_thread(profile, 100, 101, "<b>thread</b>\x1b");
	uint32_t stack = SPROF_PROFILE_ROOT, location;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct sprof_metrics metrics = {.samples = 1, .times = {{(i + 1) * MS}}};
		struct sprof_profile_function function = {.name = names[i],
			.file = names[i],
			.line = 3,
			.module = module_of(profile, names[(i + 1) % 17])};
		struct sprof_profile_line line = {.line = 5};
		struct sprof_frame frame = {.offset = i};

		web_must(sprof_build_function(profile, &function, &line.function));
		web_must(sprof_build_location(profile, &frame, &line, 1, &location));
		web_must(sprof_profile_push(
			profile, i % 6 ? stack : SPROF_PROFILE_ROOT, location, &stack));
		add_row(profile, thread, stack, &metrics);
		wait_for(profile, thread, stack, names[i]);
	}
	for (uint32_t i = 0; i < profile->row_count; i++)
		web_span(profile, i, i * (uint64_t)MS, 1);
	web_must(sprof_profile_describe(profile, "./x \"<script>window.hacked=4</script>\"", 0));
}

unsigned web_random(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 12) % below;
}

void web_random_stack(char *text, size_t size, unsigned *seed, unsigned depth, unsigned functions,
	unsigned modules)
{
	size_t used = 0;

	for (unsigned i = 0; i < depth; i++)
		used += (size_t)snprintf(text + used, size - used, "%sf%u:%u@/lib/m%u",
			i ? "|" : "", web_random(seed, functions), web_random(seed, 3),
			web_random(seed, modules));
}

static void make_random(struct sprof_profile *profile, unsigned seed)
{
	uint32_t threads[4];
	bool steals = seed % 2;
	char stack[4096];

	for (unsigned i = 0; i < 4; i++)
		threads[i] = web_thread(profile, 100 + (pid_t)i / 2, 100 + (pid_t)i, "t");
	for (unsigned i = 0; i < 300; i++) {
		struct sprof_times times = {{web_random(&seed, 5) * MS, web_random(&seed, 1000),
			web_random(&seed, 7), web_random(&seed, MS)}};

		times.ns[SPROF_TIME_STOLEN] = steals ? web_random(&seed, 3) * MS : 0;
		web_random_stack(stack, sizeof(stack), &seed, 1 + web_random(&seed, 9), 12, 2);
		add(profile, threads[web_random(&seed, 4)], stack, web_random(&seed, 50), times);
	}
}

/* 50,000 different stacks of 20 to 39 frames that part from each other as those of a program do,
 * 20 samples each, on eight threads, of which hardly two in a row are the same. */
static void make_large(struct sprof_profile *profile, unsigned seed)
{
	enum { DEPTH = 40, STACKS = 50000 };
	uint32_t threads[8], path[DEPTH] = {0};
	char word[128];

	for (unsigned i = 0; i < 8; i++)
		threads[i] = web_thread(profile, 100, 100 + (pid_t)i, "worker");
	for (unsigned i = 0; i < STACKS; i++) {
		unsigned depth = 20 + web_random(&seed, DEPTH - 20),
			 from = web_random(&seed, depth);
		struct sprof_metrics metrics = {
			.samples = 20, .times = {{20 * MS + web_random(&seed, MS)}}};

		metrics.times.ns[SPROF_TIME_SLEEP] =
			web_random(&seed, 4) ? 0 : web_random(&seed, 90 * MS);
		for (unsigned k = from; k < depth; k++) {
			unsigned function = k * 50 + web_random(&seed, k < 8 ? 2 : 50);

			snprintf(word, sizeof(word),
				"worker_stage_%u_handle_request(int, char "
				"const*):%u@/lib/libwork%u.so",
				function, 100 + web_random(&seed, 4), k / 8);
			web_must(sprof_profile_push(profile, k ? path[k - 1] : SPROF_PROFILE_ROOT,
				location_of(profile, word), &path[k]));
		}
		add_row(profile, threads[web_random(&seed, 8)], path[depth - 1], &metrics);
	}
	web_scatter(profile, &seed);
}

/* The first thread is what the second is compared with. */
static void make_difference(struct sprof_profile *profile, unsigned seed)
{
	uint32_t before = web_thread(profile, 100, 101, "before");
	uint32_t now = web_thread(profile, 100, 102, "now");

	add(profile, before, "main:1|same:2", 10, (struct sprof_times){{10 * MS}});
	add(profile, before, "main:1|slow:3", 50, (struct sprof_times){{50 * MS}});
	add(profile, before, "main:1|gone:4", 5, (struct sprof_times){{5 * MS}});
	add(profile, now, "main:1|same:2", 10, (struct sprof_times){{10 * MS}});
	add(profile, now, "main:1|slow:3", 20, (struct sprof_times){{20 * MS}});
	add(profile, now, "main:1|new:5", 30, (struct sprof_times){{30 * MS}});
}

/* As if a heap profile of another tool had been read. */
static void make_foreign(struct sprof_profile *profile, unsigned seed)
{
	static const char *const stacks[] = {"main|parse|alloc", "main|alloc", "main|draw"};
	uint32_t thread = web_thread(profile, 100, 101, "");

	profile->kinds = (struct sprof_kinds){
		.further = {{.name = "alloc_space", .unit = "bytes"}},
		.further_count = 1,
		.shown = SPROF_WEIGHT_FURTHER,
	};
	for (size_t i = 0; i < 3; i++) {
		const uint64_t value = (i + 1) * 1024;
		struct sprof_profile_row row = {
			.thread = thread, .stack = web_stack(profile, stacks[i])};

		web_must(sprof_build_context(
			profile, &(struct sprof_profile_context){0}, &row.context));
		web_must(sprof_build_row(profile, &row, &value));
	}
}

static const struct kind {
	const char *name;
	void (*make)(struct sprof_profile *profile, unsigned seed);
	enum sprof_weight weight;
	uint32_t base_threads;
	bool absolute;
} kinds[] = {
	{"worked", make_worked, SPROF_WEIGHT_WALL},
	{"mixed", make_mixed, SPROF_WEIGHT_WALL},
	{"idle", make_idle, SPROF_WEIGHT_WALL},
	{"hostile", make_hostile, SPROF_WEIGHT_WALL},
	{"random", make_random, SPROF_WEIGHT_SAMPLES},
	{"timeline", web_make_timeline, SPROF_WEIGHT_WALL},
	{"large", make_large, SPROF_WEIGHT_WALL},
	{"difference", make_difference, SPROF_WEIGHT_WALL, 1, true},
	{"normalised", make_difference, SPROF_WEIGHT_WALL, 1},
	{"foreign", make_foreign, SPROF_WEIGHT_FURTHER},
};

static void write_format(const struct sprof_format *format, const struct sprof_profile *profile,
	const struct kind *kind, const char *folder, const char *name)
{
	struct sprof_output_options options = sprof_output_options_default();
	SPROF_AUTO_FREE char *path = NULL;
	struct sprof_error err;
	uint64_t start = sprof_clock_now_ns();
	struct sprof_out *out;

	options.weight = kind->weight;
	options.base_threads = kind->base_threads;
	options.absolute = kind->absolute;
	web_must(asprintf(&path, "%s/%s", folder, name) >= 0);
	web_must(sprof_out_open(path, &out, &err));
	web_must(format->write(profile, &options, out, &err));
	web_must(sprof_out_close(out, &err));
	printf("%s %.1f\n", name, (double)(sprof_clock_now_ns() - start) / MS);
}

static void write_other(const char *name, const struct sprof_profile *profile,
	const struct kind *kind, const char *folder)
{
	SPROF_AUTO_FREE char *file = NULL;

	web_must(asprintf(&file, "out.%s", name) >= 0);
	write_format(web_check(sprof_format_by_name(name)), profile, kind, folder, file);
}

static const struct kind *kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	}
	return web_check(NULL);
}

int main(int argc, char **argv)
{
	struct sprof_profile *profile = web_check(sprof_build_create());
	struct sprof_quality quality = {.target_pid = 100,
		.duration_ns = 3000000000,
		.rate_hz = 99,
		.ticks = 297,
		.samples_stopped = 1000,
		.frames = 1000,
		.stacks = {[SPROF_END_ROOT] = 1000}};
	const struct kind *kind;

	if (argc < 3)
		return 64;
	kind = kind_of(argv[1]);
	web_must(sprof_profile_describe(profile, "/opt/app/one --fast", 1700000000000000000));
	sprof_profile_set_quality(profile, &quality);
	kind->make(profile, argc > 3 ? (unsigned)atoi(argv[3]) : 1);
	web_write_truth(profile, argv[2]);
	write_format(&sprof_format_html, profile, kind, argv[2], "page.html");
	write_format(&sprof_format_svg, profile, kind, argv[2], "flame.svg");
	for (int i = 4; i < argc; i++)
		write_other(argv[i], profile, kind, argv[2]);
	sprof_profile_destroy(profile);
	return 0;
}
