/*
 * A Go program has two descriptions of its code: the table for its own runtime, and DWARF for debuggers. The test
 * compares both at addresses in every function. They are equal, except for the differences that are listed below.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elfsym/go/lines.h"
#include "elfsym/go/rows.h"
#include "tests/unit/check.h"
#include "tests/unit/elfsym/fixture.h"

enum {
	STRIDE = 7, /* bytes; no multiple of what functions and loops are aligned to */
	FEWEST_ADDRESSES = 10000,
};

struct twin {
	struct sprof_image *image;
	struct sprof_go_table *table;
	struct sprof_cfi *cfi;
	struct sprof_dwarf *dwarf;
};

/* How often the two were the same, and for which reason they were not. */
struct counts {
	size_t addresses;
	/* rows of functions that change stacks, are interrupted, or are outermost */
	size_t special;
	size_t padding; /* behind a function's end: neither has a line */
	/* DWARF leaves out what is inlined into a method that the compiler made */
	size_t wrappers;
	/* DWARF counts the lines of calls in the file that cgo made of the source */
	size_t call_lines;
	/* NOPs that align jumps: the table has the line behind, DWARF the one before */
	size_t alignment;
};

static void open_twin(const char *name, struct twin *ret)
{
	static const struct sprof_debug_places nowhere = {.root = "/nowhere"};
	struct sprof_dwarf_source source = {.path = name, .places = &nowhere};
	struct sprof_error err;

	assert_true(sprof_image_open_path(subject_path(name), &ret->image, &err));
	source.image = source.debug = ret->image;
	ret->table = sprof_go_table_open(ret->image);
	assert_non_null(ret->table);
	ret->cfi = sprof_cfi_create(ret->image);
	assert_non_null(ret->cfi);
	assert_true(sprof_dwarf_open(&source, &ret->dwarf, &err));
	assert_non_null(ret->dwarf);
}

static void close_twin(struct twin *twin)
{
	sprof_dwarf_close(twin->dwarf);
	sprof_cfi_destroy(twin->cfi);
	sprof_go_table_close(twin->table);
	sprof_image_close(twin->image);
}

/* Where the return address is no such, or is not to be followed, DWARF doesn't know. */
static bool is_special(const struct sprof_cfi_row *row)
{
	return row->cfa != SPROF_CFA_SP || row->ra != SPROF_REG_SAVED;
}

static void check_row(const struct twin *twin, const struct sprof_go_function *function,
	uint64_t address, struct counts *counts)
{
	struct sprof_cfi_row go = sprof_go_rows_find(twin->table, address);
	struct sprof_cfi_row dwarf = sprof_cfi_find(twin->cfi, address);
	bool special = go.cfa != SPROF_CFA_NONE && is_special(&go);
	bool same;

	counts->special += special;
	if (special && dwarf.cfa == SPROF_CFA_NONE)
		return; /* behind the end of an outermost function */
	same = go.cfa_offset == dwarf.cfa_offset && go.ra_offset == dwarf.ra_offset &&
		(special || (go.cfa == dwarf.cfa && go.ra == dwarf.ra));
	if (!same)
		fail_msg(
			"row of %s+%#lx: CFA %d + %d, return address %d at %d; DWARF: %d + %d, %d at %d",
			function->name, address - function->entry, go.cfa, go.cfa_offset, go.ra,
			go.ra_offset, dwarf.cfa, dwarf.cfa_offset, dwarf.ra, dwarf.ra_offset);
}

/* The table of some versions has "f[...]" for any "f[int]" (Go's cmd/link/internal/ld/pcln.go). */
static bool is_name(const char *go, const char *dwarf)
{
	const char *short_form = strstr(go, "[...]"), *end;
	size_t before, behind;

	if (!short_form)
		return strcmp(go, dwarf) == 0;
	before = (size_t)(short_form - go);
	end = short_form + strlen("[...]");
	behind = strlen(end);
	return strncmp(go, dwarf, before + 1) == 0 && strlen(dwarf) > before + 1 + behind &&
		strcmp(dwarf + strlen(dwarf) - behind, end) == 0;
}

/* Go says "." for the folder of its units, and libdw puts it before the names of files that nobody wrote. */
static bool is_file(const char *go, const char *dwarf)
{
	return go && dwarf &&
		(strcmp(go, dwarf) == 0 ||
			(strncmp(dwarf, "./", 2) == 0 && strcmp(go, dwarf + 2) == 0));
}

static bool is_place(const struct sprof_dwarf_place *go, const struct sprof_dwarf_place *dwarf)
{
	return is_file(go->file, dwarf->file) && go->line == dwarf->line;
}

static bool have_same_names(const struct sprof_go_chain *go, const struct sprof_dwarf_chain *dwarf)
{
	for (size_t i = 0; i < go->count && i < dwarf->count; i++) {
		if (!dwarf->items[i].name || !is_name(go->items[i].name, dwarf->items[i].name) ||
			go->items[i].inlined != dwarf->items[i].inlined)
			return false;
	}
	return go->count == dwarf->count;
}

/* How many functions outside the innermost one have other places. */
static size_t different_calls(
	const struct sprof_go_chain *go, const struct sprof_dwarf_chain *dwarf)
{
	size_t different = 0;

	for (size_t i = 1; i < go->count; i++)
		different += !is_place(&go->items[i], &dwarf->items[i]);
	return different;
}

static bool is_wrapper(const struct sprof_go_chain *go, const struct sprof_dwarf_chain *dwarf)
{
	const struct sprof_dwarf_place *outermost = &go->items[go->count - 1];

	return go->count > 1 && dwarf->count == 1 && dwarf->items[0].name &&
		is_name(outermost->name, dwarf->items[0].name) &&
		strcmp(outermost->file, "<autogenerated>") == 0 &&
		is_place(&go->items[0], &dwarf->items[0]);
}

static bool is_counted(const struct sprof_go_chain *go, const struct sprof_dwarf_chain *dwarf,
	struct counts *counts)
{
	bool same_names = have_same_names(go, dwarf);

	if (!go->items[0].line && go->count == 1 && (!dwarf->count || !dwarf->items[0].name))
		counts->padding++;
	else if (is_wrapper(go, dwarf))
		counts->wrappers++;
	else if (!same_names)
		return false;
	else if (different_calls(go, dwarf))
		counts->call_lines++;
	else if (!is_place(&go->items[0], &dwarf->items[0]))
		counts->alignment++;
	return true;
}

static void check_chain(const struct twin *twin, const struct sprof_go_function *function,
	uint64_t address, struct counts *counts)
{
	struct sprof_dwarf_chain dwarf;
	struct sprof_go_chain go;
	struct sprof_error err;

	assert_true(sprof_go_lines_find(twin->table, address, &go));
	assert_true(sprof_dwarf_find(twin->dwarf, address, &dwarf, &err));
	if (is_counted(&go, &dwarf, counts))
		return;
	for (size_t i = 0; i < go.count; i++)
		print_message(
			"table: %s %s:%u\n", go.items[i].name, go.items[i].file, go.items[i].line);
	for (size_t i = 0; i < dwarf.count; i++)
		print_message("DWARF: %s %s:%u\n", dwarf.items[i].name, dwarf.items[i].file,
			dwarf.items[i].line);
	fail_msg("other functions at %s+%#lx", function->name, address - function->entry);
}

static struct counts compare(const char *name)
{
	struct sprof_go_function function;
	struct counts counts = {0};
	struct twin twin;

	open_twin(name, &twin);
	for (size_t i = 0; i < twin.table->function_count; i++) {
		assert_true(sprof_go_table_get(twin.table, i, &function));
		for (uint64_t at = function.entry; at < function.end; at += STRIDE) {
			check_row(&twin, &function, at, &counts);
			check_chain(&twin, &function, at, &counts);
			counts.addresses++;
		}
	}
	print_message(
		"%s: %zu addresses in %zu functions: special rows %zu, padding %zu, wrappers %zu, "
		"lines of calls %zu, alignment %zu\n",
		name, counts.addresses, twin.table->function_count, counts.special, counts.padding,
		counts.wrappers, counts.call_lines, counts.alignment);
	close_twin(&twin);
	return counts;
}

/* Of Go 1.19: special rows 0.5 %, padding 4.3 %, wrappers 0.02 %, alignment 0.006 %. */
static void check_counts(const struct counts *counts)
{
	assert_true(counts->addresses >= FEWEST_ADDRESSES);
	assert_true(counts->special < counts->addresses / 50);
	assert_true(counts->padding < counts->addresses / 10);
	assert_true(counts->wrappers < counts->addresses / 1000);
	assert_true(counts->alignment < counts->addresses / 2000);
}

static void test_go_only(void **state)
{
	static const char *const names[] = {"plain", "plain-pie"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct counts counts = compare(names[i]);

		check_counts(&counts);
		assert_int_equal(counts.call_lines, 0);
	}
}

/* The program's own file is the only one that cgo has made another one of, and a few calls are inlined there. */
static void test_with_c(void **state)
{
	struct counts counts = compare("mixed");

	check_counts(&counts);
	assert_true(counts.call_lines < counts.addresses / 1000);
}

static int compare_all(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_go_only),
		cmocka_unit_test(test_with_c),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

TEST_MAIN("go-twin")
{
#if !defined(__x86_64__)
	puts("only on x86-64 are there rows from Go's table");
	return 77;
#endif
	if (access(subject_path("plain"), F_OK) != 0) {
		puts("there was no Go compiler when this was built");
		return getenv("SPROF_TESTS_MUST_RUN") ? 1 : 77;
	}
	return compare_all();
}
