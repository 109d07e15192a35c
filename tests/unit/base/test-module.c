/*
 * base/module: what makes two pieces of memory the same module, and what the table owns.
 */
#include "base/module.h"

#include <errno.h>
#include <fcntl.h>
#include <elf.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/check.h"

enum { MANY = 20000 };

static struct sprof_module_key libc_key(void)
{
	return (struct sprof_module_key){
		.kind = SPROF_MODULE_FILE, .path = "/lib/libc.so.6", .device = 0x801, .inode = 77};
}

static uint32_t program_of(const char *const *paths)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_module_key key = libc_key();
	bool is_new;
	uint32_t program;

	key.kind = SPROF_MODULE_ANONYMOUS;
	key.path = "[heap]";
	assert_non_null(sprof_modules_intern(modules, &key, &is_new));
	key.kind = SPROF_MODULE_FILE;
	for (size_t i = 0; paths[i]; i++) {
		key.path = paths[i];
		key.inode++;
		assert_non_null(sprof_modules_intern(modules, &key, &is_new));
	}
	program = sprof_modules_program(modules);
	sprof_modules_destroy(modules);
	return program;
}

static void which_module_is_the_program(void **state)
{
	const char *const usual[] = {"/usr/bin/also", "/lib/libc.so.6", "/bin/other", NULL};
	const char *const by_linker[] = {
		"/lib64/ld-linux-x86-64.so.2", "/lib/libc.so.6", "/home/a.out", NULL};
	const char *const library[] = {"/lib/libc.so.6", "/lib/libm.so.6", NULL};
	const char *const none[] = {NULL};

	assert_int_equal(program_of(usual), 1);
	assert_int_equal(program_of(by_linker), 3);
	assert_int_equal(program_of(library), 1);
	assert_int_equal(program_of(none), 1);
}

static void same_key_same_module(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_module_key key = libc_key();
	char path[] = "/lib/libc.so.6";
	bool is_new = false;
	struct sprof_module *first = sprof_modules_intern(modules, &key, &is_new);

	assert_non_null(first);
	assert_true(is_new);
	assert_int_equal(first->fd, -1);
	assert_string_equal(first->path, path);
	key.path = path;
	assert_ptr_equal(sprof_modules_intern(modules, &key, &is_new), first);
	assert_false(is_new);
	assert_int_equal(sprof_modules_count(modules), 1);
	sprof_modules_destroy(modules);
}

static void every_part_of_the_key_counts(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_module_key keys[6];
	bool is_new;

	for (int i = 0; i < 6; i++)
		keys[i] = libc_key();
	keys[1].path = "/lib/libm.so.6";
	keys[2].device++;
	keys[3].inode++;
	keys[4].deleted = true;
	keys[5].kind = SPROF_MODULE_MEMORY;
	for (uint32_t i = 0; i < 6; i++) {
		struct sprof_module *module = sprof_modules_intern(modules, &keys[i], &is_new);

		assert_true(is_new);
		assert_int_equal(module->id, i);
		assert_ptr_equal(sprof_modules_get(modules, i), module);
	}
	sprof_modules_destroy(modules);
}

/* An open file keeps its inode: that one can't be another's. Of one that is not open it can. */
static void deleted_since_is_the_same_while_open(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_module_key key = libc_key(), deleted = libc_key();
	bool is_new;
	struct sprof_module *module = sprof_modules_intern(modules, &key, &is_new);

	deleted.deleted = true;
	module->fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_true(module->fd >= 0);
	assert_ptr_equal(sprof_modules_intern(modules, &deleted, &is_new), module);
	assert_false(is_new);
	assert_true(module->deleted);
	close(module->fd);
	module->fd = -1;
	assert_ptr_not_equal(sprof_modules_intern(modules, &deleted, &is_new), module);
	assert_true(is_new);
	sprof_modules_destroy(modules);
}

/* Another ELF file is in the inode that the module has open. */
static void open_and_overwrite(struct sprof_module *module)
{
	char old_content[64] = ELFMAG "the old one", new_content[64] = ELFMAG "the new one, longer";

	module->fd = memfd_create("library", MFD_CLOEXEC);
	assert_int_equal(write(module->fd, old_content, 32), 32);
	sprof_file_stamp_take(&module->stamp, module->fd);
	assert_int_equal(pwrite(module->fd, new_content, 64, 0), 64);
	assert_true(sprof_module_is_overwritten(module));
}

static void a_successor_is_found_in_its_place(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_module_key key = libc_key();
	bool is_new;
	struct sprof_module *first = sprof_modules_intern(modules, &key, &is_new), *second;

	assert_ptr_equal(sprof_modules_renew(modules, 0), first);
	open_and_overwrite(first);
	second = sprof_modules_renew(modules, 0);
	assert_ptr_not_equal(second, first);
	assert_ptr_equal(sprof_modules_renew(modules, 0), second);
	assert_ptr_equal(sprof_modules_renew(modules, 1), second);
	assert_int_equal(second->id, 1);
	assert_int_equal(second->fd, -1);
	assert_string_equal(second->path, first->path);
	assert_ptr_equal(sprof_modules_intern(modules, &key, &is_new), second);
	assert_false(is_new);
	assert_ptr_equal(sprof_modules_get(modules, 0), first);
	sprof_modules_destroy(modules);
}

static void modules_never_move(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_module_key key = libc_key();
	bool is_new;
	struct sprof_module *first = sprof_modules_intern(modules, &key, &is_new);

	for (int i = 0; i < 1000; i++) {
		key.inode++;
		assert_non_null(sprof_modules_intern(modules, &key, &is_new));
	}
	assert_ptr_equal(sprof_modules_get(modules, 0), first);
	assert_int_equal(sprof_modules_count(modules), 1001);
	sprof_modules_destroy(modules);
}

/* Reads all that is counted, again and again, until the table is full. */
static void *read_all(void *data)
{
	const struct sprof_modules *modules = data;
	uint32_t count;

	do {
		count = (uint32_t)sprof_modules_count(modules);
		for (uint32_t id = 0; id < count; id++) {
			if (sprof_modules_get(modules, id)->id != id)
				return data;
		}
	} while (count < MANY);
	return NULL;
}

static void another_thread_reads_while_the_table_grows(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_module_key key = libc_key();
	pthread_t reader;
	void *wrong;
	bool is_new;

	assert_int_equal(pthread_create(&reader, NULL, read_all, modules), 0);
	for (int i = 0; i < MANY; i++) {
		key.inode++;
		assert_non_null(sprof_modules_intern(modules, &key, &is_new));
	}
	assert_int_equal(pthread_join(reader, &wrong), 0);
	assert_null(wrong);
	for (uint32_t id = 0; id < MANY; id++)
		assert_int_equal(sprof_modules_get(modules, id)->id, id);
	sprof_modules_destroy(modules);
}

static void generations_count_up(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();

	assert_int_equal(sprof_modules_next_generation(modules), 1);
	assert_int_equal(sprof_modules_next_generation(modules), 2);
	sprof_modules_destroy(modules);
}

static void destroy_closes_files(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_module_key key = libc_key();
	bool is_new;
	struct sprof_module *module = sprof_modules_intern(modules, &key, &is_new);
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	module->fd = fd;
	module->image = malloc(10);
	sprof_modules_destroy(modules);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(errno, EBADF);
	sprof_modules_destroy(NULL);
}

static void a_name_is_the_last_component(void **state)
{
	static const char *const cases[][2] = {
		{"/lib/libc.so.6", "libc.so.6"},
		{"[vdso]", "[vdso]"},
		{"/", "/"},
		{"/odd/", "/odd/"},
		{"plain", "plain"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sprof_module module = {.path = cases[i][0]};

		assert_string_equal(sprof_module_name(&module), cases[i][1]);
	}
}

/* Neither the kernel's code, as other programs call it too, nor what the kernel shows in a process. */
static void generated_code_is_the_processes_own(void **state)
{
	static const char *const kernels[] = {SPROF_MODULE_KERNEL, "[kernel.kallsyms]",
		"[kernel.kallsyms]_text", SPROF_MODULE_VSYSCALL, SPROF_MODULE_UPROBES, ""};
	struct sprof_module module = {.kind = SPROF_MODULE_ANONYMOUS};

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		module.path = kernels[i];
		assert_false(sprof_module_is_generated(&module));
	}
	module.path = "[jit of node]";
	assert_true(sprof_module_is_generated(&module));
	module.path = SPROF_MODULE_JIT;
	assert_true(sprof_module_is_generated(&module));
}

TEST_MAIN("module")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(which_module_is_the_program),
		cmocka_unit_test(same_key_same_module),
		cmocka_unit_test(every_part_of_the_key_counts),
		cmocka_unit_test(deleted_since_is_the_same_while_open),
		cmocka_unit_test(a_successor_is_found_in_its_place),
		cmocka_unit_test(modules_never_move),
		cmocka_unit_test(another_thread_reads_while_the_table_grows),
		cmocka_unit_test(generations_count_up),
		cmocka_unit_test(destroy_closes_files),
		cmocka_unit_test(a_name_is_the_last_component),
		cmocka_unit_test(generated_code_is_the_processes_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
