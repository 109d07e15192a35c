/*
 * base/file-stamp: what is written into a file is noticed, and what is no change of its code is not
 * taken for one.
 */
#include "base/file-stamp.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/check.h"

enum { SIZE = 8192 };

struct scene {
	int fd;
	unsigned char bytes[SIZE];
	struct sprof_file_stamp stamp;
};

/* With another time than any that the clock shows. */
static void write_at(const struct scene *scene, size_t offset, size_t size)
{
	static const struct timespec long_ago[2] = {{.tv_sec = 1}, {.tv_sec = 1}};

	assert_int_equal(pwrite(scene->fd, scene->bytes + offset, size, (off_t)offset), size);
	assert_int_equal(futimens(scene->fd, long_ago), 0);
}

static int set_up(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	if (!scene)
		return -1;
	*state = scene;
	scene->fd = memfd_create("stamped", MFD_CLOEXEC);
	assert_true(scene->fd >= 0);
	memcpy(scene->bytes, ELFMAG, SELFMAG);
	assert_int_equal(write(scene->fd, scene->bytes, SIZE), SIZE);
	sprof_file_stamp_take(&scene->stamp, scene->fd);
	return 0;
}

static int tear_down(void **state)
{
	struct scene *scene = *state;

	close(scene->fd);
	free(scene);
	return 0;
}

static bool holds(const struct scene *scene)
{
	return sprof_file_stamp_holds(&scene->stamp, scene->fd);
}

static void an_untouched_file_holds(void **state)
{
	assert_true(holds(*state));
}

static void a_touched_file_holds(void **state)
{
	write_at(*state, 0, SIZE);
	assert_true(holds(*state));
}

static void another_build_does_not(void **state)
{
	struct scene *scene = *state;

	scene->bytes[0x300] = 1;
	write_at(scene, 0, SIZE);
	assert_false(holds(scene));
	scene->bytes[0x300] = 0;
	write_at(scene, 0, SIZE);
	assert_true(holds(scene)); /* the old one is back */
}

/* strip(1) writes into the file: the sections are elsewhere then, and it is shorter. */
static void a_stripped_file_holds(void **state)
{
	struct scene *scene = *state;

	((Elf64_Ehdr *)scene->bytes)->e_shoff = 77;
	((Elf64_Ehdr *)scene->bytes)->e_shnum = 7;
	write_at(scene, 0, SIZE);
	assert_int_equal(ftruncate(scene->fd, SIZE - 1000), 0);
	assert_true(holds(scene));
}

static void an_emptied_file_does_not(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(ftruncate(scene->fd, 0), 0);
	assert_false(holds(scene));
}

/* Code that a program writes for itself may be in a file, and has no names there. */
static void what_is_no_elf_file_holds_until_it_is_one(void **state)
{
	struct scene *scene = *state;

	memset(scene->bytes, 7, SIZE);
	write_at(scene, 0, SIZE);
	sprof_file_stamp_take(&scene->stamp, scene->fd);
	assert_int_equal(ftruncate(scene->fd, SIZE / 2), 0);
	assert_true(holds(scene));
	memcpy(scene->bytes, ELFMAG, SELFMAG);
	write_at(scene, 0, SIZE / 2);
	assert_false(holds(scene));
}

static void without_a_stamp_everything_holds(void **state)
{
	struct scene *scene = *state;

	sprof_file_stamp_take(&scene->stamp, -1);
	assert_true(holds(scene));
	assert_true(sprof_file_stamp_holds(&scene->stamp, -1));
}

#define in_a_scene(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

TEST_MAIN("file-stamp")
{
	const struct CMUnitTest tests[] = {
		in_a_scene(an_untouched_file_holds),
		in_a_scene(a_touched_file_holds),
		in_a_scene(another_build_does_not),
		in_a_scene(a_stripped_file_holds),
		in_a_scene(an_emptied_file_does_not),
		in_a_scene(what_is_no_elf_file_holds_until_it_is_one),
		in_a_scene(without_a_stamp_everything_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
