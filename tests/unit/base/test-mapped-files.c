/* base/mapped-files: a file that shrinks while it is mapped reads as zeros where it was cut off. */
#include "base/mapped-files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/check.h"

static void a_truncated_file_reads_as_zeros(void **state)
{
	char path[] = "/tmp/sprof-truncated-XXXXXX", block[65536];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = mkstemp(path);
	char *mapped;

	assert_true(fd >= 0);
	unlink(path);
	memset(block, 'x', sizeof(block));
	assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	mapped = mmap(NULL, sizeof(block), PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	sprof_mapped_files_survive_truncation();
	assert_int_equal(ftruncate(fd, (off_t)page), 0);
	assert_int_equal(mapped[0], 'x');
	for (size_t i = page; i < sizeof(block); i += 512)
		assert_int_equal(mapped[i], 0);
	munmap(mapped, sizeof(block));
	close(fd);
}

TEST_MAIN("mapped-files")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_truncated_file_reads_as_zeros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
