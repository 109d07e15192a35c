/*
 * output/out: whole files or none, links and devices, and errors that are never lost.
 */
#include "output/out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "tests/unit/check.h"
#include "tests/unit/output/written.h"

/* Each test runs in an empty folder of its own. */
static int enter_folder(void **state)
{
	char path[] = "/tmp/sprof-test-out-XXXXXX";

	umask(022);
	if (!mkdtemp(path) || chdir(path))
		return -1;
	*state = strdup(path);
	return *state ? 0 : -1;
}

static int leave_folder(void **state)
{
	SPROF_AUTO_FREE char *path = *state;
	DIR *folder = opendir(".");

	for (struct dirent *entry; (entry = readdir(folder));)
		unlink(entry->d_name);
	closedir(folder);
	return chdir("/") || rmdir(path);
}

static size_t count_files(void)
{
	DIR *folder = opendir(".");
	size_t count = 0;

	for (struct dirent *entry; (entry = readdir(folder));)
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(folder);
	return count;
}

static void put(const char *path, const char *text, mode_t mode)
{
	SPROF_AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
}

static void assert_content(const char *path, const char *expected)
{
	SPROF_AUTO_FREE char *text = written_file(path);

	assert_string_equal(text, expected);
}

static mode_t mode_of(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_mode & 07777;
}

static struct sprof_out *open_out(const char *path)
{
	struct sprof_error err = {0};
	struct sprof_out *out;

	if (!sprof_out_open(path, &out, &err))
		fail_msg("%s", err.message);
	return out;
}

static void a_file_appears_whole(void **state)
{
	struct sprof_error err;
	struct sprof_out *out = open_out("new.txt");

	sprof_out_puts(out, "hello ");
	sprof_out_printf(out, "%d", 42);
	sprof_out_fill(out, '!', 3);
	assert_int_equal(access("new.txt", F_OK), -1);
	assert_true(sprof_out_close(out, &err));
	assert_content("new.txt", "hello 42!!!");
	assert_int_equal(mode_of("new.txt"), 0644);
	assert_int_equal(count_files(), 1);
}

static void more_than_the_buffer_gets_through(void **state)
{
	struct sprof_error err;
	struct sprof_out *out = open_out("big");
	SPROF_AUTO_FREE char *block = calloc(1, 200001);
	struct stat status;

	memset(block, 'x', 200000);
	sprof_out_puts(out, "a");
	sprof_out_puts(out, block);
	sprof_out_printf(out, "%s", block);
	for (int i = 0; i < 100000; i++)
		sprof_out_puts(out, "12345");
	assert_true(sprof_out_close(out, &err));
	assert_int_equal(stat("big", &status), 0);
	assert_int_equal(status.st_size, 1 + 400000 + 500000);
}

static void the_old_file_stays_until_the_new_one_is_whole(void **state)
{
	struct sprof_error err;
	struct sprof_out *out;

	put("kept", "old", 0600);
	out = open_out("kept");
	sprof_out_puts(out, "new");
	assert_content("kept", "old");
	assert_true(sprof_out_close(out, &err));
	assert_content("kept", "new");
	assert_int_equal(mode_of("kept"), 0600);
}

static void discarding_leaves_everything_as_it_was(void **state)
{
	struct sprof_out *out;

	put("kept", "old", 0644);
	out = open_out("kept");
	sprof_out_puts(out, "new");
	sprof_out_discard(out);
	assert_content("kept", "old");
	assert_int_equal(count_files(), 1);
	sprof_out_discard(NULL);
}

static void links_are_followed_not_replaced(void **state)
{
	struct sprof_error err;
	struct sprof_out *out;
	struct stat status;

	put("real", "old", 0644);
	assert_int_equal(symlink("real", "link"), 0);
	assert_int_equal(symlink("link", "chain"), 0);
	assert_int_equal(symlink("to-be", "dangling"), 0);
	out = open_out("chain");
	sprof_out_puts(out, "new");
	assert_true(sprof_out_close(out, &err));
	assert_content("real", "new");
	assert_int_equal(lstat("link", &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	out = open_out("dangling");
	sprof_out_puts(out, "made");
	assert_true(sprof_out_close(out, &err));
	assert_content("to-be", "made");
}

static void descriptors_of_our_own_are_written_through(void **state)
{
	struct sprof_error err;
	SPROF_AUTO_CLOSE int fd = open("shared", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	struct sprof_out *out;
	char path[64];

	assert_int_equal(write(fd, "before ", 7), 7);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	assert_int_equal(symlink(path, "link"), 0);
	out = open_out("link");
	sprof_out_puts(out, "after");
	assert_true(sprof_out_close(out, &err));
	assert_content("shared", "before after");
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_false(sprof_out_open("/dev/fd/987", &out, &err));
	assert_string_equal(err.message, "can't write /dev/fd/987: Bad file descriptor");
}

static void devices_and_fifos_are_written_straight_to(void **state)
{
	struct sprof_error err;
	struct sprof_out *out = open_out("/dev/null");
	char text[8] = "";
	SPROF_AUTO_CLOSE int fd = -1;

	sprof_out_puts(out, "gone");
	assert_true(sprof_out_close(out, &err));
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_true(sprof_out_probe("fifo", &err));
	fd = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	out = open_out("fifo");
	sprof_out_puts(out, "piped");
	assert_true(sprof_out_close(out, &err));
	assert_int_equal(read(fd, text, sizeof(text)), 5);
	assert_string_equal(text, "piped");
	assert_int_equal(count_files(), 1);
}

static void other_devices_are_refused(void **state)
{
	struct sprof_error err;
	struct sprof_out *out;

	assert_false(sprof_out_probe("/dev/zero", &err));
	assert_false(sprof_out_open("/dev/zero", &out, &err));
	assert_string_equal(err.message,
		"can't write /dev/zero: it is not a file, a pipe, a terminal, /dev/null or /dev/full");
	assert_int_equal(symlink("/dev/zero", "link"), 0);
	assert_false(sprof_out_open("link", &out, &err));
	assert_true(sprof_out_probe("/dev/null", &err));
	assert_true(sprof_out_probe("/dev/full", &err));
}

static void one_place_has_many_names(void **state)
{
	assert_int_equal(mkdir("d", 0755), 0);
	put("d/a", "", 0644);
	assert_int_equal(symlink("d", "e"), 0);
	assert_int_equal(symlink("d/a", "l"), 0);
	assert_true(sprof_out_is_same("new", "new"));
	assert_true(sprof_out_is_same("new", "./new"));
	assert_true(sprof_out_is_same("d/new", "e/new"));
	assert_true(sprof_out_is_same("d/a", "d/../e/a"));
	assert_true(sprof_out_is_same("d/a", "l"));
	assert_false(sprof_out_is_same("d/a", "a"));
	assert_false(sprof_out_is_same("new", "d/new"));
	assert_true(sprof_out_is_same("-", "/dev/stdout"));
	assert_true(sprof_out_is_same("/dev/fd/1", "-"));
	assert_false(sprof_out_is_same("/dev/null", "/dev/null"));
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_true(sprof_out_is_same("fifo", "./fifo"));
	assert_int_equal(unlink("d/a"), 0);
	assert_int_equal(rmdir("d"), 0);
}

static void a_shells_file_is_that_file(void **state)
{
	SPROF_AUTO_CLOSE int fd = -1;
	char path[32];

	put("a", "", 0644);
	fd = open("a", O_WRONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	assert_true(sprof_out_is_same("a", path));
	assert_false(sprof_out_is_same("b", path));
}

static void the_old_file_is_kept(void **state)
{
	struct sprof_error err;

	for (int i = 0; i < 2; i++) {
		struct sprof_out *out = open_out("x");

		sprof_out_keep_old(out);
		sprof_out_printf(out, "%d", i);
		assert_true(sprof_out_close(out, &err));
	}
	assert_content("x", "1");
	assert_content("x.old", "0");
	assert_int_equal(count_files(), 2);
}

static void a_full_disk_is_never_silent(void **state)
{
	struct sprof_error err;
	struct sprof_out *out = open_out("/dev/full");

	sprof_out_puts(out, "x");
	assert_false(sprof_out_failed(out));
	assert_false(sprof_out_close(out, &err));
	assert_int_equal(err.os_errno, ENOSPC);
	assert_string_equal(err.message, "can't write /dev/full: No space left on device");

	out = open_out("/dev/full");
	sprof_out_fill(out, 'x', 300000);
	assert_true(sprof_out_failed(out));
	assert_false(sprof_out_close(out, &err));
	assert_int_equal(err.os_errno, ENOSPC);
}

static void a_failed_file_is_taken_away(void **state)
{
	struct sprof_error err;
	struct sprof_out *out;

	put("kept", "old", 0644);
	out = open_out("kept");
	sprof_out_puts(out, "new");
	sprof_out_fail(out, EFBIG);
	sprof_out_fail(out, ENOSPC);
	assert_false(sprof_out_close(out, &err));
	assert_int_equal(err.os_errno, EFBIG);
	assert_content("kept", "old");
	assert_int_equal(count_files(), 1);

	out = open_out("taken");
	assert_int_equal(mkdir("taken", 0755), 0);
	assert_false(sprof_out_close(out, &err));
	assert_int_equal(err.os_errno, EISDIR);
	assert_int_equal(count_files(), 2);
	assert_int_equal(rmdir("taken"), 0);
}

static void a_closed_pipe_is_an_error(void **state)
{
	struct sprof_error err;
	struct sprof_out *out;
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	close(ends[0]);
	assert_true(sprof_out_open_fd(ends[1], "stdout", &out, &err));
	sprof_out_puts(out, "x");
	assert_false(sprof_out_close(out, &err));
	assert_string_equal(err.message, "can't write stdout: Broken pipe");
	close(ends[1]);
}

static bool has_nameless_files(void)
{
	SPROF_AUTO_CLOSE int fd = open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	return fd >= 0;
}

static void an_unfinished_file_has_no_name(void **state)
{
	struct sprof_error err;
	struct sprof_out *out = open_out("new.txt");

	sprof_out_puts(out, "hello");
	if (has_nameless_files())
		assert_int_equal(count_files(), 0);
	assert_true(sprof_out_close(out, &err));
	assert_content("new.txt", "hello");
	assert_int_equal(count_files(), 1);
}

static void what_others_may_have_planted_is_not_written_to(void **state)
{
	struct sprof_error err = {0};
	struct sprof_out *out;

	put("precious", "old", 0600);
	assert_int_equal(symlink("precious", "link"), 0);
	assert_int_equal(chmod(".", 01777), 0);
	assert_false(sprof_out_open("link", &out, &err));
	assert_non_null(strstr(err.message, "symbolic link"));
	assert_content("precious", "old");
	assert_int_equal(mkfifo("fifo", 0666), 0);
	assert_true(sprof_out_probe("fifo", &err));
	if (!geteuid()) {
		assert_int_equal(chown("fifo", 65534, 65534), 0);
		assert_false(sprof_out_probe("fifo", &err));
		assert_non_null(strstr(err.message, "another user's"));
	}
	assert_int_equal(chmod(".", 0755), 0);
	assert_true(sprof_out_probe("link", &err));
}

/* The kernel's rule for links that it protects (proc(5)), here for the folders of a path too. */
static void no_planted_link_leads_to_the_folder(void **state)
{
	struct sprof_error err = {0};

	assert_int_equal(symlink(".", "ours"), 0);
	assert_int_equal(symlink("ours/ours", "long"), 0);
	assert_int_equal(symlink(".", "theirs"), 0);
	assert_int_equal(symlink("theirs/ours", "hidden"), 0);
	assert_int_equal(symlink("round", "round"), 0);
	assert_int_equal(chmod(".", 01777), 0);
	assert_true(sprof_out_probe("ours/x", &err));
	assert_true(sprof_out_probe("long/x", &err));
	assert_false(sprof_out_probe("round/x", &err));
	assert_int_equal(err.os_errno, ELOOP);
	if (geteuid())
		return;
	assert_int_equal(lchown("theirs", 65534, 65534), 0);
	assert_false(sprof_out_probe("theirs/x", &err));
	assert_non_null(strstr(err.message, "behind another user's symbolic link"));
	assert_false(sprof_out_probe("long/theirs/ours/x", &err));
	assert_false(sprof_out_probe("hidden/x", &err));
	assert_int_equal(chown(".", 65534, 65534), 0);
	assert_true(sprof_out_probe("theirs/x", &err));
	assert_int_equal(chown(".", 0, 0), 0);
	assert_int_equal(chmod(".", 0755), 0);
	assert_true(sprof_out_probe("theirs/x", &err));
}

static void the_mode_of_another_users_file_is_not_kept(void **state)
{
	struct sprof_error err;

	if (geteuid())
		skip();
	put("theirs", "old", 0666);
	assert_int_equal(chown("theirs", 65534, 65534), 0);
	assert_true(sprof_out_close(open_out("theirs"), &err));
	assert_int_equal(mode_of("theirs"), 0644);
}

static void assert_refused(const char *path, int errnum)
{
	struct sprof_error err = {0};
	struct sprof_out *out;

	assert_false(sprof_out_open(path, &out, &err));
	assert_int_equal(err.os_errno, errnum);
	assert_non_null(strstr(err.message, path));
	assert_false(sprof_out_probe(path, &err));
}

static void places_that_are_no_file_are_refused(void **state)
{
	char too_long[300] = "";

	memset(too_long, 'x', sizeof(too_long) - 1);
	put("file", "", 0644);
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_refused(".", EISDIR);
	assert_refused("", ENOENT);
	assert_refused("missing/file", ENOENT);
	assert_refused("file/below", ENOTDIR);
	assert_refused("loop", ELOOP);
	assert_refused(too_long, ENAMETOOLONG);
	assert_int_equal(count_files(), 2);
}

static void a_probe_leaves_no_trace(void **state)
{
	struct sprof_error err;

	assert_true(sprof_out_probe("new", &err));
	assert_int_equal(count_files(), 0);
	put("kept", "old", 0644);
	assert_true(sprof_out_probe("kept", &err));
	assert_content("kept", "old");
	assert_true(sprof_out_probe("/dev/stdout", &err));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

TEST_MAIN("out")
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(a_file_appears_whole),
		IN_FOLDER(more_than_the_buffer_gets_through),
		IN_FOLDER(the_old_file_stays_until_the_new_one_is_whole),
		IN_FOLDER(discarding_leaves_everything_as_it_was),
		IN_FOLDER(links_are_followed_not_replaced),
		IN_FOLDER(descriptors_of_our_own_are_written_through),
		IN_FOLDER(devices_and_fifos_are_written_straight_to),
		IN_FOLDER(other_devices_are_refused),
		IN_FOLDER(one_place_has_many_names),
		IN_FOLDER(a_shells_file_is_that_file),
		IN_FOLDER(the_old_file_is_kept),
		IN_FOLDER(a_full_disk_is_never_silent),
		IN_FOLDER(a_failed_file_is_taken_away),
		IN_FOLDER(a_closed_pipe_is_an_error),
		IN_FOLDER(places_that_are_no_file_are_refused),
		IN_FOLDER(a_probe_leaves_no_trace),
		IN_FOLDER(an_unfinished_file_has_no_name),
		IN_FOLDER(what_others_may_have_planted_is_not_written_to),
		IN_FOLDER(no_planted_link_leads_to_the_folder),
		IN_FOLDER(the_mode_of_another_users_file_is_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
