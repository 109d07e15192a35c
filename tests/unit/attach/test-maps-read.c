/*
 * attach/module/read-maps: mappings of this very process, and what is opened of them.
 */
#include "attach/module/read-maps.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/proc/perf-map.h"
#include "tests/unit/attach/fixture.h"
#include "tests/unit/check.h"

/* Counted here (the linker's --wrap), and then done. */
void __real_sprof_perf_map_open(struct sprof_module *module, pid_t pid);
void __wrap_sprof_perf_map_open(struct sprof_module *module, pid_t pid);

static unsigned perf_maps_looked_for;

void __wrap_sprof_perf_map_open(struct sprof_module *module, pid_t pid)
{
	perf_maps_looked_for++;
	__real_sprof_perf_map_open(module, pid);
}

static void reads_this_process(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_maps maps = {0};
	const struct sprof_mapping *mapping;
	char path[PATH_MAX];

	assert_true(sprof_maps_read(&maps, getpid(), modules));
	for (size_t i = 1; i < maps.count; i++)
		assert_true(maps.items[i - 1].end <= maps.items[i].start);
	mapping = sprof_maps_find(&maps, (uintptr_t)reads_this_process);
	assert_non_null(mapping);
	assert_true(mapping->executable);
	assert_non_null(realpath("/proc/self/exe", path));
	assert_string_equal(sprof_modules_get(modules, mapping->module)->path, path);
	assert_true(sprof_modules_get(modules, mapping->module)->fd >= 0);
	mapping = sprof_maps_find(&maps, (uintptr_t)path);
	assert_non_null(mapping);
	assert_int_equal(mapping->module, SPROF_MAPPING_NO_MODULE);
	sprof_maps_finish(&maps);
	sprof_modules_destroy(modules);
}

/* Another process, whose mappings are its own business: a page more for each byte that it gets. */
static pid_t start_mapper(int *ret_socket)
{
	int sockets[2];
	pid_t pid;
	char byte;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid) {
		close(sockets[1]);
		*ret_socket = sockets[0];
		return pid;
	}
	close(sockets[0]);
	while (read(sockets[1], &byte, 1) == 1) {
		mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (write(sockets[1], &byte, 1) != 1)
			break;
	}
	_exit(0);
}

/* A recording may see millions of processes that run the same programs. */
static void another_process_of_the_same_files_has_no_module_of_its_own(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_maps ours = {0}, its = {0};
	int other;
	pid_t pid = start_mapper(&other);
	size_t count;

	assert_true(sprof_maps_read(&ours, getpid(), modules));
	count = sprof_modules_count(modules);
	assert_true(sprof_maps_read(&its, pid, modules));
	assert_int_equal(sprof_modules_count(modules), count);
	close(other);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	sprof_maps_finish(&ours);
	sprof_maps_finish(&its);
	sprof_modules_destroy(modules);
}

static void the_generation_changes_with_the_content_only(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_maps maps = {0};
	uint64_t before = 0;
	char byte = 'm';
	int other;
	pid_t pid = start_mapper(&other);

	for (int i = 0; i < 3; i++) {
		assert_int_equal(write(other, &byte, 1), 1);
		assert_int_equal(read(other, &byte, 1), 1);
		assert_true(sprof_maps_read(&maps, pid, modules));
		assert_true(maps.generation > before);
		before = maps.generation;
		assert_true(sprof_maps_read(&maps, pid, modules));
		assert_true(maps.generation == before);
	}
	close(other);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	sprof_maps_finish(&maps);
	sprof_modules_destroy(modules);
}

static void a_process_that_is_gone_leaves_the_maps_as_they_were(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_maps maps = {0}, before;

	assert_true(sprof_maps_read(&maps, getpid(), modules));
	before = maps;
	assert_false(sprof_maps_read(&maps, INT_MAX, modules));
	assert_memory_equal(&maps, &before, sizeof(maps));
	sprof_maps_finish(&maps);
	sprof_modules_destroy(modules);
}

/* The module of a file that this process maps executably; mapped until the test ends. */
static struct sprof_module *module_mapped_at(struct sprof_modules *modules, const void *address)
{
	struct sprof_maps maps = {0};
	const struct sprof_mapping *mapping;
	struct sprof_module *module;

	assert_true(sprof_maps_read(&maps, getpid(), modules));
	mapping = sprof_maps_find(&maps, (uintptr_t)address);
	assert_non_null(mapping);
	assert_int_not_equal(mapping->module, SPROF_MAPPING_NO_MODULE);
	module = sprof_modules_get(modules, mapping->module);
	sprof_maps_finish(&maps);
	return module;
}

static void names_are_unescaped(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct test_folder *folder = *state;
	char *path = test_folder_file(folder, "two\nlines and \\ and \n", "content");
	void *address = map_executable(path);
	struct sprof_module *module = module_mapped_at(modules, address);

	assert_string_equal(module->path, path);
	assert_false(module->deleted);
	assert_true(module->fd >= 0);
	munmap(address, 1);
	free(path);
	sprof_modules_destroy(modules);
}

static void deleted_files_are_told_by_the_mark(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct test_folder *folder = *state;
	char *path = test_folder_file(folder, "gone", "content");
	void *address = map_executable(path);
	struct sprof_module *module;

	unlink(path);
	module = module_mapped_at(modules, address);
	assert_string_equal(module->path, path);
	assert_true(module->deleted);
	munmap(address, 1);
	free(path);
	sprof_modules_destroy(modules);
}

/* The first process that mapped it was gone when it was opened; the next one opens it. */
static void what_one_process_left_closed_another_opens(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct test_folder *folder = *state;
	char *path = test_folder_file(folder, "library.so", "content");
	void *address = map_executable(path);
	struct sprof_module *module = module_mapped_at(modules, address);

	assert_true(module->fd >= 0);
	assert_int_equal(module->opener, getpid());
	close(module->fd);
	module->fd = -1;
	assert_ptr_equal(module_mapped_at(modules, address), module);
	assert_int_equal(module->fd, -1);
	module->opener = INT_MAX;
	assert_ptr_equal(module_mapped_at(modules, address), module);
	assert_true(module->fd >= 0);
	munmap(address, 1);
	free(path);
	sprof_modules_destroy(modules);
}

/* What has been written into the file is mapped from then on: it is another module, with another image. */
static void an_overwritten_file_is_another_module(void **state)
{
	static const char old_content[] =
		"\177ELF: 64 bytes of header, and then what tells one build "
		"from another: the old one";
	static const char new_content[] =
		"\177ELF: 64 bytes of header, and then what tells one build "
		"from another: the new one, longer";
	struct sprof_modules *modules = sprof_modules_create();
	char *path = test_folder_file(*state, "library.so", old_content);
	void *address = map_executable(path);
	struct sprof_module *before = module_mapped_at(modules, address), *after;

	assert_ptr_equal(module_mapped_at(modules, address), before);
	assert_false(sprof_module_is_overwritten(before));
	free(test_folder_file(*state, "library.so", new_content));
	assert_true(sprof_module_is_overwritten(before));
	after = module_mapped_at(modules, address);
	assert_ptr_not_equal(after, before);
	assert_int_equal(after->inode, before->inode);
	assert_true(after->fd >= 0 && after->fd != before->fd);
	assert_false(sprof_module_is_overwritten(after));
	assert_ptr_equal(module_mapped_at(modules, address), after);
	munmap(address, 1);
	free(path);
	sprof_modules_destroy(modules);
}

static void memory_without_a_file(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	void *address = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sprof_module *module;

	assert_true(address != MAP_FAILED);
	module = module_mapped_at(modules, address);
	assert_int_equal(module->kind, SPROF_MODULE_ANONYMOUS);
	assert_string_equal(module->path, "[jit of test-attach]");
	assert_int_equal(module->fd, -1);
	munmap(address, 4096);
	sprof_modules_destroy(modules);
}

/* A file in memory holds generated code, unless it is an ELF file. */
static void files_in_memory(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	const int file = memfd_create("tcg-jit", 0);
	void *address;

	assert_int_equal(ftruncate(file, 4096), 0);
	address = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
	assert_true(address != MAP_FAILED);
	assert_string_equal(module_mapped_at(modules, address)->path, "[jit of test-attach]");
	assert_int_equal(pwrite(file, "\177ELF", 4, 0), 4);
	assert_string_equal(module_mapped_at(modules, address)->path, "/memfd:tcg-jit");
	munmap(address, 4096);
	close(file);
	sprof_modules_destroy(modules);
}

/* A just-in-time compiler has thousands of mappings, and all of them one perf map. */
static void the_perf_map_is_looked_for_once_per_reading(void **state)
{
	enum { PAGES = 100, PAGE = 4096 };
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_maps maps = {0};
	char *area = mmap(NULL, 2 * PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(area != MAP_FAILED);
	for (size_t i = 0; i < PAGES; i++)
		assert_int_equal(mprotect(area + 2 * i * PAGE, PAGE, PROT_READ | PROT_EXEC), 0);
	perf_maps_looked_for = 0;
	assert_true(sprof_maps_read(&maps, getpid(), modules));
	assert_int_equal(perf_maps_looked_for, 1);
	assert_true(sprof_maps_read(&maps, getpid(), modules));
	assert_int_equal(perf_maps_looked_for, 2);
	munmap(area, 2 * PAGES * PAGE);
	sprof_maps_finish(&maps);
	sprof_modules_destroy(modules);
}

TEST_MAIN("maps-read")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_this_process),
		cmocka_unit_test(another_process_of_the_same_files_has_no_module_of_its_own),
		cmocka_unit_test(the_generation_changes_with_the_content_only),
		cmocka_unit_test(a_process_that_is_gone_leaves_the_maps_as_they_were),
		cmocka_unit_test_setup_teardown(
			names_are_unescaped, test_folder_create, test_folder_remove),
		cmocka_unit_test_setup_teardown(
			deleted_files_are_told_by_the_mark, test_folder_create, test_folder_remove),
		cmocka_unit_test_setup_teardown(what_one_process_left_closed_another_opens,
			test_folder_create, test_folder_remove),
		cmocka_unit_test_setup_teardown(an_overwritten_file_is_another_module,
			test_folder_create, test_folder_remove),
		cmocka_unit_test(memory_without_a_file),
		cmocka_unit_test(files_in_memory),
		cmocka_unit_test(the_perf_map_is_looked_for_once_per_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
