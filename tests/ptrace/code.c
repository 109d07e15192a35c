/*
 * Compares a process's code with the files that it is mapped from. Does not look at code without a file.
 */
#include "tests/ptrace/code.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"
#include "tests/unit/check.h"

static void compare_code(int memory, const char *path, off_t start, size_t size, off_t offset)
{
	uint8_t *code = malloc(size), *original = malloc(size);
	const int file = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(file >= 0);
	assert_int_equal(pread(memory, code, size, start), size);
	/* The rest of the last page is zero. */
	memset(original, 0, size);
	assert_true(pread(file, original, size, offset) > 0);
	for (size_t i = 0; i < size; i++) {
		if (code[i] != original[i])
			fail_msg("%s: %02x instead of %02x at %lx", path, code[i], original[i],
				(unsigned long)offset + i);
	}
	close(file);
	free(code);
	free(original);
}

void expect_code_of_files(pid_t pid)
{
	const int memory = open(sprof_proc_path(pid, 0, "mem").text, O_RDONLY | O_CLOEXEC);
	FILE *maps = fopen(sprof_proc_path(pid, 0, "maps").text, "r");
	char line[4352], rights[8], path[4096];
	unsigned long start, end, offset;
	int compared = 0;

	assert_true(memory >= 0);
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095[^\n]", &start, &end, rights,
			    &offset, path) != 5 ||
			rights[2] != 'x' || path[0] != '/')
			continue;
		compare_code(memory, path, (off_t)start, end - start, (off_t)offset);
		compared++;
	}
	assert_true(compared >= 2);
	fclose(maps);
	close(memory);
}
