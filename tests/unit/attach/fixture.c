/*
 * Temporary folders and mapped files. Failures are failures of the test that asked.
 */
#include "tests/unit/attach/fixture.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/check.h"

int test_folder_create(void **state)
{
	struct test_folder *folder = calloc(1, sizeof(*folder));

	if (!folder)
		return -1;
	strcpy(folder->path, "/tmp/sprof-attach-XXXXXX");
	*state = folder;
	return mkdtemp(folder->path) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	return remove(path);
}

int test_folder_remove(void **state)
{
	struct test_folder *folder = *state;
	int result = nftw(folder->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);

	free(folder);
	return result;
}

char *test_folder_path(const struct test_folder *folder, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", folder->path, name) > 0);
	return path;
}

static void make_folders(const struct test_folder *folder, char *path)
{
	for (char *at = path + strlen(folder->path) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0755);
		*at = '/';
	}
}

char *test_folder_file(const struct test_folder *folder, const char *name, const char *content)
{
	char *path = test_folder_path(folder, name);
	FILE *file;

	make_folders(folder, path);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(content, file) >= 0);
	assert_int_equal(fclose(file), 0);
	return path;
}

void *map_executable(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *address;

	assert_true(fd >= 0);
	address = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_true(address != MAP_FAILED);
	return address;
}
