/*
 * blocked/areas: which part of a process an address of data belongs to.
 */
#include "blocked/areas.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/maps-text.h"
#include "tests/unit/check.h"

#define EXE "fe:00 247134                     /usr/bin/app\n"
#define LIB "fe:00 320475                     /usr/lib/libx.so.1\n"

static const char maps[] =
	"555500000000-555500002000 r--p 00000000 " EXE
	"555500002000-555500007000 r-xp 00002000 " EXE
	"555500009000-55550000a000 r--p 00008000 " EXE
	"55550000a000-55550000b000 rw-p 00009000 " EXE
	"55550000b000-55550000d000 rw-p 00000000 00:00 0 \n"
	"55550000d000-55550000e000 rw-p 00000000 00:00 0 \n"
	"555573000000-555573021000 rw-p 00000000 00:00 0                          [heap]\n"
	"7f0000000000-7f0000100000 rw-p 00000000 00:00 0 \n"
	"7f0001000000-7f0001001000 r--p 00000000 " LIB
	"7f0001001000-7f0001002000 r-xp 00001000 " LIB
	"7f0001002000-7f0001003000 rw-p 00002000 " LIB
	"7f0002000000-7f0002001000 r--p 00000000 " LIB
	"7f0002001000-7f0002002000 r-xp 00001000 " LIB
	"7f0003000000-7f0003001000 rw-s 00000000 00:19 7                          /dev/shm/ring\n"
	"7f0003002000-7f0003003000 rw-s 00000000 00:01 4711                     /dev/zero (deleted)\n"
	"7f0003004000-7f0003005000 rw-s 00000000 00:01 3                 /SYSV00000000 (deleted)\n"
	"7f0003006000-7f0003007000 rw-s 00001000 fe:00 320480       /var/lib/store/lock.mdb\n"
	"7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]\n";

static const struct sprof_area *find(const struct sprof_areas *areas, uint64_t address)
{
	const struct sprof_area *area = sprof_areas_find(areas, address);

	assert_non_null(area);
	assert_in_range(address, area->start, area->end - 1);
	return area;
}

static void data_belongs_to_its_file(void **state)
{
	struct sprof_areas areas = {0};
	const struct sprof_area *area;

	assert_true(sprof_areas_parse(&areas, maps));
	area = find(&areas, 0x55550000a010);
	assert_int_equal(area->kind, SPROF_AREA_DATA);
	assert_int_equal(area->base, 0x555500000000);
	assert_int_equal(area->code, 0x555500002000);
	/* What the file has no bytes for lies right behind it; only once. */
	area = find(&areas, 0x55550000c000);
	assert_int_equal(area->kind, SPROF_AREA_DATA);
	assert_int_equal(area->base, 0x555500000000);
	assert_int_equal(find(&areas, 0x55550000d000)->kind, SPROF_AREA_ANONYMOUS);
	/* The same file twice: each mapping has its own beginning. */
	assert_int_equal(find(&areas, 0x7f0001002000)->base, 0x7f0001000000);
	assert_int_equal(find(&areas, 0x7f0002000000)->base, 0x7f0002000000);
	assert_int_equal(find(&areas, 0x7f0002000000)->code, 0x7f0002001000);
	sprof_areas_finish(&areas);
}

static void other_areas(void **state)
{
	struct sprof_areas areas = {0};

	assert_true(sprof_areas_parse(&areas, maps));
	assert_int_equal(find(&areas, 0x555573000010)->kind, SPROF_AREA_HEAP);
	assert_int_equal(find(&areas, 0x7f0000000000)->kind, SPROF_AREA_ANONYMOUS);
	assert_int_equal(find(&areas, 0x7f0003000000)->kind, SPROF_AREA_SHARED);
	assert_int_equal(find(&areas, 0x7ffc00000000)->kind, SPROF_AREA_STACK);
	assert_null(sprof_areas_find(&areas, 0));
	assert_null(sprof_areas_find(&areas, 0x555573021000));
	assert_null(sprof_areas_find(&areas, UINT64_MAX));
	sprof_areas_finish(&areas);
}

/* By names that are the same in every process that has them. */
static void shared_memory_has_a_name(void **state)
{
	struct sprof_areas areas = {0};

	assert_true(sprof_areas_parse(&areas, maps));
	assert_string_equal(find(&areas, 0x7f0003000000)->name, "[ring]");
	assert_string_equal(find(&areas, 0x7f0003002000)->name, "[anon:4711]");
	assert_string_equal(find(&areas, 0x7f0003004000)->name, "[shm:3]");
	assert_string_equal(find(&areas, 0x7f0003006000)->name, "[lock.mdb]");
	assert_int_equal(find(&areas, 0x7f0003006000)->kind, SPROF_AREA_SHARED);
	assert_int_equal(find(&areas, 0x7f0003006000)->base, 0x7f0003005000);
	sprof_areas_finish(&areas);
}

static void this_process(void **state)
{
	static int data = 1, zeroed;
	int local = 2;
	struct sprof_areas areas = {0};
	pid_t live_tid;
	char *text = sprof_maps_read_text(getpid(), &live_tid);

	assert_non_null(text);
	assert_true(sprof_areas_parse(&areas, text));
	free(text);
	assert_int_equal(find(&areas, (uintptr_t)&data)->kind, SPROF_AREA_DATA);
	assert_int_equal(
		find(&areas, (uintptr_t)&zeroed)->base, find(&areas, (uintptr_t)&data)->base);
	assert_int_equal(find(&areas, (uintptr_t)&local)->kind, SPROF_AREA_STACK);
	assert_int_equal(local + zeroed + data, 3);
	sprof_areas_finish(&areas);
}

TEST_MAIN("areas")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_belongs_to_its_file),
		cmocka_unit_test(other_areas),
		cmocka_unit_test(shared_memory_has_a_name),
		cmocka_unit_test(this_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
