/* Threads that wait for work, by the functions above the wait; and where Go's packages end. */
#include "profile/classify/idle.h"

#include <stdlib.h>

#include "base/clock.h"
#include "profile/classify/boundaries.h"
#include "profile/classify/own-place.h"
#include "profile/model/build.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

enum { FRAMES = 4 };

/* A profile with one stack of such functions, innermost first. */
struct scene {
	struct sprof_profile_function functions[FRAMES];
	struct sprof_profile_line lines[FRAMES];
	struct sprof_profile_location locations[FRAMES];
	struct sprof_profile_stack stacks[FRAMES + 1];
	struct sprof_profile profile;
};

static uint32_t set_up(struct scene *scene, const char *const names[FRAMES])
{
	*scene = (struct scene){0};
	scene->stacks[SPROF_PROFILE_ROOT].location = SPROF_PROFILE_NONE;
	for (uint32_t i = 0; i < FRAMES; i++) {
		scene->functions[i] = (struct sprof_profile_function){
			.name = names[i], .module = SPROF_PROFILE_NONE};
		scene->lines[i].function = i;
		scene->locations[i] =
			(struct sprof_profile_location){.first_line = i, .line_count = 1};
		scene->stacks[FRAMES - i] =
			(struct sprof_profile_stack){.parent = FRAMES - i - 1, .location = i};
	}
	scene->profile.functions = scene->functions;
	scene->profile.lines = scene->lines;
	scene->profile.locations = scene->locations;
	scene->profile.stacks = scene->stacks;
	return FRAMES;
}

static void a_scheduler_without_work_is_idle(void **state)
{
	static const char *const futex[] = {
		"runtime.futex", "runtime.notesleep", "runtime.stopm", "runtime.mcall"};
	static const char *const poll[] = {
		"runtime.epollwait", "runtime.netpoll", "runtime.findRunnable", "runtime.schedule"};
	static const char *const lock[] = {
		"runtime.futex", "runtime.lock2", "runtime.mallocgc", "main.main"};
	static const char *const other[] = {"read", "stopm", "runtime_stopm", "main"};
	static const char *const own_lock[] = {
		"runtime.futex", "runtime.lock2", "runtime.findRunnable", "runtime.schedule"};
	static const char *const stopped[] = {
		"runtime.futex", "runtime.stopm", "runtime.gcstopm", "runtime.findRunnable"};
	struct scene scene;

	assert_null(sprof_profile_idle_for(&scene.profile, set_up(&scene, own_lock)));
	assert_string_equal(sprof_profile_idle_for(&scene.profile, set_up(&scene, stopped)),
		"the end of a stop of the world");
	assert_string_equal(sprof_profile_idle_for(&scene.profile, set_up(&scene, futex)),
		"no goroutine to run");
	assert_string_equal(sprof_profile_idle_for(&scene.profile, set_up(&scene, poll)),
		"no goroutine to run");
	assert_null(sprof_profile_idle_for(&scene.profile, set_up(&scene, lock)));
	assert_null(sprof_profile_idle_for(&scene.profile, set_up(&scene, other)));
	assert_null(sprof_profile_idle_for(&scene.profile, SPROF_PROFILE_ROOT));
}

static void the_runtime_is_what_libc_is_elsewhere(void **state)
{
	static const char *const read[] = {
		"syscall.Syscall", "internal/poll.(*FD).Read", "os.(*File).Read", "main.main"};
	static const char *const lock[] = {
		"runtime.futex", "runtime.lock2", "runtime.mallocgc", "main.main"};
	struct scene scene;
	uint32_t stack = set_up(&scene, read);

	assert_int_equal(sprof_own_place_of(&scene.profile, stack).function, 2);
	assert_int_equal(sprof_profile_lock_of(&scene.profile, stack), SPROF_LOCK_UNKNOWN);
	stack = set_up(&scene, lock);
	assert_int_equal(sprof_own_place_of(&scene.profile, stack).function, 3);
	assert_int_equal(sprof_profile_lock_of(&scene.profile, stack), SPROF_LOCK_MUTEX);
}

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
static bool is_idle(const char *folded, const struct sprof_profile_context *context)
{
	struct sprof_profile *profile = sprof_build_create();
	bool *idle, result = false;

	add_waiting(profile, add_thread(profile, 1, "a"), folded, context, 500);
	add_waiting(profile, 0, "main;work", &running, 500);
	idle = sprof_profile_waits_for_work(profile);
	for (size_t i = 0; i < profile->row_count; i++)
		result |= idle[i];
	free(idle);
	sprof_profile_destroy(profile);
	return result;
}

static const struct {
	struct sprof_profile_context context;
	bool idle;
} idle_cases[] = {
	{{.kind = SPROF_WAIT_KIND_CHILD, .syscall = "wait4"}, true},
	{{.kind = SPROF_WAIT_KIND_LOCK, .object = "condition variable x+0"}, true},
	{{.kind = SPROF_WAIT_KIND_LOCK, .object = "interpreter lock x+0", .holder = "a (1)"},
		false},
	{{.kind = SPROF_WAIT_KIND_LOCK, .object = "mutex x+0"}, false},
	{{.kind = SPROF_WAIT_KIND_LOCK, .object = "join"}, true},
	{{.kind = SPROF_WAIT_KIND_EVENT, .syscall = "epoll_wait", .object = "1.2.3.4:80"}, true},
	{{.kind = SPROF_WAIT_KIND_EVENT, .syscall = "poll", .object = "1.2.3.4:80"}, false},
	{{.kind = SPROF_WAIT_KIND_EVENT, .syscall = "poll", .object = "0.0.0.0:80 listening"},
		true},
	{{.kind = SPROF_WAIT_KIND_EVENT, .syscall = "poll", .object = "2 descriptors: a, b"}, true},
	{{.kind = SPROF_WAIT_KIND_EVENT, .syscall = "pselect6", .object = "pipe:[1] from itself"},
		true},
	{{.kind = SPROF_WAIT_KIND_EVENT, .syscall = "poll", .object = "inotify"}, true},
	{{.kind = SPROF_WAIT_KIND_EVENT, .syscall = "ppoll", .object = "signalfd"}, true},
	{{.kind = SPROF_WAIT_KIND_EVENT, .syscall = "pause"}, true},
	{{.kind = SPROF_WAIT_KIND_IO, .syscall = "accept4", .object = "0.0.0.0:80 listening"},
		true},
	{{.kind = SPROF_WAIT_KIND_IO, .syscall = "read", .object = "/dev/pts/3"}, true},
	{{.kind = SPROF_WAIT_KIND_IO,
		 .syscall = "recvfrom",
		 .object = "tcp 1.2.3.4:80 <- 1.2.3.5:4711"},
		true},
	{{.kind = SPROF_WAIT_KIND_IO, .syscall = "read", .object = "unix /run/x"}, true},
	{{.kind = SPROF_WAIT_KIND_IO, .syscall = "recv", .object = "unix @x"}, false},
	{{.kind = SPROF_WAIT_KIND_IO, .syscall = "read", .object = "unix -> /run/x"}, false},
	{{.kind = SPROF_WAIT_KIND_IO,
		 .syscall = "recvfrom",
		 .object = "tcp 1.2.3.5:4711 -> 1.2.3.4:80"},
		false},
	{{.kind = SPROF_WAIT_KIND_IO,
		 .syscall = "sendto",
		 .object = "tcp 1.2.3.4:80 <- 1.2.3.5:4711"},
		false},
	{{.kind = SPROF_WAIT_KIND_IO, .syscall = "read", .object = "pipe:[1] from cat (2)"}, false},
	{{.kind = SPROF_WAIT_KIND_TIME, .syscall = "clock_nanosleep"}, false},
	/* A thread for completions is idle, one that waits for its own reads is not. */
	{{.kind = SPROF_WAIT_KIND_IO,
		 .syscall = "io_uring_enter",
		 .object = "io_uring with nothing in flight"},
		true},
	{{.kind = SPROF_WAIT_KIND_IO, .syscall = "io_uring_enter", .object = "io_uring"}, false},
};

static void who_waits_for_work_is_idle(void **state)
{
	for (size_t i = 0; i < sizeof(idle_cases) / sizeof(idle_cases[0]); i++) {
		if (is_idle("main;serve", &idle_cases[i].context) != idle_cases[i].idle)
			fail_msg("case %zu: %s", i, idle_cases[i].context.object);
	}
}

/* One call waits for events in a main loop, and for a lock elsewhere: the functions decide. */
static void the_functions_above_a_wait_decide(void **state)
{
	static const struct sprof_profile_context events = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_EVENT,
		.syscall = "epoll_wait",
		.object = "3 descriptors: a, b, c"};
	static const struct sprof_profile_context requests = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_EVENT,
		.syscall = "poll",
		.object = "2 descriptors: tcp 0.0.0.0:80 listening, eventfd"};
	static const struct sprof_profile_context condition = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_LOCK,
		.syscall = "futex",
		.object = "condition variable [heap]+0x10"};
	static const struct sprof_profile_context lock = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_LOCK,
		.syscall = "futex",
		.object = "Python lock [heap]+0x10"};
	static const struct sprof_profile_context semaphore = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_LOCK,
		.syscall = "futex",
		.object = "semaphore [heap]+0x10"};
	static const struct {
		const char *folded;
		const struct sprof_profile_context *context;
		bool idle;
	} cases[] = {
		{"main;epoll_wait_here", &events, true},
		{"a+0x1;__libc_start_main_impl;__libc_start_call_main;a+0x2", &events, true},
		{"a+0x1;__libc_start_main_impl;__libc_start_call_main;a+0x2;a+0x3", &events, true},
		{"a+0x1;__libc_start_main_impl;a+0x2;a+0x3;a+0x4", &events, false},
		{"_start;__libc_start_main_impl;main;a;b", &events, false},
		{"main;serve", &events, true},
		{"main;serve;answer;take_row_lock", &events, false},
		{"main;mysqld_main;run;handle_connections_sockets", &requests, true},
		{"main;PostgresMain;ReadCommand;secure_read;WaitEventSetWait", &events, true},
		{"main;PostgresMain;heap_update;XactLockTableWait;ProcSleep;WaitLatch", &events,
			false},
		{"main;serve;ServerLoop;handle;wait_for_disk", &events, false},
		{"main;serve;StartAutoVacLauncher;WaitLatch", &events, true},
		{"main;a;b;c;d;uv_run;uv__io_poll", &events, true},
		{"start;a;b;c;d;tpool::thread_pool_generic::wait_for_tasks", &condition, true},
		{"start;a;b;c;d;lock_wait", &condition, false},
		{"main;one;two;lock_PyThread_acquire_lock", &semaphore, false},
		{"main;one;Queue.get;lock_PyThread_acquire_lock", &semaphore, true},
		{"start;_worker;_queue_SimpleQueue_get;PyThread_acquire_lock_timed", &lock, true},
		{"main;one;two;lock_PyThread_acquire_lock", &lock, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (is_idle(cases[i].folded, cases[i].context) != cases[i].idle)
			fail_msg("case %zu: %s", i, cases[i].folded);
	}
}

/* A thread that waits nowhere else may wait for a lock all the time: only its outermost function counts. */
static void a_deadlock_is_not_idle(void **state)
{
	static const struct sprof_profile_context semaphore = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_LOCK,
		.syscall = "futex",
		.object = "semaphore [heap]+0x10"};
	static const char stack[] = "start;Thread.run;one;lock_PyThread_acquire_lock";
	struct sprof_profile *profile = sprof_build_create();
	bool *idle;

	add_waiting(profile, add_thread(profile, 1, "a"), stack, &semaphore, 1000);
	idle = sprof_profile_idle_rows(profile);
	assert_false(idle[profile->row_count - 1]);
	free(idle);
	sprof_profile_destroy(profile);
}

/* A semaphore may be a lock or a queue. A thread that only waits for it waits for work. */
static void a_semaphore_is_a_queue_for_who_does_nothing_else(void **state)
{
	static const struct sprof_profile_context semaphore = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_LOCK,
		.syscall = "futex",
		.object = "semaphore [heap]+0x10"};
	struct sprof_profile *profile = sprof_build_create();
	uint32_t worker = add_thread(profile, 1, "a"), waiter = add_thread(profile, 2, "b");
	bool *idle;

	add_waiting(profile, worker, "main;work", &running, 500);
	add_waiting(profile, worker, "main;take", &semaphore, 500);
	add_waiting(profile, waiter, "main;take", &semaphore, 1000);
	/* On a busy machine the thread began late: that is no work. */
	example_add(profile, waiter, "main;start",
		&(struct sprof_metrics){
			.samples = 50, .times.ns[SPROF_TIME_RUNQ] = 500 * SPROF_NS_PER_MS});
	idle = sprof_profile_idle_rows(profile);
	for (size_t i = 0; i < profile->row_count; i++) {
		bool waits =
			profile->contexts[profile->rows[i].context].kind == SPROF_WAIT_KIND_LOCK;

		assert_int_equal(idle[i], waits && profile->rows[i].thread == waiter);
	}
	free(idle);
	sprof_profile_destroy(profile);
}

static const struct sprof_profile_context nap = {.state = SPROF_STATE_SLEEP,
	.kind = SPROF_WAIT_KIND_TIME,
	.syscall = "clock_nanosleep",
	.object = "1 ms"};

/* Whether the naps of the second thread are idle, while the first one, main, waits like that. */
static bool is_nap_idle(const struct sprof_profile_context *of_main, const char *stack, uint64_t ms)
{
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_build_thread threads[] = {
		{.pid = 1, .tid = 1, .name = "main", .process_name = "a"},
		{.pid = 1, .tid = 2, .name = "other", .process_name = "a"},
	};
	uint32_t first, second;
	bool *idle, result = false;

	assert_true(sprof_build_thread(profile, &threads[0], &first));
	assert_true(sprof_build_thread(profile, &threads[1], &second));
	add_waiting(profile, first, "main;serve", of_main, 1000);
	add_waiting(profile, second, stack, &nap, ms);
	add_waiting(profile, second, "start_thread;work", &running, 1000 - ms);
	idle = sprof_profile_idle_rows(profile);
	for (size_t i = 0; i < profile->row_count; i++)
		result |= idle[i] && profile->rows[i].thread == second;
	free(idle);
	sprof_profile_destroy(profile);
	return result;
}

/* A thread in the background naps in its loop. A worker's naps delay those who wait for it. */
static void naps_in_the_background_are_idle(void **state)
{
	static const struct sprof_profile_context events = {
		.state = SPROF_STATE_SLEEP, .kind = SPROF_WAIT_KIND_EVENT, .syscall = "epoll_wait"};
	static const struct sprof_profile_context join = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_LOCK,
		.syscall = "futex",
		.object = "join"};
	struct sprof_profile_context of_other = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_EVENT,
		.syscall = "epoll_wait",
		.holder = "other (2)"};

	assert_true(is_nap_idle(&events, "start_thread;maintain", 990));
	assert_true(is_nap_idle(&running, "start_thread;maintain", 990));
	assert_false(is_nap_idle(&events, "start_thread;maintain", 900));
	assert_false(is_nap_idle(&events, "start_thread;answer;ask;try_again", 990));
	assert_false(is_nap_idle(&join, "start_thread;maintain", 990));
	assert_false(is_nap_idle(&of_other, "start_thread;maintain", 990));
}

/* A socket without an address is newer than the last table of sockets. */
static void a_new_socket_is_a_clients_where_all_others_are(void **state)
{
	static const struct sprof_profile_context client = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_IO,
		.syscall = "recvfrom",
		.object = "tcp 1.2.3.4:80 <- 1.2.3.5:4711"};
	static const struct sprof_profile_context database = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_IO,
		.syscall = "recvfrom",
		.object = "tcp 1.2.3.4:4712 -> 1.2.3.5:5432"};
	static const struct sprof_profile_context unknown = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_IO,
		.syscall = "recvfrom",
		.object = "socket:[81]"};
	static const struct {
		const char *folded;
		const struct sprof_profile_context *context;
		bool idle;
	} rows[] = {
		{"start;serve", &client, true},
		{"start;serve", &unknown, true},
		{"start;serve;ask", &database, false},
		{"start;serve;ask", &unknown, false},
		{"start;serve;relay", &client, true},
		{"start;serve;relay", &database, false},
		{"start;serve;relay", &unknown, false},
		{"start;serve;other", &unknown, false},
	};
	struct sprof_profile *profile = sprof_build_create();
	uint32_t thread = add_thread(profile, 1, "a");
	bool *idle;
	size_t found = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		add_waiting(profile, thread, rows[i].folded, rows[i].context, 10 * (i + 1));
	idle = sprof_profile_idle_rows(profile);
	for (size_t i = 0; i < profile->row_count; i++) {
		const uint64_t samples = profile->rows[i].metrics.samples;

		if (!samples)
			continue;
		assert_int_equal(idle[i], rows[samples - 1].idle);
		found++;
	}
	assert_int_equal(found, sizeof(rows) / sizeof(rows[0]));
	free(idle);
	sprof_profile_destroy(profile);
}

/* Other functions of such names are not Rust's. */
static void locks_are_known_by_their_functions(void **state)
{
	static const struct {
		const char *name;
		enum sprof_lock_kind kind;
	} functions[] = {
		{"___pthread_mutex_lock", SPROF_LOCK_MUTEX},
		{"__pthread_rwlock_wrlock_full64", SPROF_LOCK_RWLOCK},
		{"std::sys::sync::mutex::futex::Mutex::lock_contended", SPROF_LOCK_RUST},
		{"<std::sys::sync::mutex::futex::Mutex>::lock_contended", SPROF_LOCK_RUST},
		{"std::sys::unix::locks::futex_rwlock::RwLock::write_contended", SPROF_LOCK_RUST},
		{"std::sys::sync::rwlock::futex::RwLock::read_contended", SPROF_LOCK_RUST},
		{"std::sys::sync::condvar::futex::Condvar::wait", SPROF_LOCK_UNKNOWN},
		{"app::sys::Mutex::lock_contended", SPROF_LOCK_UNKNOWN},
		{"<parking_lot::raw_mutex::RawMutex>::lock_slow", SPROF_LOCK_PARKING},
		{"parking_lot::raw_rwlock::RawRwLock::lock_shared_slow", SPROF_LOCK_PARKING},
		{"<parking_lot::raw_rwlock::RawRwLock>::lock_common::<_>", SPROF_LOCK_PARKING},
		{"parking_lot::raw_mutex::RawMutex::unlock_slow", SPROF_LOCK_UNKNOWN},
		{"parking_lot::condvar::Condvar::wait_until_internal", SPROF_LOCK_UNKNOWN},
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		assert_int_equal(sprof_profile_lock_by_name(functions[i].name), functions[i].kind);
}

static void pythons_locks_are_known_by_their_callers(void **state)
{
	static const char threading[] = "/usr/lib/python3.11/threading.py";

	assert_int_equal(sprof_profile_python_lock("_shutdown", threading), SPROF_LOCK_JOIN);
	assert_int_equal(sprof_profile_python_lock("Thread.join", threading), SPROF_LOCK_JOIN);
	assert_int_equal(
		sprof_profile_python_lock("Condition.wait", threading), SPROF_LOCK_SEMAPHORE);
	assert_int_equal(
		sprof_profile_python_lock("_shutdown", "/home/me/x.py"), SPROF_LOCK_PYTHON);
}

/* On a busy machine Go's watcher of its scheduler waits for a CPU after each nap. */
static void a_scheduler_that_waits_for_a_cpu_does_nothing(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	uint32_t watcher = add_thread(profile, 1, "a"), worker = add_thread(profile, 2, "b");
	const struct sprof_metrics late = {.samples = 5,
		.times.ns = {[SPROF_TIME_SYS] = 5 * SPROF_NS_PER_MS,
			[SPROF_TIME_RUNQ] = 500 * SPROF_NS_PER_MS}};
	bool *idle;

	example_add(profile, watcher, "runtime.mstart;runtime.sysmon;runtime.usleep", &late);
	example_add(profile, worker, "main.main;main.work", &late);
	idle = sprof_profile_idle_rows(profile);
	assert_true(idle[0] && !idle[1]);
	free(idle);
	sprof_profile_destroy(profile);
}

TEST_MAIN("idle")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scheduler_without_work_is_idle),
		cmocka_unit_test(the_runtime_is_what_libc_is_elsewhere),
		cmocka_unit_test(who_waits_for_work_is_idle),
		cmocka_unit_test(the_functions_above_a_wait_decide),
		cmocka_unit_test(a_deadlock_is_not_idle),
		cmocka_unit_test(naps_in_the_background_are_idle),
		cmocka_unit_test(a_semaphore_is_a_queue_for_who_does_nothing_else),
		cmocka_unit_test(a_new_socket_is_a_clients_where_all_others_are),
		cmocka_unit_test(locks_are_known_by_their_functions),
		cmocka_unit_test(pythons_locks_are_known_by_their_callers),
		cmocka_unit_test(a_scheduler_that_waits_for_a_cpu_does_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
