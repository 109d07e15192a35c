/*
 * attach/procfs: the texts of /proc, also cut short at every byte and with names that try to be
 * more than a name.
 */
#include "attach/proc/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/check.h"

/* What stands behind the name in a stat file of Linux 6; the fields that count have odd values. */
#define STAT_TAIL \
	" S 1 2 3 4 5 4194560 7 8 9 10 111 222 13 14 15 16 17 18 333 20 21 22 23 24 25 26 27 28 " \
	"29 30 31 32 33 34 35 5 37 38 39 40 41 42 43 44 45 46 47 48 49 50\n"

static void expect_stat(const char *text, const char *comm)
{
	struct sprof_proc_stat stat;

	assert_true(sprof_proc_parse_stat(text, &stat));
	assert_string_equal(stat.comm, comm);
	assert_int_equal(stat.state, 'S');
	assert_int_equal(stat.flags, 4194560);
	assert_int_equal(stat.user_ticks, 111);
	assert_int_equal(stat.system_ticks, 222);
	assert_int_equal(stat.start_ticks, 333);
	assert_int_equal(stat.processor, 5);
	assert_int_equal(stat.minor_faults, 7);
	assert_int_equal(stat.major_faults, 9);
	assert_int_equal(stat.priority, 37);
	assert_int_equal(stat.policy, 38);
	assert_int_equal(stat.disk_ticks, 39);
}

static void stat_with_a_plain_name(void **state)
{
	expect_stat("42 (sprof)" STAT_TAIL, "sprof");
	expect_stat("42 ()" STAT_TAIL, "");
}

static void stat_with_names_that_look_like_its_end(void **state)
{
	expect_stat("42 (a b)" STAT_TAIL, "a b");
	expect_stat("42 ()) R 1 2)" STAT_TAIL, ")) R 1 2");
	expect_stat("42 (x) S 9 9 9 (y)" STAT_TAIL, "x) S 9 9 9 (y");
	expect_stat("42 (two\nlines)" STAT_TAIL, "two\nlines");
	expect_stat("42 (tab\there\xff)" STAT_TAIL, "tab\there\xff");
	expect_stat("42 (()" STAT_TAIL, "(");
}

static void a_name_of_any_length_is_cut_to_its_room(void **state)
{
	struct sprof_proc_stat stat;
	char name[300], text[1024];

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	snprintf(text, sizeof(text), "42 (%s)" STAT_TAIL, name);
	assert_true(sprof_proc_parse_stat(text, &stat));
	assert_int_equal(strlen(stat.comm), SPROF_COMM_MAX - 1);
	assert_int_equal(stat.user_ticks, 111);
}

/* Up to the 39th field a text that ends early is refused; nothing beyond its end is read. */
static void a_stat_cut_short_is_refused(void **state)
{
	static const char whole[] = "42 (a b)" STAT_TAIL;
	size_t needed = (size_t)(strstr(whole, " 35 5 37") - whole) + 4;

	for (size_t length = 0; length <= needed; length++) {
		char *text = strndup(whole, length);
		struct sprof_proc_stat stat;

		assert_non_null(text);
		assert_false(sprof_proc_parse_stat(text, &stat));
		free(text);
	}
}

static void what_is_no_stat_is_refused(void **state)
{
	static const char *const texts[] = {"", "\n", "(", ")", ")(", "42 )x( S 1 2 3", "42 (x)",
		"42 (x)S 1 2 3 4 5 6",
		"42 (x) S a b c d e f g h i j k l m n o p q r s t u v w x y z",
		"42 (x) S 1 2 3 4 5 - 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27"};
	struct sprof_proc_stat stat;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(sprof_proc_parse_stat(texts[i], &stat));
}

static void the_stat_of_this_process(void **state)
{
	struct sprof_proc_stat stat;
	char text[1024];

	assert_true(sprof_proc_read_path("/proc/self/stat", text, sizeof(text)) > 0);
	assert_true(sprof_proc_parse_stat(text, &stat));
	assert_memory_equal(stat.comm, program_invocation_short_name, strlen(stat.comm));
	assert_int_equal(stat.state, 'R');
	assert_true(stat.start_ticks > 0);
	assert_in_range(stat.processor, 0, (unsigned long)sysconf(_SC_NPROCESSORS_CONF) - 1);
}

static void loadavg(void **state)
{
	struct sprof_proc_loadavg ret;

	assert_true(sprof_proc_parse_loadavg("0.20 1.18 12.12 3/80 11206\n", &ret));
	assert_int_equal(ret.runnable, 3);
	assert_false(sprof_proc_parse_loadavg("", &ret));
	assert_false(sprof_proc_parse_loadavg("0.20 1.18 12.12", &ret));
	assert_false(sprof_proc_parse_loadavg("0.20 1.18 12.12 3 80\n", &ret));
}

static void cpus(void **state)
{
	struct sprof_proc_cpus ret;

	assert_true(sprof_proc_parse_cpus(
		"cpu  1000 200 30 77918 792 4 500 60000 7 8\ncpu0 1 1 1 1 1 1 1 1 1 1\n", &ret));
	assert_int_equal(ret.worked_ticks, 1230);
	assert_int_equal(ret.lost_ticks, 60504);
	/* Steal is what an old kernel may not have. */
	assert_false(sprof_proc_parse_cpus("cpu  1000 200 30 77918 792 4 500\n", &ret));
	assert_false(sprof_proc_parse_cpus("cpu0 1 2 3 4 5 6 7 8 9 10\n", &ret));
	assert_false(sprof_proc_parse_cpus("", &ret));
}

static void schedstat(void **state)
{
	struct sprof_proc_schedstat ret;

	assert_true(sprof_proc_parse_schedstat("12345678901234 567 89\n", &ret));
	assert_int_equal(ret.cpu_ns, 12345678901234);
	assert_int_equal(ret.runq_ns, 567);
	assert_int_equal(ret.timeslices, 89);
	assert_true(sprof_proc_parse_schedstat("0 0 0\n", &ret));
	assert_int_equal(ret.timeslices, 0);
	assert_true(sprof_proc_parse_schedstat("1 2 18446744073709551615", &ret));
	assert_true(ret.timeslices == UINT64_MAX);
	assert_false(sprof_proc_parse_schedstat("", &ret));
	assert_false(sprof_proc_parse_schedstat("1", &ret));
	assert_false(sprof_proc_parse_schedstat("1 2\n", &ret));
	assert_false(sprof_proc_parse_schedstat("x 2 3\n", &ret));
}

static void bytes_of_io(void **state)
{
	struct sprof_proc_io io;

	assert_true(sprof_proc_parse_io("rchar: 6976\nwchar: 12\nsyscr: 10\nsyscw: 1\n", &io));
	assert_int_equal(io.read_bytes, 6976);
	assert_int_equal(io.written_bytes, 12);
	assert_int_equal(io.disk_read_bytes, 0);
	assert_true(sprof_proc_parse_io("rchar: 1\nwchar: 2\nread_bytes: 4096\n"
					"write_bytes: 8192\n",
		&io));
	assert_int_equal(io.disk_read_bytes, 4096);
	assert_int_equal(io.disk_written_bytes, 8192);
	assert_false(sprof_proc_parse_io("rchar: 6976\n", &io));
	assert_false(sprof_proc_parse_io("", &io));
}

static void a_running_thread_tells_no_system_call(void **state)
{
	struct sprof_proc_syscall call;

	assert_true(sprof_proc_parse_syscall("running\n", &call));
	assert_int_equal(call.kind, SPROF_PROC_SYSCALL_RUNNING);
	assert_int_equal(call.number, -1);
	assert_int_equal(call.sp, 0);
}

static void a_thread_inside_a_system_call(void **state)
{
	struct sprof_proc_syscall call;

	assert_true(sprof_proc_parse_syscall("202 0x7f01 0x80 0x0 0xffffffffffffffff 0x5 0x6 "
					     "0x7ffd0000 0x7f00dead\n",
		&call));
	assert_int_equal(call.kind, SPROF_PROC_SYSCALL_INSIDE);
	assert_int_equal(call.number, 202);
	assert_int_equal(call.arguments[0], 0x7f01);
	assert_true(call.arguments[3] == UINT64_MAX);
	assert_int_equal(call.arguments[5], 6);
	assert_int_equal(call.sp, 0x7ffd0000);
	assert_int_equal(call.pc, 0x7f00dead);
	assert_true(sprof_proc_parse_syscall("0 0x0 0x0 0x0 0x0 0x0 0x0 0x10 0x20\n", &call));
	assert_int_equal(call.kind, SPROF_PROC_SYSCALL_INSIDE);
}

static void a_thread_blocked_outside_of_any_system_call(void **state)
{
	struct sprof_proc_syscall call;

	assert_true(sprof_proc_parse_syscall("-1 0x7ffd0000 0x7f00dead\n", &call));
	assert_int_equal(call.kind, SPROF_PROC_SYSCALL_OUTSIDE);
	assert_int_equal(call.number, -1);
	assert_int_equal(call.sp, 0x7ffd0000);
	assert_int_equal(call.pc, 0x7f00dead);
}

static void a_system_call_cut_short_is_refused(void **state)
{
	static const char *const texts[] = {"", "\n", "r", "run", "-", "7", "-1", "-1 0x10",
		"7 0x1 0x2 0x3 0x4 0x5 0x6", "7 0x1 0x2 0x3 0x4 0x5 0x6 0x7", "0x7 0x1 0x2",
		"-1 zero 0x1"};
	struct sprof_proc_syscall call;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(sprof_proc_parse_syscall(texts[i], &call));
}

/* A virtual CPU of Linux 5.8 has the flag that a worker of io_uring has today. */
static void a_worker_has_the_flag_and_the_name(void **state)
{
	static const struct {
		const char *comm;
		uint64_t flags;
		bool is_worker;
	} rows[] = {
		{"iou-wrk-4711", SPROF_PF_IO_WORKER, true},
		{"iou-sqp-4711", SPROF_PF_IO_WORKER | SPROF_PF_USER_WORKER, true},
		{"vhost-4711", SPROF_PF_USER_WORKER, true},
		{"CPU 0/KVM", SPROF_PF_IO_WORKER, false},
		{"modprobe", SPROF_PF_USER_WORKER, false},
		{"iou-wrk-4711", 0, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sprof_proc_stat stat = {.flags = rows[i].flags};

		snprintf(stat.comm, sizeof(stat.comm), "%s", rows[i].comm);
		assert_int_equal(sprof_proc_is_worker(&stat), rows[i].is_worker);
	}
}

TEST_MAIN("procfs")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_with_a_plain_name),
		cmocka_unit_test(stat_with_names_that_look_like_its_end),
		cmocka_unit_test(a_name_of_any_length_is_cut_to_its_room),
		cmocka_unit_test(a_stat_cut_short_is_refused),
		cmocka_unit_test(what_is_no_stat_is_refused),
		cmocka_unit_test(the_stat_of_this_process),
		cmocka_unit_test(schedstat),
		cmocka_unit_test(loadavg),
		cmocka_unit_test(cpus),
		cmocka_unit_test(bytes_of_io),
		cmocka_unit_test(a_running_thread_tells_no_system_call),
		cmocka_unit_test(a_thread_inside_a_system_call),
		cmocka_unit_test(a_thread_blocked_outside_of_any_system_call),
		cmocka_unit_test(a_system_call_cut_short_is_refused),
		cmocka_unit_test(a_worker_has_the_flag_and_the_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
