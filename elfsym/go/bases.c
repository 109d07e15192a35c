/*
 * From Go 1.18 on, the entries of functions and the inline trees are relative to addresses that the
 * linker fills in. The base of entries is in the table's header (later versions write 0 there).
 * Both bases are in the runtime's description of the module (runtime.moduledata, in
 * runtime/symtab.go); the address of the table, which is its first word, finds it. The position of
 * the trees' base in it depends on the version, so it is recognised by the data that it points to.
 */
#include "elfsym/go/bases.h"

#include <string.h>

#include "elfsym/elf/relocated.h"

enum {
	WORD = 8,
	TEXT_IN_HEADER = 3 * WORD,
	/* As words of the description: six slices for the parts, then findfunctab, minpc, maxpc,
	 * text. */
	NAMES = 1,
	LOWEST_PC = 20,
	TEXT = 22,
	FIRST_BASE = 30, /* for the base of the trees (gofunc): 38 in Go 1.18, 40 in 1.20 */
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

void sprof_go_bases_find(struct sprof_go_table *table)
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
