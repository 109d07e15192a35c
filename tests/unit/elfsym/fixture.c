/*
 * Subjects and modules for the tests of elfsym/. Failures are failures of the test that asked.
 */
#include "tests/unit/elfsym/fixture.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/check.h"

const char *subject_path(const char *name)
{
	static char path[4096];
	const char *folder = getenv("SPROF_TEST_SUBJECTS");

	assert_non_null(folder);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

struct subject_place subject_place(const char *name, const char *label)
{
	struct subject_place place = {0}, found = {0};
	char text[64];
	FILE *output = popen(subject_path(name), "r");

	assert_non_null(output);
	while (fscanf(output, "%63s %lx %u %u %u", text, &place.offset, &place.lines[0],
		       &place.lines[1], &place.lines[2]) == 5)
		if (strcmp(text, label) == 0)
			found = place;
	assert_int_equal(pclose(output), 0);
	assert_int_not_equal(found.offset, 0);
	return found;
}

struct sprof_module *open_module(struct sprof_modules *modules, const char *path)
{
	struct sprof_module_key key = {.kind = SPROF_MODULE_FILE, .path = path};
	struct sprof_module *module;
	bool is_new;

	module = sprof_modules_intern(modules, &key, &is_new);
	assert_non_null(module);
	if (is_new)
		module->fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(module->fd >= 0);
	return module;
}

struct sprof_module *memory_module(
	struct sprof_modules *modules, const char *name, const void *bytes, size_t size)
{
	struct sprof_module_key key = {.kind = SPROF_MODULE_MEMORY, .path = name};
	struct sprof_module *module;
	bool is_new;

	module = sprof_modules_intern(modules, &key, &is_new);
	assert_true(module && is_new);
	/* Exactly as large as it says, so that a sanitizer sees every byte too far. */
	module->image = malloc(size);
	module->image_size = size;
	assert_true(module->image || !size);
	if (size)
		memcpy(module->image, bytes, size);
	return module;
}

struct sprof_module *vdso_module(struct sprof_modules *modules)
{
	const ElfW(Ehdr) *header = (const void *)getauxval(AT_SYSINFO_EHDR);

	/* Its section headers come last. */
	return header ? memory_module(modules, "[vdso]", header,
				header->e_shoff + (size_t)header->e_shnum * header->e_shentsize)
		      : NULL;
}

void *read_file(const char *path, size_t *ret_size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	char *bytes;

	assert_true(fd >= 0 && fstat(fd, &status) == 0);
	*ret_size = (size_t)status.st_size;
	bytes = malloc(*ret_size + 1);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, *ret_size), *ret_size);
	close(fd);
	return bytes;
}
