/*
 * cmocka needs these headers before its own, in every test.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* cmocka 2 deprecates assert_in_range(), and cmocka 1 has nothing in its place. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

struct test_file {
	const char *name;
	int (*run)(int argc, char **argv);
	struct test_file *next;
};

/* Called before main(). The file is kept by reference. */
void test_file_add(struct test_file *file);

/*
 * The body of a test file's main(), with argc and argv. All files of a folder are one program, run.c, which
 * runs the file that its first argument names; argv[0] is that name.
 */
#define TEST_MAIN(file_name) \
	static int run_file(int argc, char **argv); \
	__attribute__((constructor)) static void add_file(void) \
	{ \
		static struct test_file added = {.name = file_name, .run = run_file}; \
\
		test_file_add(&added); \
	} \
	static int run_file(int argc, char **argv)
