/*
 * unwind/rows and elfsym/cfi on the libraries and programs of this machine: whatever the order of
 * questions, the compiled rows say what the CFI says, and they cover every function that has CFI.
 *
 * The functions come from .eh_frame_hdr, read here once more, so that libdw is not its own witness.
 */
#include "unwind/rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

/* An image with the two readers that must agree. */
struct subject {
	struct sprof_image *image;
	struct sprof_rows *rows;
	struct sprof_cfi *cfi;
};

static uint64_t next_random(uint64_t *random, uint64_t limit)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (*random >> 16) % limit;
}

/* False: there is no such file on this machine. */
static bool open_subject(struct subject *subject, const char *path)
{
	struct sprof_error err;

	if (!sprof_image_open_path(path, &subject->image, &err)) {
		assert_int_equal(err.os_errno, ENOENT);
		return false;
	}
	subject->rows = sprof_rows_create(subject->image);
	subject->cfi = sprof_cfi_create(subject->image);
	assert_non_null(subject->rows);
	assert_non_null(subject->cfi);
	return true;
}

static void close_subject(struct subject *subject)
{
	sprof_cfi_destroy(subject->cfi);
	sprof_rows_destroy(subject->rows);
	sprof_image_close(subject->image);
}

/* What a rule must hold to mean the row. */
static void expect_rule(const struct sprof_rule *rule, const struct sprof_cfi_row *row)
{
	bool other = row->cfa == SPROF_CFA_OTHER || row->ra == SPROF_REG_OTHER ||
		row->ra == SPROF_REG_SAVED_AT_FP || row->fp == SPROF_REG_OTHER ||
		row->ra_offset != (int16_t)row->ra_offset;

	assert_true(!rule->is_computed || row->cfa == SPROF_CFA_NONE);
	if (rule->is_computed)
		return;
	assert_int_equal(rule->cfa, other ? SPROF_CFA_OTHER : row->cfa);
	if (other || row->cfa == SPROF_CFA_NONE)
		return;
	assert_int_equal(rule->regs & SPROF_RULE_RA_MASK, row->ra);
	assert_int_equal(rule->regs >> SPROF_RULE_FP_SHIFT, row->fp);
	assert_int_equal(rule->ra_offset, row->ra_offset);
	assert_int_equal(rule->fp_offset, row->fp_offset);
	assert_int_equal(
		rule->cfa_offset, row->cfa == SPROF_CFA_PLT ? row->plt_push_end : row->cfa_offset);
}

static void expect_same(struct subject *subject, uint64_t address)
{
	struct sprof_cfi_row row = sprof_cfi_find(subject->cfi, address);
	struct sprof_rule rule = sprof_rows_find(subject->rows, address);

	assert_true(row.end > address);
	/* The callee's frame is below the caller's. */
	if ((row.cfa == SPROF_CFA_SP || row.cfa == SPROF_CFA_FP) && row.ra == SPROF_REG_SAVED)
		assert_true(row.ra_offset < 0);
	expect_rule(&rule, &row);
}

static const struct sprof_segment *text_of(const struct subject *subject)
{
	const struct sprof_segment *largest = NULL;

	for (size_t i = 0; i < subject->image->segment_count; i++) {
		const struct sprof_segment *segment = &subject->image->segments[i];

		if (segment->executable && (!largest || segment->file_size > largest->file_size))
			largest = segment;
	}
	assert_non_null(largest);
	return largest;
}

/* All over the text, and dense in a few pages, where the rows get in each other's way. */
static void any_address_in_any_order(struct subject *subject)
{
	const struct sprof_segment *text = text_of(subject);
	uint64_t random = 1, page = 0;

	for (int i = 0; i < 6000; i++)
		expect_same(subject, text->address + next_random(&random, text->file_size));
	for (int i = 0; i < 12000; i++) {
		if (i % 3000 == 0)
			page = next_random(&random, text->file_size);
		expect_same(subject,
			text->address + (page + next_random(&random, 6000)) % text->file_size);
	}
}

static void addresses_around_the_text(struct subject *subject)
{
	const struct sprof_segment *text = text_of(subject);
	uint64_t end = text->address + text->file_size;

	for (uint64_t i = 0; i < 64; i++) {
		expect_same(subject, text->address + i);
		expect_same(subject, end - 32 + i);
	}
	expect_same(subject, text->address ? text->address - 1 : 0);
	expect_same(subject, 0);
	expect_same(subject, 1ull << 47);
	expect_same(subject, UINT64_MAX - 1);
}

/* The FDEs of an image, by the binary search table of .eh_frame_hdr (LSB Core). */
struct fde_table {
	uint64_t address;
	const uint8_t *bytes;
	uint32_t count;
};

static int32_t read_int32(const uint8_t *bytes)
{
	int32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static bool open_table(const struct sprof_image *image, struct fde_table *ret)
{
	static const uint8_t usual[] = {1, 0x1b, 0x03, 0x3b};
	uint64_t address = image->eh_frame_hdr_address;
	const uint8_t *bytes = address ? sprof_image_at(image, address, 12) : NULL;

	if (!bytes || memcmp(bytes, usual, sizeof(usual)) != 0)
		return false;
	*ret = (struct fde_table){address, bytes, (uint32_t)read_int32(bytes + 8)};
	return ret->count > 0;
}

/*
 * Start and end of the index-th function. An FDE holds its length, the distance to its CIE, then
 * where it starts, from there, and how long it is, in 4 bytes each where the table's CIEs are
 * usual.
 */
static void read_fde(const struct sprof_image *image, const struct fde_table *table, uint32_t index,
	uint64_t *ret_start, uint64_t *ret_end)
{
	const uint8_t *entry = table->bytes + 12 + (size_t)index * 8;
	uint64_t address = table->address + (uint64_t)(int64_t)read_int32(entry + 4);
	const uint8_t *fde = sprof_image_at(image, address, 16);

	assert_non_null(fde);
	*ret_start = table->address + (uint64_t)(int64_t)read_int32(entry);
	assert_true(address + 8 + (uint64_t)(int64_t)read_int32(fde + 8) == *ret_start);
	*ret_end = *ret_start + (uint32_t)read_int32(fde + 12);
}

static void expect_same_row(const struct sprof_cfi_row *one, const struct sprof_cfi_row *other)
{
	assert_true(one->end == other->end);
	assert_int_equal(one->cfa, other->cfa);
	assert_int_equal(one->ra, other->ra);
	assert_int_equal(one->fp, other->fp);
	assert_int_equal(one->cfa_offset, other->cfa_offset);
	assert_int_equal(one->ra_offset, other->ra_offset);
	assert_int_equal(one->fp_offset, other->fp_offset);
	assert_int_equal(one->plt_push_end, other->plt_push_end);
}

/* From row to row: none is missing, none reaches out, and a row means the same at both its ends. */
static void walk_rows(struct subject *subject, uint64_t start, uint64_t end)
{
	for (uint64_t address = start; address < end;) {
		struct sprof_cfi_row row = sprof_cfi_find(subject->cfi, address), last;

		assert_int_not_equal(row.cfa, SPROF_CFA_NONE);
		assert_true(row.end > address && row.end <= end);
		last = sprof_cfi_find(subject->cfi, row.end - 1);
		expect_same_row(&last, &row);
		expect_same(subject, row.end - 1);
		expect_same(subject, address);
		address = row.end;
	}
}

static void functions_are_covered_from_start_to_end(struct subject *subject)
{
	struct fde_table table;
	uint64_t random = 7;

	if (!open_table(subject->image, &table))
		return;
	for (int i = 0; i < 1500; i++) {
		uint64_t start, end;
		uint32_t index = (uint32_t)next_random(&random, table.count);

		read_fde(subject->image, &table, index, &start, &end);
		walk_rows(subject, start, end);
	}
}

static void check_file(const char *path)
{
	struct subject subject;

	if (!open_subject(&subject, path)) {
		print_message("%s is not there\n", path);
		return;
	}
	addresses_around_the_text(&subject);
	functions_are_covered_from_start_to_end(&subject);
	any_address_in_any_order(&subject);
	close_subject(&subject);
}

/* The path of a loaded library by the start of its name. */
static void library_path(const char *name, char *ret, size_t size)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];

	assert_non_null(maps);
	*ret = '\0';
	while (fgets(line, sizeof(line), maps)) {
		const char *path = strchr(line, '/'), *base = strrchr(line, '/');

		if (path && !strncmp(base + 1, name, strlen(name)))
			snprintf(ret, size, "%.*s", (int)strcspn(path, "\n"), path);
	}
	fclose(maps);
}

static void the_c_library(void **state)
{
	char path[4096];

	library_path("libc.so", path, sizeof(path));
	assert_string_not_equal(path, "");
	check_file(path);
}

static void libdw(void **state)
{
	char path[4096];

	library_path("libdw", path, sizeof(path));
	if (path[0])
		check_file(path);
}

static void this_test(void **state)
{
	check_file("/proc/self/exe");
}

/* The path that a command prints; empty where there is no such command. */
static void path_from(const char *command, char *ret, size_t size)
{
	FILE *output = popen(command, "r");

	assert_non_null(output);
	*ret = '\0';
	if (fgets(ret, (int)size, output))
		ret[strcspn(ret, "\n")] = '\0';
	pclose(output);
}

static void programs_where_installed(void **state)
{
	static const char *const commands[] = {
		"gcc -print-file-name=libstdc++.so.6 2>/dev/null",
		"gcc -print-prog-name=cc1plus 2>/dev/null",
		"command -v /usr/bin/python3",
		"command -v git",
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		char path[4096];

		path_from(commands[i], path, sizeof(path));
		if (path[0] == '/')
			check_file(path);
	}
}

static void an_image_without_cfi_finds_nothing(void **state)
{
	struct sprof_image image = {.own_fd = -1};
	struct sprof_rows *rows = sprof_rows_create(&image);
	struct sprof_rule rule;

	assert_non_null(rows);
	rule = sprof_rows_find(rows, 0x1234);
	assert_int_equal(rule.cfa, SPROF_CFA_NONE);
	sprof_rows_destroy(rows);
	sprof_rows_destroy(NULL);
}

TEST_MAIN("rows")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_c_library),
		cmocka_unit_test(libdw),
		cmocka_unit_test(this_test),
		cmocka_unit_test(programs_where_installed),
		cmocka_unit_test(an_image_without_cfi_finds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
