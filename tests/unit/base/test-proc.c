/*
 * base/proc: paths, and this process's own files.
 */
#include "base/proc.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/check.h"

static void a_file_is_read_from_its_start_every_time(void **state)
{
	FILE *file = tmpfile();
	char text[16];

	assert_non_null(file);
	fputs("0123456789", file);
	fflush(file);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(sprof_proc_read(fileno(file), text, sizeof(text)), 10);
		assert_string_equal(text, "0123456789");
	}
	assert_int_equal(sprof_proc_read(fileno(file), text, 5), 4);
	assert_string_equal(text, "0123");
	fclose(file);
	assert_int_equal(sprof_proc_read_path("/proc/0/stat", text, sizeof(text)), -1);
	assert_int_equal(errno, ENOENT);
}

static void a_whole_file_has_any_size(void **state)
{
	int fd = memfd_create("test", 0);
	char path[32], block[1000], *text;
	size_t size;

	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	memset(block, 'b', sizeof(block));
	for (int i = 0; i < 300; i++)
		assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	text = sprof_proc_read_whole(path, &size);
	close(fd);
	assert_non_null(text);
	assert_int_equal(size, 300 * sizeof(block));
	assert_int_equal(strlen(text), size);
	free(text);
	assert_null(sprof_proc_read_whole(path, &size));
	assert_int_equal(errno, ENOENT);
	text = sprof_proc_read_whole("/dev/null", &size);
	assert_string_equal(text, "");
	free(text);
}

static void paths(void **state)
{
	char link[64];

	assert_string_equal(sprof_proc_path(7, 0, "stat").text, "/proc/7/stat");
	assert_string_equal(sprof_proc_path(7, 8, "fd/%d", 9).text, "/proc/7/task/8/fd/9");
	assert_string_equal(
		sprof_proc_path(SPROF_PROC_SELF, 0, "status").text, "/proc/self/status");
	assert_int_equal(strlen(sprof_proc_path(7, 0, "%0200d", 1).text), SPROF_PROC_PATH_MAX - 1);
	assert_true(sprof_proc_read_link("/proc/self", link, sizeof(link)));
	assert_int_equal(atoi(link), getpid());
	assert_false(sprof_proc_read_link("/proc/self/fd", link, sizeof(link)));
}

static void the_files_of_a_thread(void **state)
{
	char text[64];
	int fd;

	assert_true(sprof_proc_read_comm(getpid(), text, sizeof(text)));
	assert_string_equal(text, "test-base");
	assert_true(sprof_proc_read_file(getpid(), gettid(), "comm", text, sizeof(text)) > 0);
	assert_string_equal(text, "test-base\n");
	assert_false(sprof_proc_read_comm(INT_MAX, text, sizeof(text)));
	fd = sprof_proc_open(getpid(), 0, "stat");
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(sprof_proc_open(getpid(), INT_MAX, "stat"), -1);
}

static void the_tasks_of_a_process(void **state)
{
	DIR *tasks = sprof_proc_open_tasks(getpid());

	assert_non_null(tasks);
	assert_int_equal(sprof_proc_next_id(tasks), getpid());
	assert_int_equal(sprof_proc_next_id(tasks), 0);
	closedir(tasks);
	assert_null(sprof_proc_open_tasks(INT_MAX));
}

TEST_MAIN("proc")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read_from_its_start_every_time),
		cmocka_unit_test(a_whole_file_has_any_size),
		cmocka_unit_test(paths),
		cmocka_unit_test(the_files_of_a_thread),
		cmocka_unit_test(the_tasks_of_a_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
