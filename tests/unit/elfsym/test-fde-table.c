/*
 * elfsym/fde-table: against all FDEs of real files, read one by one, and against tables of our making that
 * promise more than there is.
 */
#include "elfsym/cfi/fde-table.h"

#include <dwarf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/cfi/fdes.h"
#include "tests/unit/check.h"
#include "tests/unit/elfsym/fixture.h"

static uint64_t start_behind(const struct sprof_fdes *fdes, size_t index)
{
	size_t next = index + 1;

	while (next < fdes->count && fdes->items[next].address == fdes->items[index].address)
		next++;
	return next < fdes->count ? fdes->items[next].address : UINT64_MAX;
}

static void expect(const struct sprof_image *image, const struct sprof_fdes *fdes, size_t index,
	uint64_t address)
{
	struct sprof_fde_bounds bounds;

	assert_true(sprof_fde_table_find(image, address, &bounds));
	assert_int_equal(bounds.start, fdes->items[index].address);
	assert_int_equal(bounds.next, start_behind(fdes, index));
}

static void expect_all(const char *path, size_t least)
{
	struct sprof_image *image;
	struct sprof_fde_bounds bounds;
	struct sprof_fdes fdes;
	struct sprof_error err;

	assert_true(sprof_image_open_path(path, &image, &err));
	assert_true(sprof_fdes_load(&fdes, image, &err));
	assert_true(fdes.count >= least);
	for (size_t i = 0; i < fdes.count; i++) {
		const struct sprof_fde *fde = &fdes.items[i];

		expect(image, &fdes, i, fde->address);
		expect(image, &fdes, i, fde->address + fde->size / 2);
		expect(image, &fdes, i, fde->address + fde->size - 1);
	}
	assert_false(sprof_fde_table_find(image, fdes.items[0].address - 1, &bounds));
	assert_false(sprof_fde_table_find(image, 0, &bounds));
	expect(image, &fdes, fdes.count - 1, UINT64_MAX);
	sprof_fdes_finish(&fdes);
	sprof_image_close(image);
}

static void all_of_the_subjects(void **state)
{
	static const char *const names[] = {"subject", "subject-dwarf4", "subject-no-pie",
		"subject-no-dwarf", "subject-stripped"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect_all(subject_path(names[i]), 5);
}

/* The start-up code of static programs finds .eh_frame without it. */
static void what_a_static_program_has_instead(void **state)
{
	struct sprof_image *image;
	struct sprof_fde_bounds bounds, by_table;
	struct sprof_fdes fdes;
	struct sprof_error err;

	assert_true(sprof_image_open_path(subject_path("subject-static"), &image, &err));
	assert_true(sprof_fdes_load(&fdes, image, &err));
	assert_true(fdes.count > 100);
	for (size_t i = 0; i < fdes.count; i++) {
		assert_true(sprof_fdes_bounds(&fdes, fdes.items[i].address, &bounds));
		assert_int_equal(bounds.start, fdes.items[i].address);
		assert_int_equal(bounds.next, start_behind(&fdes, i));
		if (image->eh_frame_hdr_address)
			expect(image, &fdes, i, fdes.items[i].address);
		else
			assert_false(sprof_fde_table_find(image, bounds.start, &by_table));
	}
	assert_false(sprof_fdes_bounds(&fdes, fdes.items[0].address - 1, &bounds));
	sprof_fdes_finish(&fdes);
	sprof_image_close(image);
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *data)
{
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	snprintf(data, 4096, "%s", info->dlpi_name);
	return 1;
}

static void all_of_libc(void **state)
{
	char path[4096];

	assert_true(dl_iterate_phdr(find_libc, path));
	expect_all(path, 1000);
}

enum {
	TABLE_ADDRESS = 0x1000,
	ENTRIES = 5,
	MOST_BYTES = 12 + ENTRIES * 8,
	SEED = 7,
	ROUNDS = 20000
};

/* An image of one segment, which is a table and nothing else. */
struct small {
	struct sprof_image image;
	struct sprof_segment segment;
	uint8_t *bytes;
};

/* The bytes are exactly as many as the image says, so that a sanitizer sees each one too far. */
static void make(struct small *small, const void *bytes, size_t size)
{
	small->bytes = malloc(size + !size);
	assert_non_null(small->bytes);
	memcpy(small->bytes, bytes, size);
	small->segment = (struct sprof_segment){.address = TABLE_ADDRESS,
		.file_size = size,
		.memory_size = size,
		.executable = true};
	small->image = (struct sprof_image){.bytes = small->bytes,
		.size = size,
		.segments = &small->segment,
		.segment_count = 1,
		.eh_frame_hdr_address = TABLE_ADDRESS,
		.eh_frame_hdr_size = size,
		.own_fd = -1};
}

static bool look_up(const void *bytes, size_t size, uint64_t address, struct sprof_fde_bounds *ret)
{
	struct small small;
	bool found;

	make(&small, bytes, size);
	found = sprof_fde_table_find(&small.image, address, ret);
	free(small.bytes);
	return found;
}

/* As ld writes it: code 0x100 apart, from 0x100 before the table on. */
static void write_table(uint8_t bytes[MOST_BYTES])
{
	static const uint8_t head[4] = {1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
		DW_EH_PE_datarel | DW_EH_PE_sdata4};
	uint32_t count = ENTRIES;

	memset(bytes, 0, MOST_BYTES);
	memcpy(bytes, head, sizeof(head));
	memcpy(bytes + 8, &count, sizeof(count));
	for (int32_t i = 0; i < ENTRIES; i++) {
		int32_t code = (i - 1) * 0x100;

		memcpy(bytes + 12 + i * 8, &code, sizeof(code));
	}
}

static void a_table_of_five(void **state)
{
	uint8_t bytes[MOST_BYTES];
	struct sprof_fde_bounds bounds;

	write_table(bytes);
	assert_false(look_up(bytes, MOST_BYTES, TABLE_ADDRESS - 0x101, &bounds));
	assert_true(look_up(bytes, MOST_BYTES, TABLE_ADDRESS - 1, &bounds));
	assert_int_equal(bounds.start, TABLE_ADDRESS - 0x100);
	assert_int_equal(bounds.next, TABLE_ADDRESS);
	assert_true(look_up(bytes, MOST_BYTES, TABLE_ADDRESS + 0x300, &bounds));
	assert_int_equal(bounds.start, TABLE_ADDRESS + 0x300);
	assert_true(bounds.next == UINT64_MAX);
}

static void no_table(void **state)
{
	struct sprof_fde_bounds bounds;
	uint8_t bytes[MOST_BYTES];
	struct small small;

	write_table(bytes);
	make(&small, bytes, MOST_BYTES);
	small.image.eh_frame_hdr_address = small.image.eh_frame_hdr_size = 0;
	assert_false(sprof_fde_table_find(&small.image, TABLE_ADDRESS, &bounds));
	small.image.eh_frame_hdr_address = TABLE_ADDRESS;
	small.image.eh_frame_hdr_size = MOST_BYTES + 1;
	assert_false(sprof_fde_table_find(&small.image, TABLE_ADDRESS, &bounds));
	free(small.bytes);
}

static void cut_short_anywhere(void **state)
{
	struct sprof_fde_bounds bounds;
	uint8_t bytes[MOST_BYTES];

	write_table(bytes);
	for (size_t size = 0; size < MOST_BYTES; size++)
		assert_false(look_up(bytes, size, TABLE_ADDRESS, &bounds));
}

static void more_entries_than_there_are(void **state)
{
	static const uint32_t counts[] = {ENTRIES + 1, 0x20000001, 0x7fffffff, UINT32_MAX};
	struct sprof_fde_bounds bounds;
	uint8_t bytes[MOST_BYTES];

	write_table(bytes);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		memcpy(bytes + 8, &counts[i], sizeof(counts[i]));
		assert_false(look_up(bytes, MOST_BYTES, TABLE_ADDRESS, &bounds));
	}
	memset(bytes + 8, 0, sizeof(counts[0]));
	assert_false(look_up(bytes, MOST_BYTES, TABLE_ADDRESS, &bounds));
}

static void other_encodings(void **state)
{
	struct sprof_fde_bounds bounds;
	uint8_t bytes[MOST_BYTES];

	for (size_t at = 0; at < 4; at++) {
		for (unsigned value = 0; value < 0x100; value++) {
			uint8_t right;

			write_table(bytes);
			right = bytes[at];
			bytes[at] = (uint8_t)value;
			assert_int_equal(
				look_up(bytes, MOST_BYTES, TABLE_ADDRESS, &bounds), value == right);
		}
	}
}

/* Whatever the entries are, sorted or not: what is found is around the address. */
static void entries_of_any_value(void **state)
{
	struct sprof_fde_bounds bounds;
	uint8_t bytes[MOST_BYTES];

	srandom(SEED);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t address = (uint64_t)random() << (random() % 33);

		write_table(bytes);
		for (size_t at = 12; at < MOST_BYTES; at++)
			bytes[at] = (uint8_t)random();
		if (!look_up(bytes, MOST_BYTES, address, &bounds))
			continue;
		assert_true(bounds.start <= address);
		assert_true(bounds.next > address || bounds.next == UINT64_MAX);
	}
}

TEST_MAIN("fde-table")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_the_subjects),
		cmocka_unit_test(what_a_static_program_has_instead),
		cmocka_unit_test(all_of_libc),
		cmocka_unit_test(a_table_of_five),
		cmocka_unit_test(no_table),
		cmocka_unit_test(cut_short_anywhere),
		cmocka_unit_test(more_entries_than_there_are),
		cmocka_unit_test(other_encodings),
		cmocka_unit_test(entries_of_any_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
