/* Private to elfsym/elf/: the symbols while a table is made. */
#pragma once

#include "elfsym/elf/namesakes.h"
#include "elfsym/elf/ranges.h"
#include "elfsym/elf/symtab.h"

/* The merits of a symbol, the strongest in the highest bit. */
enum {
	SPROF_RANK_LOCAL = 1,
	SPROF_RANK_GLOBAL = 2,
	/* STT_FUNC, STT_GNU_IFUNC; else a label in an executable section */
	SPROF_RANK_FUNCTION = 4,
	SPROF_RANK_SIZED = 8,
};

struct sprof_candidate {
	uint64_t address, size;
	uint64_t limit; /* the end of its section */
	const char *name;
	const char *file; /* of its unit, if it needs one */
	uint32_t unit;    /* see struct sprof_namesake */
	uint8_t rank, source;
	bool is_indirect;
};

struct sprof_symtab {
	struct sprof_candidate *items;
	size_t count, capacity;
	/* Local labels without type and size behind an unsized function, by address. */
	struct sprof_candidate *labels;
	size_t label_count, label_capacity;
	struct sprof_ranges ranges; /* -> index of the item */
	struct sprof_unit_files units;
	bool full;
};

/* Returns false if out of memory. */
bool sprof_symtab_append(struct sprof_symtab *symtab, const struct sprof_candidate *item);

/* Compares by address; of symbols at one address, the better one comes later. */
int sprof_symtab_compare(const void *left, const void *right);

/* Names the PLT entries, after all symbols are read. Returns false if out of memory. */
bool sprof_symtab_read_plt(struct sprof_symtab *symtab, const struct sprof_image *image);

/* Sets the files of the sorted symbols: only namesakes need one. Returns false if out of memory. */
bool sprof_symtab_settle_units(struct sprof_symtab *symtab);
