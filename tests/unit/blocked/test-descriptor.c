/*
 * blocked/descriptor and descriptor-read: links and fdinfo as text, and this process's own descriptors.
 */
#include "blocked/descriptor.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "blocked/descriptor-read.h"
#include "tests/unit/check.h"

static void expect(
	const char *link, enum sprof_descriptor_kind kind, uint64_t inode, const char *text)
{
	struct sprof_descriptor descriptor;

	sprof_descriptor_parse(link, &descriptor);
	assert_int_equal(descriptor.kind, kind);
	assert_int_equal(descriptor.inode, inode);
	assert_string_equal(descriptor.text, text);
}

static void links(void **state)
{
	expect("pipe:[4711]", SPROF_DESCRIPTOR_PIPE, 4711, "pipe:[4711]");
	expect("socket:[18446744073709551615]", SPROF_DESCRIPTOR_SOCKET, UINT64_MAX,
		"socket:[18446744073709551615]");
	expect("anon_inode:[eventpoll]", SPROF_DESCRIPTOR_EPOLL, 0, "eventpoll");
	expect("anon_inode:[eventfd]", SPROF_DESCRIPTOR_ANONYMOUS, 0, "eventfd");
	expect("anon_inode:inotify", SPROF_DESCRIPTOR_ANONYMOUS, 0, "inotify");
	expect("anon_inode:[pidfd]", SPROF_DESCRIPTOR_PIDFD, 0, "pidfd");
	expect("/var/lib/x.db", SPROF_DESCRIPTOR_FILE, 0, "/var/lib/x.db");
	expect("/var/lib/x.db (deleted)", SPROF_DESCRIPTOR_FILE, 0, "/var/lib/x.db (deleted)");
	expect("/pipe:[1]", SPROF_DESCRIPTOR_FILE, 0, "/pipe:[1]");
	expect("", SPROF_DESCRIPTOR_FILE, 0, "");
}

static void a_long_path_is_cut_in_its_middle(void **state)
{
	struct sprof_descriptor descriptor;
	char path[4000];

	memset(path, 'x', sizeof(path));
	path[0] = '/';
	memcpy(path + sizeof(path) - 8, "/end.db", 8);
	sprof_descriptor_parse(path, &descriptor);
	assert_int_equal(strlen(descriptor.text), sizeof(descriptor.text) - 1);
	assert_non_null(strstr(descriptor.text, "..."));
	assert_string_equal(descriptor.text + strlen(descriptor.text) - 7, "/end.db");
}

static void an_epoll_says_what_it_watches(void **state)
{
	const char *info =
		"pos:\t0\nflags:\t02\nmnt_id:\t15\nino:\t1057\n"
		"tfd:        5 events:       19 data:                5  pos:0 ino:1 sdev:8\n"
		"tfd:       71 events:       19 data:               71  pos:0 ino:2 sdev:8\n"
		"tfd:        9 events:       19 data:                9  pos:0 ino:3 sdev:8\n";
	int fds[2];

	assert_int_equal(sprof_descriptor_parse_watched(info, fds, 2), 3);
	assert_int_equal(fds[0], 5);
	assert_int_equal(fds[1], 71);
	assert_int_equal(sprof_descriptor_parse_watched("pos:\t0\n", fds, 2), 0);
	assert_int_equal(sprof_descriptor_parse_watched("", fds, 2), 0);
}

static void a_ring_says_what_it_has_completed(void **state)
{
	assert_true(sprof_descriptor_is_ring_done(
		"SqHead:\t4\nSqTail:\t5\nCachedSqHead:\t4\nCachedCqTail:\t4\nPollList:\n"));
	assert_false(sprof_descriptor_is_ring_done(
		"SqHead:\t5\nSqTail:\t5\nCachedSqHead:\t5\nCachedCqTail:\t4\nPollList:\n"));
	/* A request for many events has completions, and goes on. */
	assert_false(sprof_descriptor_is_ring_done(
		"CachedSqHead:\t4\nCachedCqTail:\t4\nPollList:\n  op=6, task_works=0\n"));
	assert_false(sprof_descriptor_is_ring_done("CachedSqHead:\t4\nCachedCqTail:\t4\n"));
	assert_false(sprof_descriptor_is_ring_done("pos:\t0\nUserFiles:\t0\n"));
}

static void own_descriptors(void **state)
{
	struct sprof_descriptor descriptor;
	struct epoll_event event = {.events = EPOLLIN};
	int event_fd = eventfd(0, 0), epoll_fd = epoll_create1(0), pipe_fds[2], fds[4];
	char text[1024];

	assert_int_equal(pipe(pipe_fds), 0);
	assert_int_equal(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, event_fd, &event), 0);
	assert_true(sprof_descriptor_read(getpid(), epoll_fd, &descriptor));
	assert_int_equal(descriptor.kind, SPROF_DESCRIPTOR_EPOLL);
	assert_true(sprof_descriptor_read_info(getpid(), epoll_fd, text, sizeof(text)) > 0);
	assert_int_equal(sprof_descriptor_parse_watched(text, fds, 4), 1);
	assert_int_equal(fds[0], event_fd);
	assert_true(sprof_descriptor_read(getpid(), pipe_fds[0], &descriptor));
	assert_int_equal(descriptor.kind, SPROF_DESCRIPTOR_PIPE);
	assert_false(sprof_descriptor_is_write_end(getpid(), pipe_fds[0]));
	assert_true(sprof_descriptor_is_write_end(getpid(), pipe_fds[1]));
	assert_true(sprof_descriptor_find(getpid(), descriptor.text, true, 1000));
	close(pipe_fds[1]);
	assert_false(sprof_descriptor_find(getpid(), descriptor.text, true, 1000));
	assert_true(sprof_descriptor_find(getpid(), descriptor.text, false, 1000));
	close(pipe_fds[0]);
	close(epoll_fd);
	close(event_fd);
	assert_false(sprof_descriptor_read(getpid(), event_fd, &descriptor));
}

TEST_MAIN("descriptor")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links),
		cmocka_unit_test(a_long_path_is_cut_in_its_middle),
		cmocka_unit_test(an_epoll_says_what_it_watches),
		cmocka_unit_test(a_ring_says_what_it_has_completed),
		cmocka_unit_test(own_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
