/*
 * Inline chains (Go's runtime/symtab.go and symtabinl.go). A function's inline tree has an entry
 * for each call that was inlined into it; a table maps a pc to an entry. Up to Go 1.19 an entry has
 * the call's place and the index of the surrounding entry. From 1.20 on an entry has a pc at the
 * call, and that pc is looked up for its place and entry. Does not detect #line directives that
 * point into other files: the lines are those that the table has.
 */
#include "elfsym/go/lines.h"

#include <string.h>

enum {
	PCDATA_INLINE_INDEX = 2, /* runtime/symtab.go, the same since Go 1.14 */
	FUNCDATA_INLINE_TREE = 3,
};

struct entry {
	const char *name;
	uint32_t start_line; /* 0: not known */
	int32_t parent;      /* up to Go 1.19: the surrounding entry; below 0: none */
	uint32_t file, line; /* up to Go 1.19: of the call */
	/* from Go 1.20 on: a pc in the caller, relative to the function's entry */
	uint32_t pc;
};

/* The state of a walk outwards through a tree. */
struct walk {
	const struct sprof_go_table *table;
	struct sprof_go_function function;
	const char *file;
	uint32_t line;
	int32_t index; /* of the entry; below 0: the function itself */
};

static int32_t value_at(const struct walk *walk, uint32_t offset, uint64_t address)
{
	struct sprof_go_value value;

	return sprof_go_table_value(walk->table, &walk->function, offset, address, &value)
		? value.value
		: -1;
}

static void look_up(struct walk *walk, uint64_t address)
{
	const struct sprof_go_function *function = &walk->function;
	int32_t file = value_at(walk, function->file_values, address);
	int32_t line = value_at(walk, function->line_values, address);

	walk->file = file < 0 ? NULL : sprof_go_table_file(walk->table, function, (uint32_t)file);
	walk->line = line < 0 ? 0 : (uint32_t)line;
	walk->index = value_at(
		walk, sprof_go_table_pcdata(walk->table, function, PCDATA_INLINE_INDEX), address);
}

static bool read_entry(const struct walk *walk, struct entry *ret)
{
	size_t size = sprof_go_table_inline_size(walk->table);
	uint64_t tree;
	uint32_t words[5] = {0};
	const uint8_t *bytes;

	if (!sprof_go_table_funcdata(walk->table, &walk->function, FUNCDATA_INLINE_TREE, &tree))
		return false;
	bytes = sprof_image_at(walk->table->image, tree + (uint64_t)walk->index * size, size);
	if (!bytes)
		return false;
	memcpy(words, bytes, size);
	if (size == sizeof(words))
		*ret = (struct entry){
			.parent = (int16_t)words[0],
			.file = words[1],
			.line = words[2],
			.name = sprof_go_table_name(walk->table, words[3]),
		};
	else
		*ret = (struct entry){
			.name = sprof_go_table_name(walk->table, words[1]),
			.pc = words[2],
			.start_line = words[3],
		};
	return ret->name;
}

static void go_outwards(struct walk *walk, const struct entry *entry)
{
	if (sprof_go_table_inline_size(walk->table) == 16) {
		look_up(walk, walk->function.entry + entry->pc);
		return;
	}
	walk->file = sprof_go_table_file(walk->table, &walk->function, entry->file);
	walk->line = entry->line;
	walk->index = entry->parent;
}

static void append(struct sprof_go_chain *chain, const struct walk *walk, const char *name,
	uint32_t start_line)
{
	chain->items[chain->count++] = (struct sprof_dwarf_place){
		.linkage = name,
		.name = name,
		.file = walk->file,
		.line = walk->line,
		.function_line = start_line,
		.inlined = walk->index >= 0,
	};
}

/* Formats without start lines: the first instruction is the function's line. */
static uint32_t start_line_of(const struct walk *walk)
{
	int32_t line;

	if (walk->function.start_line)
		return walk->function.start_line;
	line = value_at(walk, walk->function.line_values, walk->function.entry);
	return line < 0 ? 0 : (uint32_t)line;
}

bool sprof_go_lines_find(
	const struct sprof_go_table *table, uint64_t address, struct sprof_go_chain *ret)
{
	struct walk walk = {.table = table};
	struct entry entry;

	ret->count = 0;
	if (!sprof_go_table_find(table, address, &walk.function))
		return false;
	look_up(&walk, address);
	while (walk.index >= 0 && ret->count < SPROF_GO_DEEPEST - 1 && read_entry(&walk, &entry)) {
		append(ret, &walk, entry.name, entry.start_line);
		go_outwards(&walk, &entry);
	}
	walk.index = -1;
	append(ret, &walk, walk.function.name, start_line_of(&walk));
	return true;
}
