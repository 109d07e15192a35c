/*
 * Finds .gopclntab in a file and reads its header, which has four forms: Go 1.2, 1.16, 1.18 and
 * 1.20. Does not read what follows the header; table.c does.
 *
 * From Go 1.18 on, the entries of functions and the inline trees are relative to addresses that the
 * linker fills in. The base of entries is in the header (later versions write 0 there). Both bases
 * are in the runtime's description of the module (runtime.moduledata, in runtime/symtab.go); the
 * address of the table, which is its first word, finds it. The position of the trees' base in it
 * depends on the version, so it is recognised by the data that it points to.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/elf/relocated.h"
#include "elfsym/go/table.h"

enum {
	WORD = 8,
	HEADER = 8, /* magic, two zeros, quantum, size of a word */
	LARGEST_HEADER = HEADER + 8 * WORD,
	MOST_TRIES = 16, /* in an image that is full of lookalikes of a table's first bytes */
};

static const struct sprof_go_format formats[] = {
	{.magic = 0xfffffffb, .entry_size = 8, .inline_size = 20},
	{.magic = 0xfffffffa, .entry_size = 8, .has_parts = true, .inline_size = 20},
	{.magic = 0xfffffff0,
		.entry_size = 4,
		.has_parts = true,
		.has_text = true,
		.inline_size = 20},
	{.magic = 0xfffffff1,
		.entry_size = 4,
		.has_parts = true,
		.has_text = true,
		.has_start_line = true,
		.inline_size = 16},
};

enum { FORMAT_COUNT = sizeof(formats) / sizeof(formats[0]) };

enum {
	TEXT_IN_HEADER = 3 * WORD,
	/*
	 * Word numbers in the description: six slices for the parts, then findfunctab, minpc,
	 * maxpc, text.
	 */
	NAMES = 1,
	LOWEST_PC = 20,
	TEXT = 22,
	FIRST_BASE =
		30, /* where to look for the base of the trees (gofunc): it is 38 in Go 1.18, 40 in 1.20 */
	WORDS = 48,
	TREES_TO_TRY = 32,
	FUNCTIONS_TO_TRY = 4096,
	MOST_VISITS = 16, /* places that hold the table's address; a real file has one or two */
	FUNCDATA_INLINE_TREE = 3,
};

struct search {
	struct sprof_go_table *table;
	uint64_t first; /* entry of the first function, relative to the text */
	int visits;
};

/* Checks the name and the place of the call in a tree's first entry; see lines.c. */
static bool makes_sense(const struct sprof_go_table *table,
	const struct sprof_go_function *function, const uint8_t *tree)
{
	bool is_new = sprof_go_table_inline_size(table) == 16;
	uint32_t name, pc;

	memcpy(&name, tree + (is_new ? 4 : 12), sizeof(name));
	memcpy(&pc, tree + (is_new ? 8 : 16), sizeof(pc));
	return sprof_go_table_name(table, name) &&
		(!name || !table->bytes[table->names + name - 1]) &&
		pc < function->end - function->entry;
}

/* Whether the inline trees of some functions make sense with this base. */
static bool has_trees_at(struct sprof_go_table *table, uint64_t base)
{
	size_t step = table->function_count / FUNCTIONS_TO_TRY + 1, found = 0;
	struct sprof_go_function function;
	const uint8_t *tree;
	uint64_t address;

	table->inline_trees = base;
	for (size_t i = 0; i < table->function_count && found < TREES_TO_TRY; i += step) {
		if (!sprof_go_table_get(table, i, &function) ||
			!sprof_go_table_funcdata(table, &function, FUNCDATA_INLINE_TREE, &address))
			continue;
		tree = sprof_image_at(table->image, address, sprof_go_table_inline_size(table));
		if (!tree || !makes_sense(table, &function, tree))
			return false;
		found++;
	}
	return found;
}

/* Returns true to end the search. */
static bool visit(void *data, uint64_t address)
{
	struct search *search = data;
	struct sprof_go_table *table = search->table;
	uint64_t words[WORDS];

	if (++search->visits > MOST_VISITS)
		return true;
	if (!sprof_relocated_read(table->image, address, words, sizeof(words)) ||
		words[NAMES] != table->address + table->names ||
		words[LOWEST_PC] != words[TEXT] + search->first)
		return false;
	table->text = words[TEXT];
	for (size_t i = FIRST_BASE; i < WORDS; i++) {
		if (words[i] > table->text && has_trees_at(table, words[i]))
			return true;
	}
	table->inline_trees = 0;
	return true;
}

/*
 * Sets `text` and `inline_trees` in a table of Go 1.18 or later, if found. Without inline_trees,
 * inlined functions are unknown.
 */
static void go_bases_find(struct sprof_go_table *table)
{
	struct search search = {.table = table};
	struct sprof_go_function first;
	uint64_t text;

	table->text = 0;
	if (!sprof_go_table_get(table, 0, &first))
		return;
	search.first = first.entry;
	if (sprof_relocated_read(table->image, table->address + TEXT_IN_HEADER, &text, WORD))
		table->text = text;
	sprof_relocated_find(table->image, table->address, visit, &search);
}

static const struct sprof_go_format *format_of(const uint8_t *bytes, size_t size)
{
	uint32_t magic;

	if (size < LARGEST_HEADER || bytes[4] || bytes[5] || bytes[7] != WORD ||
		(bytes[6] != 1 && bytes[6] != 2 && bytes[6] != 4))
		return NULL;
	memcpy(&magic, bytes, sizeof(magic));
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (formats[i].magic == magic)
			return &formats[i];
	}
	return NULL;
}

/* The header of Go 1.2: the number of functions, the functions, then the offset of the files. */
static bool read_old_header(struct sprof_go_table *table)
{
	uint64_t count = sprof_go_table_number(table, HEADER, WORD);

	if (count > table->size / (2 * WORD))
		return false;
	table->function_count = count;
	table->functions = HEADER + WORD;
	table->units = sprof_go_table_number(table, table->functions + count * 2 * WORD + WORD, 4);
	return true;
}

static bool read_header(struct sprof_go_table *table)
{
	uint64_t at = HEADER;
	uint64_t *const parts[] = {
		&table->names, &table->units, NULL, &table->values, &table->functions};
	uint64_t files = 0;

	if (!table->format->has_parts)
		return read_old_header(table);
	table->function_count = sprof_go_table_number(table, at, WORD);
	at += 2 * WORD;
	if (table->format->has_text) {
		table->text = sprof_go_table_number(table, at, WORD);
		at += WORD;
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++, at += WORD)
		*(parts[i] ? parts[i] : &files) = sprof_go_table_number(table, at, WORD);
	table->files = files;
	return table->names <= table->size && table->functions <= table->size &&
		table->function_count <= (table->size - table->functions) / 8;
}

/* Old tables are full of addresses; position-independent files may have only relocations. */
static bool relocate(struct sprof_go_table *table)
{
	if (table->format->entry_size == 4 || table->image->executable_file)
		return true;
	table->own_bytes = malloc(table->size);
	if (!table->own_bytes ||
		!sprof_relocated_read(table->image, table->address, table->own_bytes, table->size))
		return false;
	table->bytes = table->own_bytes;
	return true;
}

/* Whether there are functions in rising order. Random bytes fail this cheap test. */
static bool has_functions(const struct sprof_go_table *table)
{
	struct sprof_go_function first, last;

	return table->function_count && sprof_go_table_get(table, 0, &first) &&
		sprof_go_table_get(table, table->function_count - 1, &last) &&
		first.entry <= last.entry;
}

/* Whether the first and the last function are code. */
static bool is_plausible(const struct sprof_go_table *table)
{
	struct sprof_go_function first, last;

	return sprof_go_table_get(table, 0, &first) &&
		sprof_go_table_get(table, table->function_count - 1, &last) &&
		sprof_image_executable(table->image, first.entry) &&
		sprof_image_executable(table->image, last.entry);
}

/* The header of Go 1.16 and 1.17 is the same, but only 1.17 has flags: each program has a function
 * that sets sp. */
static void find_flags(struct sprof_go_table *table)
{
	struct sprof_go_function function;

	table->has_flags = table->format->has_parts;
	if (!table->format->has_text && table->has_flags)
		table->has_flags = sprof_go_table_find_switch(table, "runtime.mcall", &function);
}

static struct sprof_go_table *create(
	const struct sprof_image *image, uint64_t address, const uint8_t *bytes, size_t size)
{
	const struct sprof_go_format *format = format_of(bytes, size);
	struct sprof_go_table *table = format ? calloc(1, sizeof(*table)) : NULL;

	if (!table)
		return NULL;
	*table = (struct sprof_go_table){
		.image = image,
		.format = format,
		.address = address,
		.bytes = bytes,
		.size = size,
		.quantum = bytes[6],
	};
	if (relocate(table) && read_header(table) && has_functions(table)) {
		if (format->has_text)
			go_bases_find(table);
		find_flags(table);
		if (is_plausible(table))
			return table;
	}
	sprof_go_table_close(table);
	return NULL;
}

static struct sprof_go_table *open_by_name(const struct sprof_image *image)
{
	static const char *const names[] = {".gopclntab", ".data.rel.ro.gopclntab"};
	struct sprof_go_table *table = NULL;
	struct sprof_section section;

	for (size_t i = 0; !table && i < sizeof(names) / sizeof(names[0]); i++) {
		if (sprof_image_section(image, names[i], &section) && section.address)
			table = create(image, section.address, section.bytes, section.size);
	}
	return table;
}

/* Searches for the table's first bytes, except the first, for one quantum. It is word-aligned. */
static struct sprof_go_table *search_segment(const struct sprof_image *image,
	const struct sprof_segment *segment, uint8_t quantum, int *tries)
{
	const uint8_t pattern[] = {0xff, 0xff, 0xff, 0, 0, quantum, WORD};
	size_t room = sprof_image_room(image, segment->address);
	const uint8_t *bytes = room ? sprof_image_at(image, segment->address, room) : NULL;
	const uint8_t *at = bytes, *end = bytes ? bytes + room : NULL;
	struct sprof_go_table *table = NULL;

	for (; !table && *tries && at &&
		(at = memmem(at, (size_t)(end - at), pattern, sizeof(pattern)));
		at++) {
		uint64_t address = segment->address + (uint64_t)(at - bytes) - 1;

		if (at == bytes || address % WORD)
			continue;
		--*tries;
		table = create(image, address, at - 1, (size_t)(end - at) + 1);
	}
	return table;
}

/* Go's linker writes a note with the build id: type 4, owner "Go" (cmd/link/internal/ld/elf.go). */
static bool has_note(const struct sprof_image *image)
{
	static const uint8_t note[] = {4, 0, 0, 0, 'G', 'o', 0, 0};
	GElf_Phdr header;
	const uint8_t *bytes;

	for (int i = 0; gelf_getphdr(image->elf, i, &header); i++) {
		bytes = header.p_type == PT_NOTE
			? sprof_image_at(image, header.p_vaddr, header.p_filesz)
			: NULL;
		if (bytes && memmem(bytes, header.p_filesz, note, sizeof(note)))
			return true;
	}
	return false;
}

static bool has_sections(const struct sprof_image *image)
{
	size_t count;

	return elf_getshdrnum(image->elf, &count) == 0 && count;
}

struct sprof_go_table *sprof_go_table_open(const struct sprof_image *image)
{
	static const uint8_t quanta[] = {1, 4};
	struct sprof_go_table *table = open_by_name(image);
	bool may_have = table || has_note(image) || !has_sections(image);
	int tries = MOST_TRIES;

	for (size_t i = 0; !table && may_have && i < image->segment_count; i++) {
		for (size_t j = 0; !table && j < sizeof(quanta); j++)
			table = search_segment(image, &image->segments[i], quanta[j], &tries);
	}
	return table;
}
