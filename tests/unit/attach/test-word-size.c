/*
 * attach/word-size: ELF files of 32 bits, of every machine, and everything else.
 */
#include "attach/proc/word-size.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attach/tracers/program.h"
#include "tests/unit/check.h"

static bool differs(const void *bytes, size_t size)
{
	int fd = memfd_create("program", MFD_CLOEXEC);
	bool result;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	result = sprof_word_size_differs(fd);
	close(fd);
	return result;
}

static bool differs_with(unsigned char class, Elf64_Half machine)
{
	Elf64_Ehdr header = {.e_type = ET_EXEC, .e_machine = machine};

	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = class;
	return differs(&header, sizeof(header));
}

static void test_machines(void **state)
{
	assert_true(differs_with(ELFCLASS32, EM_386));
	assert_true(differs_with(ELFCLASS32, EM_X86_64)); /* x32 */
	assert_true(differs_with(ELFCLASS32, EM_ARM));
	assert_false(differs_with(ELFCLASS64, EM_X86_64));
	assert_false(differs_with(ELFCLASS64, EM_AARCH64));
}

static void test_no_elf(void **state)
{
	assert_false(differs("", 0));
	assert_false(differs("#!/bin/sh\nexit 3\n", 17));
	assert_false(differs(ELFMAG "\1", SELFMAG + 1));
	assert_false(sprof_word_size_differs(-1));
}

static void test_processes(void **state)
{
	assert_false(sprof_program_has_other_word_size(getpid()));
	assert_false(sprof_program_has_other_word_size(0));
}

TEST_MAIN("word-size")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_no_elf),
		cmocka_unit_test(test_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
