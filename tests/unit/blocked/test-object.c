/*
 * blocked/object, call, duration and kernel-stack: arguments of system calls of this process in
 * words.
 */
#include "blocked/object.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "blocked/duration.h"
#include "blocked/kernel-stack.h"
#include "tests/unit/blocked/own-process.h"
#include "tests/unit/check.h"

static void expect(int64_t call, const uint64_t arguments[6], const char *text)
{
	struct sprof_objects objects = {.access = &own_process};
	char buffer[SPROF_OBJECT_TEXT];

	sprof_objects_describe(&objects, getpid(), sprof_blocked_call_find(call, arguments),
		arguments, buffer, sizeof(buffer));
	assert_string_equal(buffer, text);
	sprof_objects_finish(&objects);
}

static enum sprof_wait_kind kind_of(int64_t call, const uint64_t arguments[6])
{
	return sprof_blocked_call_find(call, arguments)->kind;
}

static void kinds(void **state)
{
	const uint64_t none[6] = {0};

	assert_int_equal(kind_of(SYS_futex, none), SPROF_WAIT_KIND_LOCK);
	assert_int_equal(kind_of(SYS_read, none), SPROF_WAIT_KIND_IO);
	assert_int_equal(kind_of(SYS_clock_nanosleep, none), SPROF_WAIT_KIND_TIME);
	assert_int_equal(kind_of(SYS_wait4, none), SPROF_WAIT_KIND_CHILD);
	assert_int_equal(kind_of(SYS_epoll_pwait, none), SPROF_WAIT_KIND_EVENT);
	assert_int_equal(kind_of(SYS_getpid, none), SPROF_WAIT_KIND_OTHER);
	assert_int_equal(kind_of(-1, none), SPROF_WAIT_KIND_OTHER);
}

static void durations(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0 ns"},
		{7, "7 ns"},
		{99, "99 ns"},
		{100, "100 ns"},
		{70000000, "70 ms"},
		{4949000, "4.9 ms"},
		{1500000000, "1.5 s"},
		{99900000, "100 ms"},
		{3600ull * SPROF_NS_PER_S, "3600 s"},
		{123456789, "120 ms"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[32];

		sprof_blocked_duration(cases[i].ns, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
}

static void sleeps(void **state)
{
	const struct timespec time = {0, 70 * SPROF_NS_PER_MS};
	const uint64_t relative[6] = {CLOCK_MONOTONIC, 0, (uintptr_t)&time};
	const uint64_t absolute[6] = {CLOCK_MONOTONIC, TIMER_ABSTIME, (uintptr_t)&time};
	const uint64_t plain[6] = {(uintptr_t)&time}, nowhere[6] = {0};

	expect(SYS_clock_nanosleep, relative, "70 ms");
	expect(SYS_clock_nanosleep, absolute, "until a given time");
	expect(SYS_nanosleep, plain, "70 ms");
	expect(SYS_nanosleep, nowhere, "");
}

/* Of no descriptor: select(2) and poll(2) are sleeps, as in Python up to 3.10. */
static void old_sleeps(void **state)
{
	const struct timespec time = {0, 70 * SPROF_NS_PER_MS};
	struct pollfd polled = {.fd = 0};
	uint8_t set[128] = {1};
	const uint64_t polls[6] = {0, 0, (uintptr_t)&time};
	const uint64_t watches[6] = {(uintptr_t)&polled, 1, (uintptr_t)&time};
	const uint64_t for_ever[6] = {0};
	const uint64_t selects[6] = {0, (uintptr_t)set, 0, 0, (uintptr_t)&time};
	const uint64_t selects_without_sets[6] = {8, 0, 0, 0, (uintptr_t)&time};

	expect(SYS_ppoll, polls, "70 ms");
	assert_int_equal(kind_of(SYS_ppoll, polls), SPROF_WAIT_KIND_TIME);
	assert_int_equal(kind_of(SYS_ppoll, watches), SPROF_WAIT_KIND_EVENT);
	assert_int_equal(kind_of(SYS_ppoll, for_ever), SPROF_WAIT_KIND_EVENT);
	expect(SYS_pselect6, selects, "70 ms");
	assert_int_equal(kind_of(SYS_pselect6, selects), SPROF_WAIT_KIND_TIME);
	assert_int_equal(kind_of(SYS_pselect6, selects_without_sets), SPROF_WAIT_KIND_TIME);
	assert_int_equal(kind_of(SYS_pselect6, for_ever), SPROF_WAIT_KIND_EVENT);
#ifdef SYS_poll
	{
		const struct timeval value = {1, 500 * 1000};
		const uint64_t old_poll[6] = {0, 0, 70}, old_for_ever[6] = {0, 0, UINT32_MAX};
		const uint64_t old_select[6] = {0, 0, 0, 0, (uintptr_t)&value};

		expect(SYS_poll, old_poll, "70 ms");
		assert_int_equal(kind_of(SYS_poll, old_poll), SPROF_WAIT_KIND_TIME);
		assert_int_equal(kind_of(SYS_poll, old_for_ever), SPROF_WAIT_KIND_EVENT);
		expect(SYS_select, old_select, "1.5 s");
	}
#endif
}

static void children(void **state)
{
	const uint64_t any[6] = {(uint64_t)-1}, group[6] = {0}, one[6] = {(uint64_t)INT32_MAX};

	expect(SYS_wait4, any, "any child");
	expect(SYS_wait4, group, "any child of a process group");
	expect(SYS_wait4, one, "child process 2147483647");
}

static void descriptors(void **state)
{
	int fd = eventfd(0, 0), pipe_fds[2], epoll_fd = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};
	struct pollfd polled[2] = {{.fd = fd}, {.fd = -1}};
	const uint64_t none[6] = {(uint64_t)-1};
	char text[64], link[64];
	ssize_t length;

	assert_int_equal(pipe(pipe_fds), 0);
	expect(SYS_read, (const uint64_t[6]){(uint64_t)fd}, "eventfd");
	expect(SYS_read, none, "descriptor -1");
	/* Nobody is traced here, and this process has the other end itself. */
	snprintf(text, sizeof(text), "/proc/self/fd/%d", pipe_fds[0]);
	length = readlink(text, link, sizeof(link) - 20);
	link[length] = '\0';
	strcat(link, " from itself");
	expect(SYS_read, (const uint64_t[6]){(uint64_t)pipe_fds[0]}, link);
	expect(SYS_ppoll, (const uint64_t[6]){(uintptr_t)polled, 2}, "eventfd");
	expect(SYS_ppoll, (const uint64_t[6]){0, 0}, "no descriptors");
	assert_int_equal(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event), 0);
	assert_int_equal(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, pipe_fds[1], &event), 0);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	expect(SYS_epoll_pwait, (const uint64_t[6]){(uint64_t)epoll_fd}, "eventfd");
	close(fd);
	close(epoll_fd);
}

static void paths(void **state)
{
	const uint64_t opened[6] = {0, (uintptr_t) "store/lock"}, nowhere[6] = {0, 8};

	expect(SYS_openat, opened, "store/lock");
	expect(SYS_openat, nowhere, "");
}

static void kernel_stacks(void **state)
{
	struct sprof_kernel_stack stack = {.text = "[<0>] pipe_read+0x1b1/0x3c0\n[<0>] "
						   "vfs_read+0xbb/0x360\n[<0>] 0xffffffff\n"};

	sprof_kernel_stack_parse(&stack);
	assert_int_equal(stack.count, 3);
	assert_string_equal(stack.frames[0], "pipe_read");
	assert_string_equal(stack.frames[1], "vfs_read");
	strcpy(stack.text, "");
	sprof_kernel_stack_parse(&stack);
	assert_int_equal(stack.count, 0);
}

TEST_MAIN("object")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(durations),
		cmocka_unit_test(sleeps),
		cmocka_unit_test(old_sleeps),
		cmocka_unit_test(children),
		cmocka_unit_test(descriptors),
		cmocka_unit_test(paths),
		cmocka_unit_test(kernel_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
