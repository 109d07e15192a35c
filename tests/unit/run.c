/*
 * The main() of a folder's unit tests: test-FOLDER FILE [ARGUMENT...] runs the tests of one file.
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/check.h"

static struct test_file *files;

void test_file_add(struct test_file *file)
{
	file->next = files;
	files = file;
}

int main(int argc, char **argv)
{
	const struct test_file *file;

	for (file = files; file; file = file->next) {
		if (argc > 1 && !strcmp(file->name, argv[1]))
			return file->run(argc - 1, argv + 1);
	}
	fprintf(stderr, "usage: %s FILE [ARGUMENT...], FILE one of:", argv[0]);
	for (file = files; file; file = file->next)
		fprintf(stderr, " %s", file->name);
	fprintf(stderr, "\n");
	return 64;
}
