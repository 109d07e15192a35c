/*
 * output/summary: it never has more lines or longer ones than there is room for, whatever names there are; what
 * it says of programs is known to profile/answer's tests.
 */
#include "output/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "output/fit.h"
#include "profile/model/build.h"
#include "tests/unit/check.h"
#include "tests/unit/output/written.h"
#include "tests/unit/profile/example.h"

static struct sprof_profile *make(size_t processes, const char *name)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_quality quality = {
		.duration_ns = 2 * SPROF_NS_PER_S, .rate_hz = 99, .ticks = 198};

	for (size_t i = 0; i < processes; i++) {
		struct sprof_build_thread thread = {
			.pid = (pid_t)i + 1, .tid = (pid_t)i + 1, .name = "t"};
		char command[64], folded[600];
		uint32_t id;

		snprintf(command, sizeof(command), "/bin/program-%zu with arguments", i);
		thread.process_name = command;
		assert_true(sprof_build_thread(profile, &thread, &id));
		for (int k = 0; k < 8; k++) {
			snprintf(folded, sizeof(folded), "main;%s_%d;%s_%d_leaf", name, k, name, k);
			example_add(profile, id, folded,
				&(struct sprof_metrics){.samples = 20,
					.times.ns = {[SPROF_TIME_USER] = 100 * SPROF_NS_PER_MS,
						[SPROF_TIME_SLEEP] = 100 * SPROF_NS_PER_MS}});
		}
	}
	quality.samples_stopped = 160 * processes;
	sprof_profile_set_quality(profile, &quality);
	return profile;
}

static void assert_fits(const char *text, size_t width, size_t height)
{
	SPROF_AUTO_FREE char *copy = strdup(text);
	size_t lines = 0;
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		if (!*line && !rest)
			break;
		lines++;
		if (sprof_fit_length(line) > width)
			fail_msg("%zu of %zu columns: %s", sprof_fit_length(line), width, line);
	}
	if (lines > height)
		fail_msg("%zu of %zu lines:\n%s", lines, height, text);
}

static void it_fits_any_terminal(void **state)
{
	static const char *const names[] = {"f",
		"std::vector<std::map<std::string, int, std::less<void>>>::operator()(unsigned long, char const*)",
		"\033[31mred\007;\xff\xfe", "日本語の名前"};
	static const struct {
		size_t width, height;
	} sizes[] = {{40, 20}, {80, 24}, {80, 25}, {132, 43}, {200, 50}, {80, 200}};

	for (size_t name = 0; name < sizeof(names) / sizeof(names[0]); name++) {
		for (size_t processes = 1; processes <= 9; processes += 4) {
			struct sprof_profile *profile = make(processes, names[name]);

			for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
				struct sprof_output_options options =
					sprof_output_options_default();
				SPROF_AUTO_FREE char *text = NULL;

				options.width = sizes[i].width;
				options.height = sizes[i].height;
				options.utf8 = true;
				options.whole_report = "sprof report";
				text = written_by(&sprof_format_summary, profile, &options);
				assert_fits(text, sizes[i].width, sizes[i].height - 1);
				assert_null(strstr(text, "\n           % "));
				assert_non_null(strstr(text, "sprof report"));
			}
			sprof_profile_destroy(profile);
		}
	}
}

/* "busy for 342.0 ms of 2.427 s, of that ..." */
static void lines_begin_with_no_unit(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_quality quality = {
		.duration_ns = UINT64_C(2427) * SPROF_NS_PER_MS, .samples_stopped = 34};

	example_add(profile, example_thread(profile, "t"), "main;work",
		&(struct sprof_metrics){
			.samples = 34, .times.ns = {[SPROF_TIME_USER] = 342 * SPROF_NS_PER_MS}});
	sprof_profile_set_quality(profile, &quality);
	for (size_t width = 40; width <= 120; width++) {
		struct sprof_output_options options = sprof_output_options_default();
		SPROF_AUTO_FREE char *text = NULL;

		options.width = width;
		text = written_by(&sprof_format_summary, profile, &options);
		assert_non_null(strstr(text, "busy for"));
		assert_null(strstr(text, "\n           ms"));
		assert_null(strstr(text, "\n           s,"));
	}
	sprof_profile_destroy(profile);
}

static void without_a_terminal_it_is_plain(void **state)
{
	struct sprof_profile *profile = make(1, "work");
	struct sprof_output_options options = sprof_output_options_default();
	SPROF_AUTO_FREE char *text = written_by(&sprof_format_summary, profile, &options);

	assert_non_null(strstr(text, "program-0 (1): 50 % "));
	assert_non_null(strstr(text, "time       ####"));
	assert_null(strchr(text, '\033'));
	for (const char *byte = text; *byte; byte++)
		assert_true((unsigned char)*byte < 128);
	sprof_profile_destroy(profile);
}

static void too_few_samples_tell_nothing(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_quality quality = {
		.duration_ns = SPROF_NS_PER_S / 50, .rate_hz = 99, .samples_stopped = 2};
	struct sprof_output_options options = sprof_output_options_default();
	SPROF_AUTO_FREE char *text = NULL;

	sprof_profile_set_quality(profile, &quality);
	text = written_by(&sprof_format_summary, profile, &options);
	assert_non_null(strstr(text, "2 samples in 20.0 ms show nothing; try --rate 999"));
	sprof_profile_destroy(profile);
}

static char *summary_of(struct sprof_profile *profile)
{
	struct sprof_output_options options = sprof_output_options_default();
	char *text;

	options.width = 160;
	options.whole_report = "sprof report";
	options.is_last = true;
	options.again = "-- ./program 80";
	text = written_by(&sprof_format_summary, profile, &options);
	sprof_profile_destroy(profile);
	return text;
}

static void assert_silent(const char *text, const char *words)
{
	if (strstr(text, words))
		fail_msg("%s in:\n%s", words, text);
}

static void assert_says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("no %s in:\n%s", words, text);
}

/* Samples of 10 ms each that one program computed in these functions. */
static char *sentence_of(const unsigned samples[2])
{
	static const char *const names[] = {"main;first", "main;second"};
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_quality quality = {
		.duration_ns = (samples[0] + samples[1]) * (10 * (uint64_t)SPROF_NS_PER_MS),
		.rate_hz = 99,
		.samples_stopped = samples[0] + samples[1]};
	const uint32_t thread = example_thread(profile, "a");

	for (int i = 0; i < 2; i++) {
		const struct sprof_metrics metrics = {.samples = samples[i],
			.times.ns[SPROF_TIME_USER] = samples[i] * (10 * (uint64_t)SPROF_NS_PER_MS)};

		if (samples[i])
			example_add(profile, thread, names[i], &metrics);
	}
	sprof_profile_set_quality(profile, &quality);
	return summary_of(profile);
}

static void a_function_is_named_if_another_run_would_name_it(void **state)
{
	SPROF_AUTO_FREE char *few = sentence_of((const unsigned[2]){4, 3});
	SPROF_AUTO_FREE char *one = sentence_of((const unsigned[2]){7, 0});
	SPROF_AUTO_FREE char *more = sentence_of((const unsigned[2]){24, 16});
	SPROF_AUTO_FREE char *many = sentence_of((const unsigned[2]){600, 400});

	assert_says(few,
		"100 % computing; 7 samples are too few to name a function: try -r 999, a larger input, "
		"or many runs in a loop\n");
	assert_says(one, "100 % computing, most in first\n");
	assert_says(more, "100 % computing, 60 % of that in first\n");
	assert_says(many, "100 % computing, most in first\n");
}

/* A profile of one program that starves: its function in libc, called from its own. */
static struct sprof_profile *make_starving(uint64_t samples, uint64_t others_ms)
{
	static const struct example_function compares[] = {{"main", "/home/me/app"},
		{"find_word", "/home/me/app", "/home/me/app.c", 17},
		{"__strcmp_evex", "/usr/lib/x86_64-linux-gnu/libc.so.6"}, {0}};
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_quality quality = {.duration_ns = SPROF_NS_PER_S,
		.rate_hz = 99,
		.samples_stopped = samples,
		.cpus = 2,
		.machine_cpu_ns = (400 + others_ms) * SPROF_NS_PER_MS};

	example_add_row(profile, example_thread(profile, "a"), example_stack_in(profile, compares),
		&(struct sprof_metrics){.samples = samples,
			.times.ns = {[SPROF_TIME_USER] = 400 * SPROF_NS_PER_MS,
				[SPROF_TIME_RUNQ] = 500 * SPROF_NS_PER_MS,
				[SPROF_TIME_STOLEN] = 100 * SPROF_NS_PER_MS}});
	sprof_profile_set_quality(profile, &quality);
	return profile;
}

static void a_persons_next_questions_are_answered(void **state)
{
	SPROF_AUTO_FREE char *few = summary_of(make_starving(13, 1500));
	SPROF_AUTO_FREE char *enough = summary_of(make_starving(500, 100));

	assert_says(few,
		"40 % computing, most in find_word (in __strcmp_evex)\n"
		"           50 % ready but without a CPU, other programs used 1.5 of 2 CPUs: on a free "
		"machine it is up to 2.0 times as fast\n");
	assert_says(few, "functions  100.0 %  cpu     find_word, in __strcmp_evex\n");
	assert_says(few,
		"legend     runq: ready but without a CPU; stolen: taken by the host, interrupts or "
		"sprof");
	assert_says(few, "only 13 samples: a share of 10 % may be off by 17 points; try -r 999");
	assert_says(few,
		"next       sprof annotate find_word    its lines, and what they call\n"
		"           sprof report    the whole report of this run, kept until the next one");
	assert_null(strstr(enough, "other programs"));
	assert_null(strstr(enough, "try -r"));
}

/* What is to be typed after a second of this class on a stack whose innermost function is in the kernel. */
static char *next_of(
	const struct example_function *functions, const char *kernel, enum sprof_time_class class)
{
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_quality quality = {
		.duration_ns = SPROF_NS_PER_S, .rate_hz = 99, .samples_stopped = 99};
	struct sprof_metrics metrics = {.samples = 99};
	const uint32_t thread = example_thread(profile, "a");
	uint32_t stack = example_stack_in(profile, functions), location;

	metrics.times.ns[class] = SPROF_NS_PER_S;
	if (kernel) {
		assert_true(sprof_profile_kernel_location(profile, kernel, &location));
		assert_true(sprof_profile_push(profile, stack, location, &stack));
	}
	example_add_row(profile, thread, stack, &metrics);
	sprof_profile_set_quality(profile, &quality);
	return summary_of(profile);
}

static void the_next_command_is_one_that_works(void **state)
{
	static const struct example_function parse[] = {{"main", "/bin/app", "/home/me/app.c", 5},
		{"app::parse(char const*)", "/bin/app", "/home/me/app.c", 9}, {0}};
	static const struct example_function twice[] = {
		{"open", "/lib/libparse.so", "/home/me/parse.c", 5},
		{"open", "/bin/app", "/home/me/app.c", 9}, {0}};
	static const struct example_function nowhere[] = {
		{"main", "/bin/app", "/home/me/app.c", 5}, {"inner", "/bin/app"}, {0}};
	static const struct example_function odd[] = {
		{"it's", "/bin/app", "/home/me/app.c", 5}, {0}};
	SPROF_AUTO_FREE char *quoted = next_of(parse, NULL, SPROF_TIME_USER);
	SPROF_AUTO_FREE char *module = next_of(twice, NULL, SPROF_TIME_USER);
	SPROF_AUTO_FREE char *sourceless = next_of(nowhere, NULL, SPROF_TIME_USER);
	SPROF_AUTO_FREE char *unquotable = next_of(odd, NULL, SPROF_TIME_USER);
	SPROF_AUTO_FREE char *reads = next_of(parse, "[read]", SPROF_TIME_SYS);
	SPROF_AUTO_FREE char *sleeps = next_of(parse, "[nanosleep]", SPROF_TIME_SLEEP);

	assert_says(quoted, "next       sprof annotate 'app::parse(char const*)'    its lines");
	assert_says(module, "next       sprof annotate open@app    its lines");
	assert_says(sourceless, "next       sprof report    ");
	assert_says(unquotable, "next       sprof report    ");
	assert_says(reads, "next       sprof syscalls -- ./program 80    how many calls");
	assert_silent(reads, "annotate");
	assert_says(sleeps, "next       sprof report    ");
}

/* A sample of a wait for that long; the holder was there. */
static void add_held(struct sprof_profile *profile, uint32_t thread, const char *holder,
	const char *place, uint64_t ms)
{
	const struct sprof_profile_context context = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_LOCK,
		.syscall = "futex",
		.object = "mutex cache+0",
		.holder = holder,
		.holder_function = place};
	struct sprof_profile_row row = {.thread = thread,
		.stack = example_stack(profile, "main;load"),
		.metrics = {.samples = 1, .times.ns[SPROF_TIME_SLEEP] = ms * SPROF_NS_PER_MS}};

	assert_true(sprof_build_context(profile, &context, &row.context));
	assert_true(sprof_build_row(profile, &row, NULL));
}

/* Once, a holder was seen somewhere else, and that wait was long: it had given the lock away before. */
static void a_rare_place_of_holders_is_not_named(void **state)
{
	for (int late = 0; late < 2; late++) {
		struct sprof_profile *profile = sprof_build_create();
		const uint32_t thread = example_thread(profile, "a");
		const struct sprof_quality quality = {
			.duration_ns = SPROF_NS_PER_S, .rate_hz = 99, .samples_stopped = 11};
		SPROF_AUTO_FREE char *text = NULL;

		for (int i = 0; i < 10; i++)
			add_held(profile, thread, "often (2)", "flush", 10);
		add_held(profile, thread, late ? "late (3)" : "often (2)", "elsewhere", 900);
		sprof_profile_set_quality(profile, &quality);
		text = summary_of(profile);
		assert_says(text,
			late ? "most on mutex cache in load, held by late (3)\n"
			     : "most on mutex cache in load, held by often (2) in flush\n");
		assert_says(text, "lock    mutex cache in load, held by");
	}
}

/* Two seconds of sleep, of which some were for reading a file. */
static void a_file_keeps_its_name(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_profile_context context = {.state = SPROF_STATE_DISK,
		.kind = SPROF_WAIT_KIND_IO,
		.syscall = "read",
		.object = "/data/x+0"};
	const struct sprof_quality quality = {
		.duration_ns = 2 * SPROF_NS_PER_S, .rate_hz = 99, .samples_peeked = 198};
	struct sprof_profile_row row = {.thread = example_thread(profile, "a"),
		.stack = example_stack(profile, "main;load"),
		.metrics = {.samples = 198, .times.ns[SPROF_TIME_SLEEP] = 2 * SPROF_NS_PER_S}};
	SPROF_AUTO_FREE char *text = NULL;

	assert_true(sprof_build_context(profile, &context, &row.context));
	assert_true(sprof_build_row(profile, &row, NULL));
	sprof_profile_set_quality(profile, &quality);
	text = summary_of(profile);
	assert_says(text, "blocked, most in read /data/x+0, by load\n");
	assert_says(text, "io      read /data/x+0 in load\n");
}

/* A second of computing and one of waiting for a CPU, in two seconds on one CPU; sprof used as much of it. */
static char *cost_of(uint64_t own_ms)
{
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_quality quality = {.duration_ns = 2 * SPROF_NS_PER_S,
		.rate_hz = 99,
		.samples_stopped = 198,
		.stop_ns_total = own_ms * SPROF_NS_PER_MS / 10,
		.profiler_cpu_ns = own_ms * SPROF_NS_PER_MS,
		.cpus = 1,
		.machine_cpu_ns = SPROF_NS_PER_S + own_ms * SPROF_NS_PER_MS};

	example_add(profile, example_thread(profile, "a"), "main;work",
		&(struct sprof_metrics){.samples = 198,
			.times.ns = {[SPROF_TIME_USER] = SPROF_NS_PER_S,
				[SPROF_TIME_RUNQ] = SPROF_NS_PER_S}});
	sprof_profile_set_quality(profile, &quality);
	return summary_of(profile);
}

static void what_sprof_took_is_said_where_it_is_much(void **state)
{
	SPROF_AUTO_FREE char *little = cost_of(40);
	SPROF_AUTO_FREE char *much = cost_of(900);

	assert_silent(little, "cost  ");
	assert_silent(little, "sprof itself");
	assert_says(much,
		"cost       sprof used 900.0 ms of CPU time, the program 1.000 s; stops took 90.0 ms: the "
		"program runs faster without sprof\n");
	assert_says(much, "ready but without a CPU, sprof itself used 0.5 of 1 CPUs");
}

/* A server with little to do on an idle machine of eight CPUs: who holds it up? */
static char *cost_for_server(uint64_t stop_ms, uint64_t machine_ms)
{
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_quality quality = {.duration_ns = 10ULL * SPROF_NS_PER_S,
		.rate_hz = 99,
		.samples_stopped = 990,
		.stop_ns_total = stop_ms * SPROF_NS_PER_MS,
		.profiler_cpu_ns = 500 * SPROF_NS_PER_MS,
		.cpus = 8,
		.machine_cpu_ns = machine_ms * SPROF_NS_PER_MS};

	example_add(profile, example_thread(profile, "a"), "main;work",
		&(struct sprof_metrics){.samples = 990,
			.times.ns = {[SPROF_TIME_USER] = SPROF_NS_PER_S,
				[SPROF_TIME_SLEEP] = 9ULL * SPROF_NS_PER_S}});
	sprof_profile_set_quality(profile, &quality);
	return summary_of(profile);
}

static void who_was_not_held_up_runs_no_faster_without(void **state)
{
	SPROF_AUTO_FREE char *peeked = cost_for_server(0, 1600);
	SPROF_AUTO_FREE char *stopped = cost_for_server(200, 1600);
	SPROF_AUTO_FREE char *crowded = cost_for_server(0, 79000);

	assert_says(peeked,
		"cost       sprof used 500.0 ms of CPU time, the program 1.000 s; stops took ");
	assert_silent(peeked, "faster");
	assert_says(stopped, "stops took 200.0 ms: the program runs faster without sprof\n");
	assert_says(crowded, ": the program runs faster without sprof\n");
}

static void other_figures_than_time_have_places(void **state)
{
	static const struct example_function reads[] = {{"main", "/home/me/app", "app.c", 46},
		{"read_history", "/home/me/app", "app.c", 16},
		{"malloc", "/usr/lib/x86_64-linux-gnu/libc.so.6"}, {0}};
	static const struct example_function opens[] = {
		{"main", "/home/me/app", "app.c", 46}, {"open", "/home/me/app", "app.c", 27}, {0}};
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_output_options options = sprof_output_options_default();
	SPROF_AUTO_FREE char *text = NULL, *report = NULL;
	const struct sprof_kind kind = {"held_bytes", "bytes", SPROF_FOLD_SUM};
	struct sprof_profile_row row = {0};
	uint64_t bytes = 99 << 20;

	profile->kinds.has_times = false;
	profile->kinds.further[0] = kind;
	profile->kinds.further_count = 1;
	profile->kinds.shown = options.weight = SPROF_WEIGHT_FURTHER;
	row.thread = example_thread(profile, "a");
	assert_true(sprof_build_context(profile,
		&(struct sprof_profile_context){.state = SPROF_STATE_COUNT}, &row.context));
	row.stack = example_stack_in(profile, reads);
	assert_true(sprof_build_row(profile, &row, &bytes));
	bytes = 1 << 20;
	row.stack = example_stack_in(profile, opens);
	assert_true(sprof_build_row(profile, &row, &bytes));
	text = written_by(&sprof_format_summary, profile, &options);
	assert_says(text, "100 MiB held bytes, 99 % of it in read_history (app.c:16)");
	assert_says(text, "places      99.0 %  99.0 MiB  read_history  app.c:16\n");
	assert_says(text, "            1.0 %   1.0 MiB  open  app.c:27\n");
	assert_says(text, "main > read_history > malloc");
	free(text);
	profile->kinds.error_percent = 12;
	text = written_by(&sprof_format_summary, profile, &options);
	assert_says(text, "about 100 MiB (+- 12 %) held bytes, 99 % of it");
	free(text);
	profile->kinds.are_lower_bounds = true;
	text = written_by(&sprof_format_summary, profile, &options);
	assert_says(text, "at least 100 MiB held bytes, 99 % of it");
	report = written_by(&sprof_format_text, profile, &options);
	assert_says(report,
		"places in the program, by held_bytes\n 99.0 99.0 MiB  read_history  app.c:16\n");
	assert_null(strstr(report, "verdict"));
	assert_null(strstr(report, "app.c:1\n"));
	sprof_profile_destroy(profile);
}

TEST_MAIN("summary")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_fits_any_terminal),
		cmocka_unit_test(lines_begin_with_no_unit),
		cmocka_unit_test(without_a_terminal_it_is_plain),
		cmocka_unit_test(too_few_samples_tell_nothing),
		cmocka_unit_test(a_function_is_named_if_another_run_would_name_it),
		cmocka_unit_test(a_persons_next_questions_are_answered),
		cmocka_unit_test(the_next_command_is_one_that_works),
		cmocka_unit_test(a_rare_place_of_holders_is_not_named),
		cmocka_unit_test(what_sprof_took_is_said_where_it_is_much),
		cmocka_unit_test(who_was_not_held_up_runs_no_faster_without),
		cmocka_unit_test(a_file_keeps_its_name),
		cmocka_unit_test(other_figures_than_time_have_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
