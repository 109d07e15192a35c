/*
 * attach/module-file: the file that is mapped is found, by whichever way is left, and no other is
 * ever taken for it.
 */
#include "attach/module/file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/attach/fixture.h"
#include "tests/unit/check.h"

/* Addresses of no mapping: the way through map_files, which needs privilege, is closed then. */
enum { NOWHERE_START = 0x1000, NOWHERE_END = 0x2000 };

static struct sprof_module module_of(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return (struct sprof_module){
		.kind = SPROF_MODULE_FILE,
		.path = path,
		.inode = status.st_ino,
		.fd = -1,
	};
}

static void expect_opened(struct sprof_module *module)
{
	struct stat status;

	assert_true(module->fd >= 0);
	assert_int_equal(module->open_errno, 0);
	assert_int_equal(module->root_fd, -1);
	assert_int_equal(fstat(module->fd, &status), 0);
	assert_int_equal(status.st_ino, module->inode);
	assert_true(fcntl(module->fd, F_GETFD) & FD_CLOEXEC);
	close(module->fd);
}

static void a_file_by_its_path(void **state)
{
	char *path = test_folder_file(*state, "library.so", "content");
	struct sprof_module module = module_of(path);

	sprof_module_file_open(&module, getpid(), NOWHERE_START, NOWHERE_END);
	expect_opened(&module);
	free(path);
}

static void a_replaced_file_is_stale(void **state)
{
	char *path = test_folder_file(*state, "library.so", "old");
	char *other = test_folder_file(*state, "library.new", "new");
	struct sprof_module module = module_of(path);

	assert_int_equal(rename(other, path), 0);
	sprof_module_file_open(&module, getpid(), NOWHERE_START, NOWHERE_END);
	assert_int_equal(module.fd, -1);
	assert_int_equal(module.open_errno, ESTALE);
	free(other);
	free(path);
}

static void a_deleted_file_is_not_there(void **state)
{
	char *path = test_folder_file(*state, "library.so", "old");
	struct sprof_module module = module_of(path);

	unlink(path);
	sprof_module_file_open(&module, getpid(), NOWHERE_START, NOWHERE_END);
	assert_int_equal(module.fd, -1);
	assert_int_equal(module.open_errno, ENOENT);
	free(path);
}

/* If this blocked, the test would never end. */
static void a_fifo_in_place_of_the_file(void **state)
{
	char *path = test_folder_path(*state, "fifo");
	struct sprof_module module;

	assert_int_equal(mkfifo(path, 0600), 0);
	module = module_of(path);
	sprof_module_file_open(&module, getpid(), NOWHERE_START, NOWHERE_END);
	assert_int_equal(module.fd, -1);
	assert_int_equal(module.open_errno, ESTALE);
	free(path);
}

/* The system call that the process sleeps in; -1: none. */
static long sleeps_in(pid_t pid)
{
	char path[64], text[128] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return text[0] >= '0' && text[0] <= '9' ? strtol(text, NULL, 10) : -1;
}

/* Whoever waits for somebody to read from a FIFO goes on waiting. */
static void a_fifo_is_not_opened(void **state)
{
	char *path = test_folder_path(*state, "waiting");
	struct sprof_module module;
	struct pollfd end;
	pid_t writer;

	assert_int_equal(mkfifo(path, 0600), 0);
	writer = fork();
	if (!writer)
		_exit(open(path, O_WRONLY | O_CLOEXEC) >= 0);
	while (sleeps_in(writer) != SYS_openat)
		sched_yield();
	module = module_of(path);
	sprof_module_file_open(&module, getpid(), NOWHERE_START, NOWHERE_END);
	assert_int_equal(module.open_errno, ESTALE);
	end = (struct pollfd){.fd = (int)syscall(SYS_pidfd_open, writer, 0), .events = POLLIN};
	assert_int_equal(poll(&end, 1, 100), 0);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	close(end.fd);
	free(path);
}

static void a_folder_in_place_of_the_file(void **state)
{
	const struct test_folder *folder = *state;
	struct sprof_module module = module_of(folder->path);

	sprof_module_file_open(&module, getpid(), NOWHERE_START, NOWHERE_END);
	assert_int_equal(module.fd, -1);
	assert_int_equal(module.open_errno, ESTALE);
}

static bool can_open_map_files(const void *address)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx", (unsigned long)address,
		(unsigned long)address + (unsigned long)sysconf(_SC_PAGESIZE));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void a_deleted_file_through_map_files(void **state)
{
	char *path = test_folder_file(*state, "library.so", "content");
	char *address = map_executable(path);
	struct sprof_module module = module_of(path);

	unlink(path);
	if (!can_open_map_files(address)) {
		munmap(address, 1);
		free(path);
		skip(); /* needs CAP_CHECKPOINT_RESTORE */
	}
	sprof_module_file_open(&module, getpid(), (uintptr_t)address,
		(uintptr_t)address + (uintptr_t)sysconf(_SC_PAGESIZE));
	expect_opened(&module);
	munmap(address, 1);
	free(path);
}

/* Copies cat, which then waits for its standard input to close. */
static char *copy_of_cat(const struct test_folder *folder)
{
	char *path = test_folder_file(folder, "copy", ""), block[65536];
	int from = open("/bin/cat", O_RDONLY | O_CLOEXEC);
	int to = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t length;

	assert_true(from >= 0 && to >= 0);
	assert_int_equal(fchmod(to, 0700), 0);
	while ((length = read(from, block, sizeof(block))) > 0)
		assert_int_equal(write(to, block, (size_t)length), length);
	close(from);
	close(to);
	return path;
}

/* The process runs the program when this returns: the pipe to the test has closed in its exec. */
static pid_t start(char *path, int *ret_input)
{
	char *arguments[] = {path, NULL};
	int input[2], ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(input, O_CLOEXEC), 0);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		dup2(input[0], STDIN_FILENO);
		execv(path, arguments);
		_exit(127);
	}
	assert_true(pid > 0);
	close(input[0]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 0);
	close(ready[0]);
	*ret_input = input[1];
	return pid;
}

static void a_deleted_program_through_exe(void **state)
{
	char *path = copy_of_cat(*state);
	struct sprof_module module = module_of(path);
	int input, status;
	pid_t pid = start(path, &input);

	unlink(path);
	sprof_module_file_open(&module, pid, NOWHERE_START, NOWHERE_END);
	close(input);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	expect_opened(&module);
	free(path);
}

static void a_process_that_is_gone(void **state)
{
	struct sprof_module module = {
		.kind = SPROF_MODULE_FILE, .path = "/bin/cat", .inode = 1, .fd = -1};

	sprof_module_file_open(&module, INT32_MAX, NOWHERE_START, NOWHERE_END);
	assert_int_equal(module.fd, -1);
	assert_int_equal(module.open_errno, ENOENT);
}

static void the_vdso_from_memory(void **state)
{
	struct sprof_module module = {.kind = SPROF_MODULE_MEMORY, .path = "[vdso]", .fd = -1};
	unsigned long start = getauxval(AT_SYSINFO_EHDR);

	if (!start)
		skip(); /* booted with vdso=0 */
	sprof_module_file_open(&module, getpid(), start, start + 4096);
	assert_non_null(module.image);
	assert_int_equal(module.image_size, 4096);
	assert_memory_equal(module.image, ELFMAG, SELFMAG);
	free(module.image);
}

static void an_image_too_large_to_be_one_is_left(void **state)
{
	struct sprof_module module = {.kind = SPROF_MODULE_MEMORY, .path = "[vdso]", .fd = -1};

	sprof_module_file_open(&module, getpid(), 0x1000, 0x1000 + (1 << 20) + 1);
	assert_null(module.image);
	assert_int_equal(module.image_size, 0);
}

static void anonymous_memory_has_nothing_to_open(void **state)
{
	struct sprof_module module = {.kind = SPROF_MODULE_ANONYMOUS, .path = "[anon]", .fd = -1};

	sprof_module_file_open(&module, getpid(), NOWHERE_START, NOWHERE_END);
	assert_int_equal(module.fd, -1);
	assert_null(module.image);
}

#define in_a_folder(test) \
	cmocka_unit_test_setup_teardown(test, test_folder_create, test_folder_remove)

TEST_MAIN("module-file")
{
	const struct CMUnitTest tests[] = {
		in_a_folder(a_file_by_its_path),
		in_a_folder(a_replaced_file_is_stale),
		in_a_folder(a_deleted_file_is_not_there),
		in_a_folder(a_fifo_in_place_of_the_file),
		in_a_folder(a_fifo_is_not_opened),
		in_a_folder(a_folder_in_place_of_the_file),
		in_a_folder(a_deleted_file_through_map_files),
		in_a_folder(a_deleted_program_through_exe),
		cmocka_unit_test(a_process_that_is_gone),
		cmocka_unit_test(the_vdso_from_memory),
		cmocka_unit_test(an_image_too_large_to_be_one_is_left),
		cmocka_unit_test(anonymous_memory_has_nothing_to_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
