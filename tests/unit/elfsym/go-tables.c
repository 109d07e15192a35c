/*
 * Writes tables as Go's linker does (cmd/link/internal/ld/pcln.go; that of Go 1.2 is described in "Go 1.2 Runtime
 * Symbol Information"). Knows nothing of how the product reads them.
 */
#include "tests/unit/elfsym/go-tables.h"

#include <string.h>

#include "tests/unit/check.h"

enum {
	FUNCTION_SIZE = 0x80,
	FLAG_TOP = 1,
	FLAG_SETS_SP = 2,
	FILES = 3,
	RUNTIME_UNIT = 3, /* main's unit has two files and a number without a file */
	PCDATA = 3,
	FUNCDATA = 4,
	TREE_OFFSET = 32, /* where the tree is, behind what trees count from */
	VALUES_MAX = 10,
};

/* A value and where it ends, from the function's entry on. The last one has the function's end. */
struct value {
	int32_t value;
	uint32_t end;
};

struct spec {
	const char *name;
	uint8_t flags;
	bool is_inlining, is_empty;
	uint32_t start_line;
	struct value sp[VALUES_MAX], lines[VALUES_MAX], files[VALUES_MAX], entries[VALUES_MAX];
};

static const char *const files[FILES] = {"/src/main.go", "/src/other.go", "/go/asm.s"};

/* File numbers are those of the unit; in Go 1.2 one more, and of all files. */
static const struct spec specs[GO_FUNCTIONS] = {
	[GO_LEAF] = {.name = "main.leaf",
		.start_line = 9,
		.sp = {{0, 4}, {16, 60}, {0, FUNCTION_SIZE}},
		.lines = {{10, 4}, {12, 40}, {11, 60}, {14, FUNCTION_SIZE}}},
	[GO_INLINING] = {.name = "main.inlining",
		.is_inlining = true,
		.start_line = 19,
		.sp = {{0, 4}, {40, 0x7c}, {0, FUNCTION_SIZE}},
		.lines = {{20, GO_OUTER_CALL}, {22, GO_OUTER}, {31, GO_INNER_CALL}, {32, GO_INNER},
			{41, GO_OUTER_AGAIN}, {33, GO_OUTER_END}, {23, FUNCTION_SIZE}},
		.files = {{0, GO_INNER}, {2, GO_OUTER_AGAIN}, {0, FUNCTION_SIZE}},
		.entries = {{-1, GO_OUTER}, {0, GO_INNER}, {1, GO_OUTER_AGAIN}, {0, GO_OUTER_END},
			{-1, FUNCTION_SIZE}}},
	[GO_EXIT] = {.name = "runtime.goexit", .flags = FLAG_TOP},
	[GO_SYSTEM_STACK] = {.name = "runtime.systemstack", .flags = FLAG_SETS_SP},
	[GO_MCALL] = {.name = "runtime.mcall", .flags = FLAG_SETS_SP},
	[GO_C_CALL_WRAPPER] = {.name = "runtime.asmcgocall",
		.sp = {{0, 4}, {32, 0x7c}, {0, FUNCTION_SIZE}}},
	[GO_C_CALL] = {.name = "runtime.asmcgocall", .flags = FLAG_SETS_SP},
	[GO_CALLBACK] = {.name = "runtime.cgocallback",
		.flags = FLAG_SETS_SP,
		.sp = {{0, 4}, {32, 0x7c}, {0, FUNCTION_SIZE}}},
	[GO_NANOTIME] = {.name = "runtime.nanotime1",
		.flags = FLAG_SETS_SP,
		.sp = {{0, 4}, {24, 0x7c}, {0, FUNCTION_SIZE}}},
	[GO_SIGTRAMP] = {.name = "runtime.sigtramp", .flags = FLAG_TOP},
	[GO_SIGRETURN] = {.name = "runtime.sigreturn__sigaction"},
	[GO_PREEMPT] = {.name = "runtime.asyncPreempt"},
	[GO_FLAGGED_ROOT] = {.name = "main.outermost", .flags = FLAG_TOP},
	[GO_NO_VALUES] = {.name = "main.empty", .is_empty = true},
};

uint64_t go_function_entry(enum go_function function)
{
	return GO_TEXT + (uint64_t)function * FUNCTION_SIZE;
}

const char *go_function_name(enum go_function function)
{
	return specs[function].name;
}

static size_t append(struct go_tables *tables, const void *bytes, size_t size)
{
	size_t at = tables->size;

	assert_true(size <= GO_TABLE_ROOM - at);
	if (bytes)
		memcpy(tables->bytes + at, bytes, size);
	tables->size += size;
	return at;
}

static size_t append_number(struct go_tables *tables, uint64_t value, size_t size)
{
	return append(tables, &value, size);
}

static size_t append_text(struct go_tables *tables, const char *text)
{
	return append(tables, text, strlen(text) + 1);
}

static void put_number(struct go_tables *tables, size_t at, uint64_t value, size_t size)
{
	memcpy(tables->bytes + at, &value, size);
}

static void put_address(struct go_tables *tables, size_t at, uint64_t address)
{
	assert_true(tables->address_count < GO_ADDRESSES);
	tables->addresses[tables->address_count++] = at;
	put_number(tables, at, address, 8);
}

static void align(struct go_tables *tables, size_t size)
{
	while (tables->size % size)
		append_number(tables, 0, 1);
}

static void append_uleb(struct go_tables *tables, uint32_t value)
{
	for (; value >= 0x80; value >>= 7)
		append_number(tables, value & 0x7f ? (value & 0x7f) | 0x80 : 0x80, 1);
	append_number(tables, value, 1);
}

/* The offset of the values from the part's beginning on. */
static uint32_t append_values(
	struct go_tables *tables, size_t part, const struct value *values, int32_t base)
{
	static const struct value zero[] = {{0, FUNCTION_SIZE}};
	uint32_t at = (uint32_t)(tables->size - part), pc = 0;
	int32_t last = -1;

	if (!values->end)
		values = zero;
	for (; pc < FUNCTION_SIZE; values++) {
		int32_t value = values->value < 0 ? values->value : values->value + base;
		int32_t move = value - last;

		append_uleb(tables, move < 0 ? ~((uint32_t)move << 1) : (uint32_t)move << 1);
		append_uleb(tables, (values->end - pc) / tables->options.quantum);
		last = value;
		pc = values->end;
	}
	append_number(tables, 0, 1);
	return at;
}

/* What a function's record points to, in offsets from where the parts begin. */
struct record {
	uint32_t name, sp, files, lines, entries;
};

static bool is_old(const struct go_tables *tables)
{
	return tables->options.format == GO_1_2;
}

static bool has_text(const struct go_tables *tables)
{
	return tables->options.format >= GO_1_18;
}

static void append_function_values(
	struct go_tables *tables, size_t part, size_t index, struct record *record)
{
	const struct spec *spec = &specs[index];
	const struct value file[] = {{is_old(tables) ? 1 : 0, FUNCTION_SIZE}};
	bool has_files = spec->files[0].end || index < GO_EXIT;

	if (spec->is_empty)
		return;
	record->sp = append_values(tables, part, spec->sp, 0);
	record->files =
		append_values(tables, part, has_files ? spec->files : file, is_old(tables) ? 1 : 0);
	record->lines = append_values(tables, part, spec->lines, 0);
	if (spec->is_inlining)
		record->entries = append_values(tables, part, spec->entries, 0);
}

static void append_records_data(struct go_tables *tables, const struct spec *spec)
{
	bool has_tree = spec->is_inlining;

	if (!has_text(tables))
		align(tables, 8);
	for (int i = 0; i < FUNCDATA; i++) {
		bool is_tree = has_tree && i == FUNCDATA - 1;

		if (has_text(tables)) {
			append_number(tables, is_tree ? TREE_OFFSET : UINT32_MAX, 4);
			continue;
		}
		append_number(tables, 0, 8);
		if (is_tree)
			put_address(tables, tables->size - 8, GO_BASE + GO_TREES_AT + TREE_OFFSET);
	}
}

/* A pc in the table: an address, or a distance from the text's start. */
static void append_entry(struct go_tables *tables, size_t index)
{
	size_t at = append_number(tables, 0, has_text(tables) ? 4 : 8);

	if (has_text(tables))
		put_number(tables, at, index * FUNCTION_SIZE, 4);
	else
		put_address(tables, at, go_function_entry((enum go_function)index));
}

static void append_record(struct go_tables *tables, size_t index, const struct record *record)
{
	const struct spec *spec = &specs[index];
	unsigned flags = tables->options.has_no_flags || is_old(tables) ? 0 : spec->flags;
	uint32_t last = flags << 8 | (spec->is_empty ? 0u : (unsigned)FUNCDATA << 24);

	append_entry(tables, index);
	append_number(tables, record->name, 4);
	append_number(tables, 0, 8);
	append_number(tables, record->sp, 4);
	append_number(tables, record->files, 4);
	append_number(tables, record->lines, 4);
	append_number(tables, spec->is_empty ? 0 : PCDATA, 4);
	if (!is_old(tables))
		append_number(tables, index < GO_EXIT ? 0 : RUNTIME_UNIT, 4);
	if (tables->options.format == GO_1_20)
		append_number(tables, spec->start_line, 4);
	append_number(tables, last, 4);
	if (spec->is_empty)
		return;
	append_number(tables, 0, 8);
	append_number(tables, record->entries, 4);
	append_records_data(tables, spec);
}

/* Names, and behind them those of inlined functions. */
static void append_names(struct go_tables *tables, struct record *records, uint32_t inlined[2])
{
	size_t part = is_old(tables) ? 0 : tables->size;

	tables->names = part;
	append_text(tables, "");
	for (size_t i = 0; i < GO_FUNCTIONS; i++)
		records[i].name = (uint32_t)(append_text(tables, specs[i].name) - part);
	inlined[0] = (uint32_t)(append_text(tables, "main.outer") - part);
	inlined[1] = (uint32_t)(append_text(tables, "main.inner") - part);
}

/* See elfsym/go/lines.c's own words on entries; these are the linker's. */
static void make_trees(struct go_tables *tables, const uint32_t names[2])
{
	uint32_t shift = is_old(tables) ? 1 : 0;
	const uint32_t by_place[] = {
		0xffff, shift, 22, names[0], GO_OUTER_CALL, 0, shift, 32, names[1], GO_INNER_CALL};
	const uint32_t by_pc[] = {0, names[0], GO_OUTER_CALL, 30, 0, names[1], GO_INNER_CALL, 40};

	if (tables->options.format == GO_1_20) {
		memcpy(tables->trees, by_pc, sizeof(by_pc));
		tables->tree_size = sizeof(by_pc);
		return;
	}
	memcpy(tables->trees, by_place, sizeof(by_place));
	tables->tree_size = sizeof(by_place);
}

/* Functions, where the last one ends, and records. Offsets of records count from the beginning of the part. */
static void append_functions(struct go_tables *tables, size_t part, const struct record *records)
{
	size_t size = has_text(tables) ? 4 : 8, first = tables->size;

	for (size_t i = 0; i <= GO_FUNCTIONS; i++) {
		append_entry(tables, i);
		if (i < GO_FUNCTIONS)
			append_number(tables, 0, size);
	}
	append_number(tables, 0, 4); /* of Go 1.2: where its files are */
	for (size_t i = 0; i < GO_FUNCTIONS; i++) {
		align(tables, 8);
		put_number(tables, first + i * 2 * size + size, tables->size - part, size);
		append_record(tables, i, &records[i]);
	}
}

static void append_old_files(struct go_tables *tables)
{
	size_t at, count_at = 16 + (size_t)GO_FUNCTIONS * 16 + 8;
	uint32_t names[FILES];

	for (size_t i = 0; i < FILES; i++)
		names[i] = (uint32_t)append_text(tables, files[i]);
	align(tables, 4);
	at = append_number(tables, FILES + 1, 4);
	/* Main's files are 1 and 3, so that numbers differ by 2 as in the newer formats. */
	append_number(tables, names[0], 4);
	append_number(tables, names[2], 4);
	append_number(tables, names[1], 4);
	put_number(tables, count_at, at, 4);
}

static void make_old(struct go_tables *tables, struct record *records, uint32_t inlined[2])
{
	append_number(tables, GO_FUNCTIONS, 8);
	append_functions(tables, 0, records);
	append_names(tables, records, inlined);
	for (size_t i = 0; i < GO_FUNCTIONS; i++)
		append_function_values(tables, 0, i, &records[i]);
	append_old_files(tables);
}

static void append_files(struct go_tables *tables, size_t units)
{
	size_t part = tables->size;
	uint32_t at[FILES];

	for (size_t i = 0; i < FILES; i++)
		at[i] = (uint32_t)(append_text(tables, files[i]) - part);
	put_number(tables, units, at[0], 4);
	put_number(tables, units + 4, UINT32_MAX, 4);
	put_number(tables, units + 8, at[1], 4);
	put_number(tables, units + 12, at[2], 4);
}

static void make_new(struct go_tables *tables, struct record *records, uint32_t inlined[2])
{
	size_t header, part;

	append_number(tables, GO_FUNCTIONS, 8);
	append_number(tables, FILES, 8);
	if (has_text(tables))
		put_address(tables, append_number(tables, 0, 8), GO_TEXT);
	header = append(tables, NULL, 5 * (size_t)8);
	put_number(tables, header, tables->size, 8);
	append_names(tables, records, inlined);
	align(tables, 4);
	part = append(tables, NULL, (RUNTIME_UNIT + 1) * (size_t)4);
	put_number(tables, header + 8, part, 8);
	put_number(tables, header + 16, tables->size, 8);
	append_files(tables, part);
	put_number(tables, header + 24, tables->size, 8);
	part = append_number(tables, 0, 1);
	for (size_t i = 0; i < GO_FUNCTIONS; i++)
		append_function_values(tables, part, i, &records[i]);
	align(tables, 8);
	put_number(tables, header + 32, tables->size, 8);
	append_functions(tables, tables->size, records);
}

void go_tables_make(const struct go_table_options *options, struct go_tables *ret)
{
	static const uint32_t magics[GO_FORMATS] = {0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1};
	struct record records[GO_FUNCTIONS] = {0};
	uint32_t inlined[2];

	*ret = (struct go_tables){.options = *options};
	if (!ret->options.quantum)
		ret->options.quantum = 1;
	append_number(ret, magics[options->format], 4);
	append_number(ret, 0, 2);
	append_number(ret, ret->options.quantum, 1);
	append_number(ret, 8, 1);
	/* What Go 1.2's records point to lies behind them: made once to know where, and then once more. */
	for (int i = 0; i < 2; i++) {
		ret->size = 8;
		ret->address_count = 0;
		if (is_old(ret))
			make_old(ret, records, inlined);
		else
			make_new(ret, records, inlined);
	}
	make_trees(ret, inlined);
}

/* The instructions that are looked at, of Go 1.19. */
static void put_code(struct go_image *image)
{
	static const uint8_t system_stack[] = {0x64, 0x48, 0x8b, 0x04, 0x25, 0xf8, 0xff, 0xff, 0xff,
		0x48, 0x8b, 0x58, 0x30, 0x48, 0x3b, 0x43, 0x50, 0x48, 0x3b, 0x83, 0xc0, 0, 0, 0};
	static const uint8_t nanotime[] = {0x48, 0x89, 0x93, 0x30, 0x03, 0, 0};
	/* mov 48(%rsp),%rdi; mov 8(%rdi),%rsi; sub 40(%rsp),%rsi */
	static const uint8_t behind_call[] = {
		0x48, 0x8b, 0x7c, 0x24, 48, 0x48, 0x8b, 0x77, 8, 0x48, 0x2b, 0x74, 0x24, 40};

	go_image_put(image, go_function_entry(GO_SYSTEM_STACK) - GO_BASE + 8, system_stack,
		sizeof(system_stack));
	go_image_put(
		image, go_function_entry(GO_NANOTIME) - GO_BASE + 8, nanotime, sizeof(nanotime));
	go_image_put(image, go_function_entry(GO_C_CALL) - GO_BASE + 0x60, behind_call,
		sizeof(behind_call));
}

struct go_image go_tables_image(
	const struct go_tables *tables, const struct go_image_options *options)
{
	struct go_image image = go_image_make(options, tables->bytes, tables->size);

	put_code(&image);
	go_image_put(&image, GO_TREES_AT + TREE_OFFSET, tables->trees, tables->tree_size);
	for (size_t i = 0; i < tables->address_count; i++) {
		size_t at = tables->addresses[i];
		uint64_t address;

		memcpy(&address, tables->bytes + at, sizeof(address));
		go_image_put_address(&image, GO_TABLE_AT + at, address);
	}
	if (has_text(tables))
		go_image_describe(&image, tables->options.format == GO_1_20 ? 40 : 38);
	return image;
}

struct sprof_image *go_tables_open(
	const struct go_tables *tables, const struct go_image_options *options)
{
	struct go_image made = go_tables_image(tables, options);
	struct sprof_image *image = go_image_open(&made);

	assert_non_null(image);
	return image;
}

struct sprof_go_table *go_program_open(const struct go_table_options *options)
{
	static const struct go_image_options usual = {.section = ".gopclntab"};
	struct sprof_go_table *table;
	struct go_tables tables;

	go_tables_make(options, &tables);
	table = sprof_go_table_open(go_tables_open(&tables, &usual));
	assert_non_null(table);
	return table;
}

void go_program_close(struct sprof_go_table *table)
{
	struct sprof_image *image = (struct sprof_image *)(uintptr_t)table->image;

	sprof_go_table_close(table);
	sprof_image_close(image);
}
