/*
 * elfsym/expand: the same file with its debug sections compressed in either way has the same
 * sections afterwards, without those that hold no names; a broken one is left alone.
 */
#include "elfsym/dwarf/expand.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/elfsym/fixture.h"

static struct sprof_image *open_subject(const char *name)
{
	struct sprof_image *image;
	struct sprof_error err;

	assert_true(sprof_image_open_path(subject_path(name), &image, &err));
	return image;
}

static void what_is_not_compressed_stays_as_it_is(void **state)
{
	struct sprof_image *image = open_subject("subject");

	assert_null(sprof_expand(image, false));
	sprof_image_close(image);
}

static void check_sections(const struct sprof_image *plain, const struct sprof_image *expanded)
{
	static const char *const names[] = {".debug_info", ".debug_abbrev", ".debug_str",
		".debug_line", ".debug_line_str", ".debug_aranges", ".debug_rnglists"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct sprof_section expected, found;

		if (!sprof_image_section(plain, names[i], &expected))
			continue;
		assert_true(sprof_image_section(expanded, names[i], &found));
		assert_int_equal(found.size, expected.size);
		assert_memory_equal(found.bytes, expected.bytes, found.size);
	}
}

static void check_expanded(const char *name)
{
	struct sprof_image *plain = open_subject("subject"), *image = open_subject(name);
	struct sprof_image *expanded = sprof_expand(image, false);
	struct sprof_section section;

	/* clang's; libdw wants more of such a file than is kept. */
	if (sprof_image_section(plain, ".debug_addr", &section)) {
		assert_null(expanded);
		sprof_image_close(image);
		sprof_image_close(plain);
		return;
	}
	assert_non_null(expanded);
	check_sections(plain, expanded);
	assert_false(sprof_image_section(expanded, ".debug_loclists", &section));
	assert_false(sprof_image_section(expanded, ".text", &section));
	sprof_image_close(expanded);
	sprof_image_close(image);
	sprof_image_close(plain);
}

static void check_variables(const char *name)
{
	struct sprof_image *plain = open_subject("subject"), *image = open_subject(name);
	struct sprof_image *expanded = sprof_expand(image, true);
	struct sprof_section section, expected;

	/* Not clang's: see check_expanded(). */
	if (expanded) {
		assert_true(sprof_image_section(plain, ".debug_loclists", &expected));
		assert_true(sprof_image_section(expanded, ".debug_loclists", &section));
		assert_int_equal(section.size, expected.size);
		assert_memory_equal(section.bytes, expected.bytes, section.size);
	}
	sprof_image_close(expanded);
	sprof_image_close(image);
	sprof_image_close(plain);
}

static void both_ways_of_compression(void **state)
{
	check_expanded("subject-zlib");
	check_expanded("subject-zlib-gnu");
	check_variables("subject-zlib");
	check_variables("subject-zlib-gnu");
}

/* Where .debug_info is in the bytes of a file. */
static size_t find_info(const char *name)
{
	struct sprof_image *image = open_subject(name);
	struct sprof_section section;
	size_t offset;

	assert_true(sprof_image_section(image, ".debug_info", &section));
	offset = (size_t)(section.bytes - image->bytes);
	sprof_image_close(image);
	return offset;
}

/* Takes the bytes over. */
static void check_refused(void *bytes, size_t size)
{
	struct sprof_image *image;
	struct sprof_error err;

	assert_true(sprof_image_open_bytes(bytes, size, "broken", &image, &err));
	assert_null(sprof_expand(image, false));
	sprof_image_close(image);
}

static void a_broken_stream(void **state)
{
	size_t size, info = find_info("subject-zlib");
	unsigned char *bytes = read_file(subject_path("subject-zlib"), &size);

	bytes[info + sizeof(Elf64_Chdr) + 10] ^= 0x55;
	check_refused(bytes, size);
}

/* More, or less, than there is; and more than there could be. */
static void a_wrong_size(void **state)
{
	static const int64_t changes[] = {1, -1, INT64_C(1) << 40, INT64_MIN};
	size_t size, info = find_info("subject-zlib");

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		unsigned char *bytes = read_file(subject_path("subject-zlib"), &size);
		Elf64_Chdr header;

		memcpy(&header, bytes + info, sizeof(header));
		header.ch_size += (uint64_t)changes[i];
		memcpy(bytes + info, &header, sizeof(header));
		check_refused(bytes, size);
	}
}

static void an_unknown_way_of_compression(void **state)
{
	size_t size, info = find_info("subject-zlib");
	unsigned char *bytes = read_file(subject_path("subject-zlib"), &size);

	bytes[info] = 77;
	check_refused(bytes, size);
}

TEST_MAIN("expand")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_compressed_stays_as_it_is),
		cmocka_unit_test(both_ways_of_compression),
		cmocka_unit_test(a_broken_stream),
		cmocka_unit_test(a_wrong_size),
		cmocka_unit_test(an_unknown_way_of_compression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
