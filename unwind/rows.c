/*
 * The compiled rows of one module, from Go's table, its CFI, or the code itself. Each 4 KiB page of
 * text has one small sorted array, so a row is inserted and found without touching the others. A
 * row that crosses pages is stored once per page looked up.
 */
#include "unwind/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "elfsym/go/rows.h"
#include "unwind/code/computed.h"

enum { PAGE = 4096 };

struct row {
	uint16_t start, end; /* offsets in the page: [start, end), end up to PAGE */
	struct sprof_rule rule;
};

struct page {
	struct row *rows;
	size_t count, capacity;
};

struct sprof_rows {
	struct sprof_cfi *cfi;
	struct sprof_computed *computed;
	struct sprof_go_table *go; /* NULL: none was found */
	bool has_runtime;
	struct sprof_go_runtime runtime;
	uint64_t first; /* link-time address of pages[0] */
	struct page *pages;
	size_t page_count;
};

/* The executable part of the image: the possible values of a pc. */
static void text_range(const struct sprof_image *image, uint64_t *ret_start, uint64_t *ret_end)
{
	*ret_start = UINT64_MAX;
	*ret_end = 0;
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct sprof_segment *segment = &image->segments[i];

		if (!segment->executable)
			continue;
		if (segment->address < *ret_start)
			*ret_start = segment->address;
		if (segment->address + segment->file_size > *ret_end)
			*ret_end = segment->address + segment->file_size;
	}
}

struct sprof_rows *sprof_rows_create(const struct sprof_image *image)
{
	struct sprof_rows *rows = calloc(1, sizeof(*rows));
	uint64_t start, end;

	if (!rows)
		return NULL;
	text_range(image, &start, &end);
	/* Segments lie inside the file, so there are no more pages than in the file. Two distant
	 * segments would need a table for the gap too, and get no table. */
	if (start < end && end - start <= 2 * (uint64_t)image->size + PAGE) {
		rows->first = start / PAGE * PAGE;
		rows->page_count = (end - rows->first + PAGE - 1) / PAGE;
	}
	rows->cfi = sprof_cfi_create(image);
	rows->computed = sprof_computed_create(image);
	rows->go = sprof_go_table_open(image);
	rows->has_runtime = rows->go && sprof_go_runtime_find(rows->go, &rows->runtime);
	rows->pages = calloc(rows->page_count + 1, sizeof(*rows->pages));
	if (!rows->cfi || !rows->computed || !rows->pages) {
		sprof_rows_destroy(rows);
		return NULL;
	}
	return rows;
}

void sprof_rows_destroy(struct sprof_rows *rows)
{
	if (!rows)
		return;
	for (size_t i = 0; rows->pages && i < rows->page_count; i++)
		free(rows->pages[i].rows);
	free(rows->pages);
	sprof_go_table_close(rows->go);
	sprof_computed_destroy(rows->computed);
	sprof_cfi_destroy(rows->cfi);
	free(rows);
}

struct row_search {
	const struct page *page;
	uint64_t offset;
};

static bool ends_before(const void *search, size_t index)
{
	const struct row_search *wanted = search;

	return wanted->page->rows[index].end <= wanted->offset;
}

/* The index of the first row that ends after the offset. */
static size_t search(const struct page *page, uint64_t offset)
{
	const struct row_search wanted = {page, offset};

	return sprof_first_index(page->count, ends_before, &wanted);
}

static uint8_t words_of(int16_t bytes)
{
	return bytes > 0 && bytes % 8 == 0 && bytes / 8 <= UINT8_MAX ? (uint8_t)(bytes / 8) : 0;
}

struct sprof_rule sprof_rule_of_row(const struct sprof_cfi_row *row, bool is_computed)
{
	struct sprof_rule rule = {
		.cfa = (uint8_t)row->cfa,
		.cfa_offset = row->cfa_offset,
		.fp_offset = row->fp_offset,
		.ra_offset = (int16_t)row->ra_offset,
		.cfa_add = row->cfa_add,
		.is_computed = is_computed,
		.words_above_fp = words_of(row->above_fp),
		.regs = (uint8_t)((unsigned)row->ra | (unsigned)row->fp << SPROF_RULE_FP_SHIFT),
	};

	if (row->cfa == SPROF_CFA_PLT)
		rule.cfa_offset = row->plt_push_end;
	if (row->ra == SPROF_REG_OTHER || row->ra == SPROF_REG_SAVED_AT_FP ||
		row->fp == SPROF_REG_OTHER || row->ra_offset != rule.ra_offset)
		rule.cfa = SPROF_CFA_OTHER;
	return rule;
}

/*
 * Keeps the part of a row that starts at the requested offset and lies in the page. The row's own
 * start can't be used: after a DW_CFA_restore_state, libdw gives the start of the remembered state.
 * Entries already between the offset and the row's end are a later part of the same row. Failing to
 * store it is harmless: it is compiled again.
 */
static void insert(
	struct page *page, size_t at, uint64_t offset, uint64_t end, const struct sprof_rule *rule)
{
	if (at < page->count && page->rows[at].start < end) {
		page->rows[at].start = (uint16_t)offset;
		return;
	}
	if (!sprof_array_reserve(
		    &page->rows, &page->capacity, page->count + 1, sizeof(*page->rows)))
		return;
	memmove(&page->rows[at + 1], &page->rows[at], (page->count - at) * sizeof(*page->rows));
	page->rows[at] = (struct row){
		.start = (uint16_t)offset,
		.end = (uint16_t)(end < PAGE ? end : PAGE),
		.rule = *rule,
	};
	page->count++;
}

/* Go's own table is faster than its DWARF, and remains when the DWARF is stripped. */
static struct sprof_rule compile(struct sprof_rows *rows, uint64_t address, uint64_t *ret_end)
{
	struct sprof_cfi_row row = {.cfa = SPROF_CFA_NONE};
	bool is_computed = false;

	if (rows->go)
		row = sprof_go_rows_find(rows->go, address);
	if (row.cfa == SPROF_CFA_NONE)
		row = sprof_cfi_find(rows->cfi, address);
	if (row.cfa == SPROF_CFA_NONE) {
		row = sprof_computed_find(rows->computed, address);
		is_computed = row.cfa != SPROF_CFA_NONE;
	}
	*ret_end = row.end;
	return sprof_rule_of_row(&row, is_computed);
}

struct sprof_rule sprof_rows_compute(
	struct sprof_rows *rows, uint64_t start, uint64_t next, uint64_t address)
{
	struct sprof_cfi_row row = sprof_computed_find_in(rows->computed, start, next, address);

	return sprof_rule_of_row(&row, true);
}

bool sprof_rows_find_bounds(struct sprof_rows *rows, uint64_t address, struct sprof_fde_bounds *ret)
{
	return sprof_computed_find_bounds(rows->computed, address, ret);
}

struct sprof_cfi *sprof_rows_cfi(const struct sprof_rows *rows)
{
	return rows->cfi;
}

bool sprof_rows_is_go_entry(const struct sprof_rows *rows, uint64_t address)
{
	return rows->go && sprof_go_rows_is_entry(rows->go, address);
}

const struct sprof_go_runtime *sprof_rows_go_runtime(const struct sprof_rows *rows)
{
	return rows->has_runtime ? &rows->runtime : NULL;
}

struct sprof_rule sprof_rows_find(struct sprof_rows *rows, uint64_t address)
{
	uint64_t index = (address - rows->first) / PAGE, offset = address % PAGE, end;
	struct sprof_rule rule;
	struct page *page;
	size_t at;

	if (address < rows->first || index >= rows->page_count)
		return compile(rows, address, &end);
	page = &rows->pages[index];
	at = search(page, offset);
	if (at < page->count && page->rows[at].start <= offset)
		return page->rows[at].rule;
	rule = compile(rows, address, &end);
	insert(page, at, offset, end - (address - offset), &rule);
	return rule;
}
