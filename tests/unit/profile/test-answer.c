/*
 * profile/answer, idle, own, outside, short-threads, crowd, doubts: which programs matter and why, who is idle, whose
 * time a system call's is, who called a library or made threads, who had the CPUs, and what limits trust.
 */
#include "profile/answer/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "profile/answer/crowd.h"
#include "profile/answer/doubts.h"
#include "profile/answer/program-functions.h"
#include "profile/classify/idle.h"
#include "profile/model/build.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

static uint32_t add_thread(struct sprof_profile *profile, pid_t pid, const char *process)
{
	const struct sprof_build_thread thread = {
		.pid = pid, .tid = pid, .name = "thread", .process_name = process};
	uint32_t id;

	assert_true(sprof_build_thread(profile, &thread, &id));
	return id;
}

static void add_waiting(struct sprof_profile *profile, uint32_t thread, const char *folded,
	const struct sprof_profile_context *context, uint64_t ms)
{
	struct sprof_profile_row row = {.thread = thread};

	example_add(profile, thread, folded, &(struct sprof_metrics){0});
	row.stack = profile->rows[profile->row_count - 1].stack;
	assert_true(sprof_build_context(profile, context, &row.context));
	row.metrics.samples = ms / 10;
	row.metrics.times
		.ns[context->state == SPROF_STATE_USER ? SPROF_TIME_USER : SPROF_TIME_SLEEP] =
		ms * SPROF_NS_PER_MS;
	assert_true(sprof_build_row(profile, &row, NULL));
}

static const struct sprof_profile_context running = {.state = SPROF_STATE_USER};
static const struct sprof_profile_context for_child = {.state = SPROF_STATE_SLEEP,
	.kind = SPROF_WAIT_KIND_CHILD,
	.syscall = "wait4",
	.object = "cc1 (12)"};
static const struct sprof_profile_context for_lock = {.state = SPROF_STATE_SLEEP,
	.kind = SPROF_WAIT_KIND_LOCK,
	.syscall = "futex",
	.object = "mutex cache+0",
	.holder = "writer (7)",
	.holder_function = "flush"};
static const struct sprof_profile_context nap = {.state = SPROF_STATE_SLEEP,
	.kind = SPROF_WAIT_KIND_TIME,
	.syscall = "clock_nanosleep",
	.object = "50 ms"};

static void programs_that_matter_come_first(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_answer answer;
	struct sprof_error err;

	add_waiting(profile, add_thread(profile, 1, "/usr/bin/make -j2"), "main;wait", &for_child,
		9000);
	add_waiting(profile, add_thread(profile, 2, "/usr/lib/cc1 -quiet a.c"), "main;parse",
		&running, 1000);
	add_waiting(profile, add_thread(profile, 3, "/usr/lib/cc1 -quiet b.c"), "main;parse",
		&running, 2000);
	add_waiting(profile, add_thread(profile, 4, "-bash"), "main;read", &running, 10);
	assert_true(sprof_answer_build(profile, 2, &answer, &err));
	assert_int_equal(answer.count, 3);
	assert_string_equal(answer.programs[0].name, "cc1");
	assert_int_equal(answer.programs[0].processes, 2);
	assert_int_equal(answer.programs[0].pid, 3); /* the busier one */
	assert_int_equal(answer.programs[0].causes[0].weight, SPROF_WEIGHT_USER);
	assert_string_equal(
		profile->functions[answer.programs[0].causes[0].function].name, "parse");
	assert_string_equal(answer.programs[1].name, "bash");
	assert_string_equal(answer.programs[2].name, "make");
	assert_int_equal(answer.programs[2].idle_ns, 9000 * (uint64_t)SPROF_NS_PER_MS);
	assert_int_equal(answer.idle_ns, answer.programs[2].idle_ns);
	sprof_answer_finish(&answer);
	sprof_profile_destroy(profile);
}

/* A nap of the same length explains less than a lock does; time that no sample fell near explains nothing. */
static void locks_tell_more_than_naps(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_answer answer;
	struct sprof_error err;
	uint32_t thread = add_thread(profile, 1, "server");

	add_waiting(profile, thread, "main;rest", &nap, 1500);
	add_waiting(profile, thread, "main;load", &for_lock, 1000);
	add_waiting(profile, thread, "[unsampled]", &running, 5000);
	assert_true(sprof_answer_build(profile, 1, &answer, &err));
	assert_int_equal(answer.programs[0].causes[0].weight, SPROF_WEIGHT_WAIT);
	assert_string_equal(answer.programs[0].causes[0].wait.object, "mutex cache+0");
	assert_string_equal(answer.programs[0].causes[0].wait.holder, "writer (7)");
	assert_int_equal(answer.unsampled_ns, 5000 * (uint64_t)SPROF_NS_PER_MS);
	assert_int_equal(sprof_times_wall(&answer.busy), 2500 * (uint64_t)SPROF_NS_PER_MS);
	sprof_answer_finish(&answer);
	sprof_profile_destroy(profile);
}

/* Naps are one wait, however long each is, and come after what the program does. */
static void naps_of_a_function_are_one_wait(void **state)
{
	static const struct sprof_profile_context other = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_TIME,
		.syscall = "clock_nanosleep",
		.object = "70 ms"};
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_cause *causes;
	struct sprof_answer answer;
	struct sprof_error err;
	uint32_t thread = add_thread(profile, 1, "server");

	add_waiting(profile, thread, "main;rest", &nap, 1500);
	add_waiting(profile, thread, "main;rest", &other, 1500);
	add_waiting(profile, thread, "main;work", &running, 1000);
	assert_true(sprof_answer_build(profile, 1, &answer, &err));
	causes = answer.programs[0].causes;
	assert_int_equal(causes[0].weight, SPROF_WEIGHT_USER);
	assert_int_equal(causes[1].weight, SPROF_WEIGHT_WAIT);
	assert_int_equal(causes[1].wait.ns, 3000 * (uint64_t)SPROF_NS_PER_MS);
	assert_null(causes[1].wait.object);
	sprof_answer_finish(&answer);
	sprof_profile_destroy(profile);
}

/* What waits for one lock waits for the same, in whatever function it is. */
static void a_lock_is_one_wait_in_all_functions(void **state)
{
	static const struct sprof_profile_context other = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_IO,
		.syscall = "fsync",
		.object = "/srv/x.db"};
	struct sprof_profile_context for_reader = for_lock;
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_waits_row *wait;
	struct sprof_answer answer;
	struct sprof_error err;
	uint32_t thread = add_thread(profile, 1, "server");

	add_waiting(profile, thread, "main;load", &for_lock, 1000);
	for_reader.holder = "reader (8)";
	add_waiting(profile, thread, "main;store", &for_reader, 900);
	add_waiting(profile, thread, "main;drop", &for_reader, 800);
	add_waiting(profile, thread, "main;sync", &other, 1500);
	assert_true(sprof_answer_build(profile, 1, &answer, &err));
	wait = &answer.programs[0].causes[0].wait;
	assert_string_equal(wait->object, "mutex cache+0");
	assert_int_equal(wait->ns, 2700 * (uint64_t)SPROF_NS_PER_MS);
	assert_int_equal(wait->function, SPROF_PROFILE_NONE);
	assert_string_equal(wait->holder, "reader (8)");
	assert_int_equal(wait->holder_ns, 1700 * (uint64_t)SPROF_NS_PER_MS);
	sprof_answer_finish(&answer);
	sprof_profile_destroy(profile);
}

/* Those of a function that differ by a number only: a server's clients, and what has no name. */
static void waits_for_things_of_a_kind_are_one_wait(void **state)
{
	static const char *const objects[][2] = {
		{"tcp 1.2.3.4:80 <- 1.2.3.5:4711", "tcp 1.2.3.4:80 <- 1.2.3.6:4712"},
		{"socket:[81]", "socket:[82]"},
		{"condition variable [heap]+0x10", "condition variable [heap]+0x90"},
	};

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		struct sprof_profile *profile = sprof_build_create();
		uint32_t thread = add_thread(profile, 1, "server");
		struct sprof_answer answer;
		struct sprof_error err;

		for (size_t k = 0; k < 2; k++) {
			const struct sprof_profile_context context = {.state = SPROF_STATE_SLEEP,
				.kind = i == 2 ? SPROF_WAIT_KIND_LOCK : SPROF_WAIT_KIND_IO,
				.syscall = i == 2 ? "futex" : "sendto",
				.object = objects[i][k]};

			add_waiting(profile, thread, "main;a;b;c;serve", &context, 1000);
		}
		assert_true(sprof_answer_build(profile, 1, &answer, &err));
		assert_int_equal(answer.programs[0].causes[0].wait.alike, 2);
		sprof_answer_finish(&answer);
		sprof_profile_destroy(profile);
	}
}

static void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) < 1e-4);
}

static void add_computing(struct sprof_profile *profile, uint32_t thread,
	const struct example_function *functions, uint64_t ms)
{
	example_add_row(profile, thread, example_stack_in(profile, functions),
		&(struct sprof_metrics){
			.samples = ms / 10, .times.ns[SPROF_TIME_USER] = ms * SPROF_NS_PER_MS});
}

static void a_library_is_charged_to_its_caller(void **state)
{
	static const char app[] = "/home/me/app", own[] = "/home/me/libown.so",
			  libc[] = "/usr/lib/x86_64-linux-gnu/libc.so.6",
			  libz[] = "/usr/lib/x86_64-linux-gnu/libz.so.1";
	static const struct example_function compares[] = {
		{"main", app}, {"find_word", app}, {"__strcmp_evex", libc}, {0}};
	static const struct example_function elsewhere[] = {
		{"main", app}, {"add_word", app}, {"__strcmp_evex", libc}, {0}};
	static const struct example_function unpacks[] = {
		{"main", app}, {"unpack", own}, {"inflate", libz}, {"__memcpy_evex", libc}, {0}};
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_cause *cause;
	struct sprof_answer answer;
	struct sprof_error err;

	add_computing(profile, add_thread(profile, 1, "words"), compares, 3000);
	add_computing(profile, 0, elsewhere, 1000);
	add_computing(profile, add_thread(profile, 2, "files"), unpacks, 1000);
	add_waiting(profile, add_thread(profile, 3, "plain"), "main;work", &running, 500);
	assert_true(sprof_answer_build(profile, 3, &answer, &err));
	cause = &answer.programs[0].causes[0];
	assert_string_equal(profile->functions[cause->function].name, "find_word");
	assert_string_equal(profile->functions[cause->inner].name, "__strcmp_evex");
	assert_int_equal(cause->inner_ns, 3000 * (uint64_t)SPROF_NS_PER_MS);
	assert_int_equal(cause->function_ns, 3000 * (uint64_t)SPROF_NS_PER_MS);
	assert_near(cause->samples, 400);
	cause = &answer.programs[1].causes[0];
	assert_string_equal(profile->functions[cause->function].name, "unpack");
	assert_string_equal(profile->functions[cause->inner].name, "inflate");
	assert_int_equal(answer.programs[2].causes[0].inner, SPROF_PROFILE_NONE);
	sprof_answer_finish(&answer);
	sprof_profile_destroy(profile);
}

/*
 * A thread with 10 s of system time in one function: so much of it in a call, the rest outside. Half of the call's
 * samples tell where in the kernel they are.
 */
static void add_in_kernel(
	struct sprof_profile *profile, uint32_t thread, uint64_t call_ms, uint64_t outside_ms)
{
	const struct sprof_metrics call = {
		.samples = call_ms / 20, .times.ns[SPROF_TIME_SYS] = call_ms * SPROF_NS_PER_MS / 2};
	const struct sprof_metrics outside = {.samples = outside_ms / 10,
		.times.ns[SPROF_TIME_SYS] = outside_ms * SPROF_NS_PER_MS};

	example_add_row(profile, thread,
		example_stack_in(profile,
			(const struct example_function[]){{"main", "/home/me/app"},
				{"fill", "/home/me/app"}, {"brk", SPROF_MODULE_KERNEL}, {0}}),
		&call);
	example_add_row(profile, thread,
		example_stack_in(profile,
			(const struct example_function[]){{"main", "/home/me/app"},
				{"fill", "/home/me/app"}, {"brk", SPROF_MODULE_KERNEL},
				{"mas_walk", SPROF_MODULE_KERNEL}, {0}}),
		&call);
	example_add_row(profile, thread,
		example_stack_in(profile,
			(const struct example_function[]){
				{"main", "/home/me/app"}, {"fill", "/home/me/app"}, {0}}),
		&outside);
}

/* call NULL: no call is the cause. facts NULL: the kernel's counts are not known. */
static void check_kernel_cause(uint64_t call_ms, uint64_t outside_ms,
	const struct sprof_thread_facts *facts, const char *call, bool in_faults)
{
	struct sprof_profile *profile = sprof_build_create();
	const uint32_t thread = add_thread(profile, 1, "app");
	const struct sprof_cause *cause;
	struct sprof_answer answer;
	struct sprof_error err;

	if (facts) {
		profile->threads[thread].facts = *facts;
		profile->threads[thread].has_facts = true;
	}
	add_in_kernel(profile, thread, call_ms, outside_ms);
	assert_true(sprof_answer_build(profile, 1, &answer, &err));
	cause = &answer.programs[0].causes[0];
	assert_int_equal(cause->weight, SPROF_WEIGHT_SYS);
	assert_string_equal(profile->functions[cause->function].name, "fill");
	assert_int_equal(cause->in_faults, in_faults);
	assert_int_equal(cause->kernel != NULL, call != NULL);
	if (call)
		assert_string_equal(cause->kernel, call);
	sprof_answer_finish(&answer);
	sprof_profile_destroy(profile);
}

/* System time outside calls is of page faults, if the thread had enough of them. */
static void page_faults_are_told(void **state)
{
	const struct sprof_thread_facts many = {.counters = {[SPROF_COUNTER_MINOR_FAULTS] = 900000,
							[SPROF_COUNTER_MAJOR_FAULTS] = 100000}};
	const struct sprof_thread_facts few = {.counters = {[SPROF_COUNTER_MINOR_FAULTS] = 1000}};

	check_kernel_cause(2000, 8000, &many, NULL, true);
	check_kernel_cause(2000, 8000, &few, NULL, false);
	check_kernel_cause(2000, 8000, NULL, NULL, false);
	check_kernel_cause(8000, 2000, &many, "brk", false);
	check_kernel_cause(8000, 5000, &few, "brk", false);
}

/* Threads of 1 ms each; the last has only waited to be made. */
static void add_short_threads(struct sprof_profile *profile, int count)
{
	static const struct example_function makes[] = {{"main", "/home/me/app"},
		{"make_some", "/home/me/app"},
		{"pthread_create@@GLIBC_2.34", "/usr/lib/x86_64-linux-gnu/libc.so.6"},
		{"__clone3", "/usr/lib/x86_64-linux-gnu/libc.so.6"}, {0}};

	add_computing(profile, add_thread(profile, 1, "pictures"), makes, 1000);
	for (int i = 0; i < count; i++) {
		const struct sprof_build_thread thread = {
			.pid = 1, .tid = 100 + i, .name = "thread", .process_name = "pictures"};
		uint32_t id;

		assert_true(sprof_build_thread(profile, &thread, &id));
		example_add(profile, id, "start_thread;make_picture",
			&(struct sprof_metrics){.times.ns[SPROF_TIME_USER] = SPROF_NS_PER_MS});
	}
}

static struct sprof_short_threads short_threads_of(int count, uint64_t seconds)
{
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_quality quality = {.duration_ns = seconds * SPROF_NS_PER_S};
	struct sprof_short_threads threads;
	struct sprof_answer answer;
	struct sprof_error err;

	add_short_threads(profile, count);
	sprof_profile_set_quality(profile, &quality);
	assert_true(sprof_answer_build(profile, 1, &answer, &err));
	threads = answer.programs[0].short_threads;
	if (threads.maker != SPROF_PROFILE_NONE)
		assert_string_equal(profile->functions[threads.maker].name, "make_some");
	sprof_answer_finish(&answer);
	sprof_profile_destroy(profile);
	return threads;
}

static void many_short_threads_matter(void **state)
{
	const struct sprof_short_threads many = short_threads_of(300, 2);

	assert_int_equal(many.count, 300);
	assert_int_not_equal(many.maker, SPROF_PROFILE_NONE);
	assert_int_equal(short_threads_of(50, 1).count, 0);
	assert_int_equal(short_threads_of(300, 60).count, 0); /* few at a time */
}

/* Of 2 s on 4 CPUs: 1 s is the program's, `machine_ms` all programs' together, sprof's included. */
static struct sprof_crowd crowd_of(uint64_t machine_ms, uint64_t own_ms)
{
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_quality quality = {.duration_ns = 2 * (uint64_t)SPROF_NS_PER_S,
		.cpus = 4,
		.machine_cpu_ns = machine_ms * SPROF_NS_PER_MS,
		.profiler_cpu_ns = 200 * SPROF_NS_PER_MS};
	struct sprof_crowd crowd;

	add_waiting(profile, add_thread(profile, 1, "app"), "main;work", &running, own_ms);
	sprof_profile_set_quality(profile, &quality);
	assert_true(sprof_crowd_find(profile, &crowd));
	sprof_profile_destroy(profile);
	return crowd;
}

static void who_had_the_cpus_is_known(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_crowd crowd = crowd_of(7200, 1000);

	assert_true(crowd.is_of_others && !crowd.is_of_own);
	assert_true(crowd.others > 2.99 && crowd.others < 3.01);
	crowd = crowd_of(7700, 7000);
	assert_true(!crowd.is_of_others && crowd.is_of_own);
	crowd = crowd_of(1500, 1000); /* CPUs were free: a limit */
	assert_true(!crowd.is_of_others && !crowd.is_of_own);
	crowd = crowd_of(4800, 1000); /* Others had many, but more were free. */
	assert_true(!crowd.is_of_others && !crowd.is_of_own);
	assert_false(sprof_crowd_find(profile, &crowd));
	sprof_profile_destroy(profile);
}

/* Wilson's interval at 95 %. */
static void a_share_is_at_least_so_much(void **state)
{
	assert_near(sprof_doubts_least(1, 4), 0.5101);
	assert_near(sprof_doubts_least(0.5, 100), 0.4038);
	assert_near(sprof_doubts_least(0, 10), 0);
	assert_near(sprof_doubts_least(0.5, 0), 0);
}

static void very_few_samples_get_a_better_rate(void **state)
{
	struct sprof_quality quality = {.rate_hz = 99};

	assert_int_equal(sprof_doubts_better_rate(&quality, 13), 999);
	assert_int_equal(sprof_doubts_better_rate(&quality, 100), 0);
	quality.rate_hz = 999;
	assert_int_equal(sprof_doubts_better_rate(&quality, 13), 9999);
	quality.rate_hz = 9999;
	assert_int_equal(sprof_doubts_better_rate(&quality, 13), 0);
}

static void doubts_are_sorted_by_weight(void **state)
{
	struct sprof_quality quality = {
		.ticks = 1000,
		.ticks_late = 50,
		.samples_stopped = 1000,
		.stacks = {[SPROF_END_ROOT] = 800, [SPROF_END_NO_CFI] = 200},
	};
	struct sprof_doubt doubts[SPROF_DOUBT_COUNT];

	assert_int_equal(sprof_doubts_find(&quality, 1000, doubts), 2);
	assert_int_equal(doubts[0].kind, SPROF_DOUBT_STACKS);
	assert_int_equal(doubts[0].weight, 2);
	assert_int_equal(doubts[1].kind, SPROF_DOUBT_TICKS);
	quality = (struct sprof_quality){.ticks = 10, .samples_stopped = 100};
	assert_int_equal(sprof_doubts_find(&quality, 100, doubts), 1);
	assert_int_equal(doubts[0].kind, SPROF_DOUBT_SAMPLES);
	assert_int_equal((int)sprof_doubts_uncertainty(100), 6);
}

TEST_MAIN("answer")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_that_matter_come_first),
		cmocka_unit_test(locks_tell_more_than_naps),
		cmocka_unit_test(naps_of_a_function_are_one_wait),
		cmocka_unit_test(a_lock_is_one_wait_in_all_functions),
		cmocka_unit_test(waits_for_things_of_a_kind_are_one_wait),
		cmocka_unit_test(a_library_is_charged_to_its_caller),
		cmocka_unit_test(page_faults_are_told),
		cmocka_unit_test(many_short_threads_matter),
		cmocka_unit_test(who_had_the_cpus_is_known),
		cmocka_unit_test(a_share_is_at_least_so_much),
		cmocka_unit_test(very_few_samples_get_a_better_rate),
		cmocka_unit_test(doubts_are_sorted_by_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
