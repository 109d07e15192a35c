/*
 * attach/module-memory: of a file that can't be opened, what a process has mapped of it tells the
 * exported functions, and where the others begin. The process is this one, the file its C library.
 */
#include "attach/module/memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/proc/procfs.h"
#include "base/maps-text.h"
#include "elfsym/cfi/cfi.h"
#include "elfsym/names/symbols.h"
#include "tests/unit/check.h"

/* The mapping of this process that holds the address; its path in *ret_path, to be freed. */
static struct sprof_maps_line line_at(const char *text, uint64_t address, char **ret_path)
{
	struct sprof_maps_line line;

	while (sprof_maps_parse_line(&text, &line)) {
		if (line.start <= address && address < line.end) {
			*ret_path = strndup(line.path, line.path_length);
			return line;
		}
	}
	fail();
	return line;
}

static struct sprof_module *read_module(struct sprof_modules *modules,
	const struct sprof_maps_line *line, const char *path, const char *text)
{
	const struct sprof_module_key key = {
		.kind = SPROF_MODULE_FILE,
		.path = path,
		.device = line->device,
		.inode = line->inode,
	};
	struct sprof_module *module;
	bool is_new;

	module = sprof_modules_intern(modules, &key, &is_new);
	assert_non_null(module);
	sprof_module_memory_read(module, getpid(), text);
	return module;
}

static void names_of_the_c_library(void **state)
{
	const struct sprof_symbols_options options = {.debug_root = "/nowhere"};
	struct sprof_modules *modules = sprof_modules_create();
	size_t size;
	char *text = sprof_proc_read_whole("/proc/self/maps", &size), *path = NULL;
	uint64_t address = (uintptr_t)dlsym(RTLD_DEFAULT, "getdelim");
	struct sprof_maps_line line = line_at(text, address, &path);
	struct sprof_module *module = read_module(modules, &line, path, text);
	struct sprof_locations locations;
	struct sprof_symbols *symbols;
	struct sprof_image *image;
	struct sprof_error err;
	struct sprof_cfi *cfi;
	uint64_t linked;

	assert_non_null(module->image);
	assert_int_equal(module->fd, -1);
	assert_true(sprof_symbols_create(modules, &options, &symbols, &err));
	assert_true(sprof_symbols_resolve(
		symbols, module->id, address - line.start + line.offset, &locations, &err));
	assert_non_null(strstr(locations.items[0].function, "getdelim"));
	assert_false(locations.items[0].unresolved);
	assert_true(sprof_image_open(module, &image, &err));
	assert_true(image->from_memory && image->eh_frame_hdr_address);
	assert_true(sprof_image_address(image, address - line.start + line.offset, &linked));
	cfi = sprof_cfi_create(image);
	assert_int_not_equal(sprof_cfi_find(cfi, linked).cfa, SPROF_CFA_NONE);
	sprof_cfi_destroy(cfi);
	sprof_image_close(image);
	sprof_symbols_destroy(symbols);
	sprof_modules_destroy(modules);
	free(path);
	free(text);
}

static void what_is_not_mapped(void **state)
{
	struct sprof_module module = {
		.kind = SPROF_MODULE_FILE, .path = "/x", .inode = 1, .fd = -1};

	sprof_module_memory_read(&module, getpid(), "");
	assert_null(module.image);
	sprof_module_memory_read(&module, getpid(), "1000-2000 r-xp 00001000 00:00 1 /x\n");
	assert_null(module.image);
	sprof_module_memory_read(&module, getpid(), "1000-ffffffff000 r-xp 00000000 00:00 1 /x\n");
	assert_null(module.image);
	sprof_module_memory_read(&module, getpid(), "1000-2000 r-xp 00000000 00:00 1 /x\n");
	assert_null(module.image);
	sprof_module_memory_read(&module, getpid(),
		"1000-2000 r-xp 00000000 00:00 1 /x\n2000-1000 r-xp fffffffffffff000 00:00 1 /x\n");
	assert_null(module.image);
}

TEST_MAIN("module-memory")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_the_c_library),
		cmocka_unit_test(what_is_not_mapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
