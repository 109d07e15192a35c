/*
 * Symbol tables. Of several symbols at one address, prefers the most natural: sized before unsized,
 * functions before bare labels, global before local before weak, plain before underscored. A file
 * without sections still has the symbols that the dynamic linker needs. Checks that names end
 * inside their section, but measures a name only when needed, so a malicious table of a million
 * long overlapping names costs nothing. Does not handle DWARF and mangling.
 *
 * A failure without an error means out of memory.
 */
#include "elfsym/elf/symtab.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elfsym/elf/dynamic.h"
#include "elfsym/elf/symbol-section.h"
#include "elfsym/elf/symtab-items.h"

enum priority {
	PRIORITY_LABEL,
	PRIORITY_PLT, /* sized, but any symbol with its own name is better */
	PRIORITY_UNSIZED,
	PRIORITY_SIZED,
	PRIORITY_COUNT
};

/* One symbol table section with its strings. Remembers the last symbol's section. */
struct reader {
	Elf *elf;
	enum sprof_symbol_source source;
	struct sprof_symbol_sections table;
	size_t section;
	GElf_Shdr section_header;
	uint32_t unit; /* that local symbols belong to */
};

/* Returns false if the symbol's section contains no code, or not the symbol's address. */
static bool read_section(struct reader *reader, int index, const GElf_Sym *symbol)
{
	Elf_Scn *section;
	size_t number;

	if (!sprof_symbol_section(&reader->table, index, &number))
		return false;
	if (number != reader->section) {
		section = elf_getscn(reader->elf, number);
		if (!section || !gelf_getshdr(section, &reader->section_header))
			return false;
		reader->section = number;
	}
	return (reader->section_header.sh_flags & SHF_EXECINSTR) &&
		symbol->st_value - reader->section_header.sh_addr < reader->section_header.sh_size;
}

static bool rank_symbol(const GElf_Sym *symbol, unsigned *ret_rank)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info), binding = GELF_ST_BIND(symbol->st_info);

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	*ret_rank = (symbol->st_size ? SPROF_RANK_SIZED : 0) |
		(type != STT_NOTYPE ? SPROF_RANK_FUNCTION : 0) |
		(binding == STB_LOCAL                 ? SPROF_RANK_LOCAL
				: binding == STB_WEAK ? 0
						      : SPROF_RANK_GLOBAL);
	return true;
}

static bool is_indirect(const GElf_Sym *symbol)
{
	return GELF_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC;
}

static bool add_symbol(
	struct sprof_symtab *symtab, struct reader *reader, int index, const GElf_Sym *symbol)
{
	unsigned rank;

	if (symbol->st_name >= reader->table.strings_size)
		return true;
	if (GELF_ST_TYPE(symbol->st_info) == STT_FILE)
		return sprof_unit_files_add(
			&symtab->units, reader->table.strings + symbol->st_name, &reader->unit);
	if (!rank_symbol(symbol, &rank) || !read_section(reader, index, symbol))
		return true;
	return sprof_symtab_append(symtab,
		&(struct sprof_candidate){
			.address = symbol->st_value,
			.size = symbol->st_size,
			.limit = reader->section_header.sh_addr + reader->section_header.sh_size,
			.name = reader->table.strings + symbol->st_name,
			.unit = rank & SPROF_RANK_LOCAL ? reader->unit : 0,
			.rank = (uint8_t)rank,
			.source = reader->source,
			.is_indirect = is_indirect(symbol),
		});
}

static bool read_table(struct sprof_symtab *symtab, struct reader *reader)
{
	GElf_Sym symbol;

	for (int i = 1; gelf_getsym(reader->table.symbols, i, &symbol); i++) {
		if (!add_symbol(symtab, reader, i, &symbol))
			return false;
	}
	return true;
}

/* Only for files without a .dynsym section. */
static bool read_dynamic(struct sprof_symtab *symtab, const struct sprof_image *image)
{
	struct sprof_dynamic dynamic;
	unsigned rank;

	if (!sprof_dynamic_read(image, &dynamic) || !dynamic.symbols)
		return true;
	for (size_t i = 1; i < dynamic.symbol_count; i++) {
		const GElf_Sym *symbol = &dynamic.symbols[i];
		const char *name = sprof_dynamic_name(&dynamic, i);

		if (!name || symbol->st_shndx == SHN_UNDEF || !rank_symbol(symbol, &rank) ||
			!sprof_image_executable(image, symbol->st_value))
			continue;
		if (!sprof_symtab_append(symtab,
			    &(struct sprof_candidate){
				    .address = symbol->st_value,
				    .size = symbol->st_size,
				    .limit = symbol->st_value +
					    sprof_image_room(image, symbol->st_value),
				    .name = name,
				    .rank = (uint8_t)rank,
				    .source = SPROF_SYMBOL_DYNSYM,
				    .is_indirect = is_indirect(symbol),
			    }))
			return false;
	}
	return true;
}

static bool read_tables(struct sprof_symtab *symtab, const struct sprof_image *image,
	enum sprof_symbol_source source)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	struct reader reader;
	bool has_dynamic = false;

	while ((section = elf_nextscn(image->elf, section))) {
		reader = (struct reader){.elf = image->elf, .source = source};
		if (!gelf_getshdr(section, &header) ||
			(header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
			!sprof_symbol_sections_open(image->elf, section, &header, &reader.table))
			continue;
		if (header.sh_type == SHT_DYNSYM) {
			has_dynamic = true;
			reader.source = SPROF_SYMBOL_DYNSYM;
		} else if (source != SPROF_SYMBOL_GNU_DEBUGDATA) {
			symtab->full = true;
		}
		if (!read_table(symtab, &reader))
			return false;
	}
	return has_dynamic || source != SPROF_SYMBOL_SYMTAB || read_dynamic(symtab, image);
}

/* A local label doesn't end the unsized function around it; sized symbols precede both. */
static enum priority priority(const struct sprof_candidate *item)
{
	if (item->source == SPROF_SYMBOL_PLT)
		return PRIORITY_PLT;
	if (item->size)
		return PRIORITY_SIZED;
	return item->rank & (SPROF_RANK_FUNCTION | SPROF_RANK_GLOBAL) ? PRIORITY_UNSIZED
								      : PRIORITY_LABEL;
}

static uint64_t symbol_end(const struct sprof_candidate *item)
{
	uint64_t end;

	return __builtin_add_overflow(item->address, item->size, &end) ? UINT64_MAX : end;
}

/*
 * Drops labels, at which no function begins: unsized symbols inside sized ones. Sets local ones
 * without a type between an unsized function and the next one apart (NASM writes both). Returns
 * false if out of memory.
 */
static bool drop_covered(struct sprof_symtab *symtab)
{
	/* The ends of the last functions with and without size. */
	uint64_t covered = 0, unsized = 0;
	size_t kept = 0;

	for (size_t i = 0; i < symtab->count; i++) {
		const struct sprof_candidate *item = &symtab->items[i];
		const bool is_label = priority(item) == PRIORITY_LABEL;

		if (!item->size && item->address < covered)
			continue;
		if (is_label && item->address < unsized) {
			if (!SPROF_ARRAY_APPEND(symtab->labels, symtab->label_count,
				    symtab->label_capacity, *item))
				return false;
			continue;
		}
		if (symbol_end(item) > covered && item->size)
			covered = symbol_end(item);
		if (!is_label)
			unsized = item->size ? 0 : item->limit;
		symtab->items[kept++] = *item;
	}
	symtab->count = kept;
	return true;
}

/*
 * Goes from the last symbol to the first: an unsized symbol needs the next start. At one address
 * the best symbol comes first, and unsized ones after it get an empty range.
 */
static bool add_ranges(struct sprof_symtab *symtab)
{
	uint64_t next_start[PRIORITY_COUNT] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};

	for (size_t i = symtab->count; i-- > 0;) {
		const struct sprof_candidate *item = &symtab->items[i];
		uint64_t high = item->size ? symbol_end(item) : next_start[priority(item)];
		struct sprof_range range = {
			.low = item->address,
			.high = high < item->limit ? high : item->limit,
			.value = (uint32_t)i,
			.priority = priority(item),
		};

		if (!sprof_ranges_add(&symtab->ranges, &range))
			return false;
		for (unsigned p = 0; p <= priority(item); p++)
			next_start[p] = item->address;
	}
	return sprof_ranges_settle(&symtab->ranges);
}

static bool read_files(struct sprof_symtab *symtab, const struct sprof_symtab_files *files)
{
	return read_tables(symtab, files->image, SPROF_SYMBOL_SYMTAB) &&
		(!files->debug || read_tables(symtab, files->debug, SPROF_SYMBOL_DEBUG_FILE)) &&
		(!files->inner || read_tables(symtab, files->inner, SPROF_SYMBOL_GNU_DEBUGDATA)) &&
		sprof_symtab_read_plt(symtab, files->image);
}

bool sprof_symtab_create(
	const struct sprof_symtab_files *files, struct sprof_symtab **ret, struct sprof_error *err)
{
	struct sprof_symtab *symtab = calloc(1, sizeof(*symtab));

	if (!symtab)
		return sprof_error_no_memory(err);
	if (!read_files(symtab, files))
		goto no_memory;
	if (symtab->count)
		qsort(symtab->items, symtab->count, sizeof(*symtab->items), sprof_symtab_compare);
	if (!drop_covered(symtab) || !sprof_symtab_settle_units(symtab) || !add_ranges(symtab))
		goto no_memory;
	*ret = symtab;
	return true;
no_memory:
	sprof_symtab_destroy(symtab);
	return sprof_error_no_memory(err);
}

void sprof_symtab_destroy(struct sprof_symtab *symtab)
{
	if (!symtab)
		return;
	free(symtab->items);
	free(symtab->labels);
	sprof_unit_files_finish(&symtab->units);
	sprof_ranges_finish(&symtab->ranges);
	free(symtab);
}

/* The length without a version. */
static size_t plain_length(const char *name)
{
	return 1 + strcspn(name + 1, "@");
}

static struct sprof_symbol symbol_of(const struct sprof_candidate *item)
{
	return (struct sprof_symbol){
		.address = item->address,
		.size = item->size,
		.name = item->name,
		.name_length = plain_length(item->name),
		.source = item->source,
		.is_local = item->rank & SPROF_RANK_LOCAL,
		.is_indirect = item->is_indirect,
		.file = item->file,
	};
}

struct sprof_symbol sprof_symtab_at(const struct sprof_symtab *symtab, size_t index)
{
	return symbol_of(&symtab->items[index]);
}

size_t sprof_symtab_count(const struct sprof_symtab *symtab)
{
	return symtab->count;
}

bool sprof_symtab_is_full(const struct sprof_symtab *symtab)
{
	return symtab->full;
}

bool sprof_symtab_find(
	const struct sprof_symtab *symtab, uint64_t address, struct sprof_symbol *ret)
{
	uint32_t index = sprof_ranges_find(&symtab->ranges, address);

	if (index == SPROF_RANGES_NONE)
		return false;
	*ret = sprof_symtab_at(symtab, index);
	return true;
}

bool sprof_symtab_find_label(
	const struct sprof_symtab *symtab, uint64_t address, struct sprof_symbol *ret)
{
	size_t low = 0, high = symtab->label_count;

	/* The first label behind the address; of several at one address, the best comes last. */
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (symtab->labels[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || symtab->labels[low - 1].address != address)
		return false;
	*ret = symbol_of(&symtab->labels[low - 1]);
	return true;
}

const char *sprof_symbol_source_name(enum sprof_symbol_source source)
{
	static const char *const names[SPROF_SYMBOL_SOURCE_COUNT] = {
		[SPROF_SYMBOL_SYMTAB] = ".symtab",
		[SPROF_SYMBOL_DYNSYM] = ".dynsym",
		[SPROF_SYMBOL_DEBUG_FILE] = "debug file",
		[SPROF_SYMBOL_GNU_DEBUGDATA] = ".gnu_debugdata",
		[SPROF_SYMBOL_PLT] = "PLT",
	};

	return names[source];
}
