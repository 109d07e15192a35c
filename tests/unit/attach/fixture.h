/*
 * What the tests of attach/ share: a temporary folder per test, and files that are mapped as code
 * is.
 */
#pragma once

struct test_folder {
	char path[64];
};

/* Set-up and tear-down of cmocka: *state is the folder, which goes with all that is in it. */
int test_folder_create(void **state);
int test_folder_remove(void **state);

/* The path of a name in the folder; the caller frees it. */
char *test_folder_path(const struct test_folder *folder, const char *name);

/* Writes a file, and the folders on the way to it; the path, which the caller frees. */
char *test_folder_file(const struct test_folder *folder, const char *name, const char *content);

/* Maps the file readable and executable; fails the test if it can't be. */
void *map_executable(const char *path);
