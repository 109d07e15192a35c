/*
 * cmd/channel: lines, and the values of --control.
 */
#include "cmd/record/channel.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/check.h"

static enum sprof_line parse(const char *text)
{
	return sprof_line_parse(text, strlen(text));
}

static void lines(void **state)
{
	assert_int_equal(parse(""), SPROF_LINE_EMPTY);
	assert_int_equal(parse(" \t\r"), SPROF_LINE_EMPTY);
	assert_int_equal(parse("enable"), SPROF_LINE_ENABLE);
	assert_int_equal(parse("disable\r"), SPROF_LINE_DISABLE);
	assert_int_equal(parse("  ping "), SPROF_LINE_PING);
	assert_int_equal(parse("stop"), SPROF_LINE_STOP);
	assert_int_equal(parse("snapshot"), SPROF_LINE_SNAPSHOT);
	assert_int_equal(sprof_line_parse("enabled", 6), SPROF_LINE_ENABLE);
	assert_int_equal(sprof_line_parse("ping\0", 5), SPROF_LINE_UNKNOWN);
	assert_int_equal(parse("enabled"), SPROF_LINE_UNKNOWN);
	assert_int_equal(parse("enabl"), SPROF_LINE_UNKNOWN);
	assert_int_equal(parse("ENABLE"), SPROF_LINE_UNKNOWN);
	assert_int_equal(parse("enable now"), SPROF_LINE_UNKNOWN);
}

static void descriptors(void **state)
{
	struct sprof_channel channel = {-1, -1};
	struct sprof_error err = {0};
	char text[64];
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	snprintf(text, sizeof(text), "fd:%d", ends[0]);
	assert_true(sprof_channel_open(&channel, text, &err));
	assert_int_equal(channel.lines, ends[0]);
	assert_int_equal(channel.acks, -1);
	snprintf(text, sizeof(text), "fd:%d,%d", ends[0], ends[1]);
	assert_true(sprof_channel_open(&channel, text, &err));
	assert_int_equal(channel.acks, ends[1]);
	/* The wrong ends. */
	snprintf(text, sizeof(text), "fd:%d", ends[1]);
	assert_false(sprof_channel_open(&channel, text, &err));
	snprintf(text, sizeof(text), "fd:%d,%d", ends[0], ends[0]);
	assert_false(sprof_channel_open(&channel, text, &err));
	close(ends[0]);
	close(ends[1]);
	snprintf(text, sizeof(text), "fd:%d", ends[0]);
	assert_false(sprof_channel_open(&channel, text, &err));
	assert_int_equal(err.kind, SPROF_ERROR_USAGE);
}

static void fifos(void **state)
{
	struct sprof_channel channel = {-1, -1};
	struct sprof_error err = {0};
	char folder[] = "/tmp/test-channel.XXXXXX";

	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkfifo("lines", 0600), 0);
	assert_int_equal(mkfifo("acks", 0600), 0);
	assert_true(sprof_channel_open(&channel, "fifo:lines", &err));
	assert_int_equal(channel.acks, -1);
	/* A program that is started does not get it. */
	assert_true(fcntl(channel.lines, F_GETFD) & FD_CLOEXEC);
	close(channel.lines);
	assert_true(sprof_channel_open(&channel, "fifo:lines,acks", &err));
	assert_true(channel.acks >= 0);
	close(channel.lines);
	close(channel.acks);
	assert_false(sprof_channel_open(&channel, "fifo:lines,none", &err));
	assert_false(sprof_channel_open(&channel, "fifo:none", &err));
	assert_false(sprof_channel_open(&channel, "fifo:.", &err));
	unlink("lines");
	unlink("acks");
	assert_int_equal(chdir("/"), 0);
	rmdir(folder);
}

static void what_is_no_channel(void **state)
{
	static const char *const bad[] = {"", "fd", "fd:", "fd:x", "fd:-1", "fd:+1", "fd: 1",
		"fd:0x1", "fd:0,", "fd:,1", "fd:0,1,2", "fd:0;1", "fd:99999999999999999999",
		"fd:2147483647", "fifo:", "fifo:,", "fifo:,x", "fifo:x,", "pipe:x", "0", "/tmp"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct sprof_channel channel = {-1, -1};
		struct sprof_error err = {0};

		assert_false(sprof_channel_open(&channel, bad[i], &err));
		assert_int_equal(err.kind, SPROF_ERROR_USAGE);
		assert_int_equal(channel.lines, -1);
	}
}

TEST_MAIN("channel")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(descriptors),
		cmocka_unit_test(fifos),
		cmocka_unit_test(what_is_no_channel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
