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
#include "base/idmap.h"
#include "elfsym/elf/dynamic.h"
#include "elfsym/elf/plt.h"
#include "elfsym/elf/ranges.h"
#include "elfsym/elf/symbol-section.h"

/* The merits of a symbol, the strongest in the highest bit. */
enum {
	RANK_LOCAL = 1,
	RANK_GLOBAL = 2,
	RANK_FUNCTION = 4, /* STT_FUNC, STT_GNU_IFUNC; else a label in an executable section */
	RANK_SIZED = 8,
};

enum priority {
	PRIORITY_LABEL,
	PRIORITY_PLT, /* sized, but any symbol with its own name is better */
	PRIORITY_UNSIZED,
	PRIORITY_SIZED,
	PRIORITY_COUNT
};

/* Limits long comparisons: real names differ near their beginning. */
enum { COMPARED_UNDERSCORES = 8, COMPARED_LENGTH = 256 };

struct candidate {
	uint64_t address, size;
	uint64_t limit; /* the end of its section */
	const char *name;
	uint8_t rank, source;
	bool is_indirect;
};

struct sprof_symtab {
	struct candidate *items;
	size_t count, capacity;
	struct sprof_ranges ranges; /* -> index of the item */
	bool full;
};

/* One symbol table section with its strings. Remembers the last symbol's section. */
struct reader {
	Elf *elf;
	enum sprof_symbol_source source;
	struct sprof_symbol_sections table;
	const char *strings;
	size_t strings_size; /* up to and with the last NUL */
	size_t section;
	GElf_Shdr section_header;
};

static bool open_reader(struct reader *reader, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Scn *string_section = elf_getscn(elf, header->sh_link);
	Elf_Data *strings = string_section ? elf_getdata(string_section, NULL) : NULL;

	*reader = (struct reader){.elf = elf, .table = sprof_symbol_sections_of(elf, section)};
	if (!reader->table.symbols || !strings || !strings->d_buf)
		return false;
	reader->strings = strings->d_buf;
	reader->strings_size = strings->d_size;
	while (reader->strings_size && reader->strings[reader->strings_size - 1])
		reader->strings_size--;
	return reader->table.symbols->d_buf && reader->strings_size;
}

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

/* $a, $d, $t, $x and $x.anything mark code and data (ELF for the Arm 64-bit Architecture, 5.5.4).
 */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

static bool rank_symbol(const GElf_Sym *symbol, unsigned *ret_rank)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info), binding = GELF_ST_BIND(symbol->st_info);

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	*ret_rank = (symbol->st_size ? RANK_SIZED : 0) | (type != STT_NOTYPE ? RANK_FUNCTION : 0) |
		(binding == STB_LOCAL                 ? RANK_LOCAL
				: binding == STB_WEAK ? 0
						      : RANK_GLOBAL);
	return true;
}

static bool is_indirect(const GElf_Sym *symbol)
{
	return GELF_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC;
}

static bool append(struct sprof_symtab *symtab, const struct candidate *item)
{
	if (!item->name[0] || is_mapping_symbol(item->name) || symtab->count >= SPROF_RANGES_NONE)
		return true;
	if (!sprof_array_reserve(
		    &symtab->items, &symtab->capacity, symtab->count + 1, sizeof(*symtab->items)))
		return false;
	symtab->items[symtab->count++] = *item;
	return true;
}

static bool add_symbol(
	struct sprof_symtab *symtab, struct reader *reader, int index, const GElf_Sym *symbol)
{
	unsigned rank;

	if (symbol->st_name >= reader->strings_size || !rank_symbol(symbol, &rank) ||
		!read_section(reader, index, symbol))
		return true;
	return append(symtab,
		&(struct candidate){
			.address = symbol->st_value,
			.size = symbol->st_size,
			.limit = reader->section_header.sh_addr + reader->section_header.sh_size,
			.name = reader->strings + symbol->st_name,
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
		if (!append(symtab,
			    &(struct candidate){
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
		if (!gelf_getshdr(section, &header) ||
			(header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
			!open_reader(&reader, image->elf, section, &header))
			continue;
		reader.source = source;
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

static int count_underscores(const char *name)
{
	int count = 0;

	while (count < COMPARED_UNDERSCORES && name[count] == '_')
		count++;
	return count;
}

/* Positive: a person would prefer a: "malloc", not "__libc_malloc". */
static int compare_names(const char *a, const char *b)
{
	int underscores = count_underscores(b) - count_underscores(a);
	size_t a_length = strnlen(a, COMPARED_LENGTH), b_length = strnlen(b, COMPARED_LENGTH);

	if (underscores)
		return underscores;
	if (a_length != b_length)
		return a_length < b_length ? 1 : -1;
	return strncmp(b, a, COMPARED_LENGTH);
}

/* By address; at one address the better symbol comes later. */
static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return compare_names(a->name, b->name);
}

/* PLT entries that get the name of the symbol at their resolver. */
struct unnamed {
	struct sprof_symtab *symtab;
	struct sprof_plt_entry *items;
	size_t count, capacity;
	struct sprof_idmap by_resolver; /* -> index of the best symbol there, or NO_SYMBOL */
};

enum { NO_SYMBOL = SPROF_IDMAP_NONE - 1 };

static bool add_plt_entry(
	struct sprof_symtab *symtab, const struct sprof_plt_entry *entry, const char *name)
{
	return append(symtab,
		&(struct candidate){
			.address = entry->address,
			.size = entry->size,
			.limit = entry->address + entry->size,
			.name = name,
			.rank = RANK_SIZED | RANK_FUNCTION,
			.source = SPROF_SYMBOL_PLT,
		});
}

static bool take_plt_entry(void *data, const struct sprof_plt_entry *entry)
{
	struct unnamed *unnamed = data;

	if (entry->name)
		return add_plt_entry(unnamed->symtab, entry, entry->name);
	if (!sprof_array_reserve(&unnamed->items, &unnamed->capacity, unnamed->count + 1,
		    sizeof(*unnamed->items)))
		return false;
	unnamed->items[unnamed->count++] = *entry;
	return sprof_idmap_put(&unnamed->by_resolver, 0, entry->resolver, NO_SYMBOL);
}

static bool find_resolvers(struct unnamed *unnamed)
{
	const struct candidate *items = unnamed->symtab->items;

	for (size_t i = 0; unnamed->count && i < unnamed->symtab->count; i++) {
		uint32_t best = sprof_idmap_find(&unnamed->by_resolver, 0, items[i].address);

		if (best == SPROF_IDMAP_NONE ||
			(best != NO_SYMBOL && compare_candidates(&items[i], &items[best]) <= 0))
			continue;
		if (!sprof_idmap_put(&unnamed->by_resolver, 0, items[i].address, (uint32_t)i))
			return false;
	}
	return true;
}

static bool name_after_resolvers(struct unnamed *unnamed)
{
	struct sprof_symtab *symtab = unnamed->symtab;

	for (size_t i = 0; i < unnamed->count; i++) {
		const struct sprof_plt_entry *entry = &unnamed->items[i];
		uint32_t best = sprof_idmap_find(&unnamed->by_resolver, 0, entry->resolver);

		if (best != NO_SYMBOL && !add_plt_entry(symtab, entry, symtab->items[best].name))
			return false;
	}
	return true;
}

/* Runs after all symbols are read. */
static bool read_plt(struct sprof_symtab *symtab, const struct sprof_image *image)
{
	struct unnamed unnamed = {.symtab = symtab};
	bool ok = sprof_plt_visit(image, take_plt_entry, &unnamed) && find_resolvers(&unnamed) &&
		name_after_resolvers(&unnamed);

	free(unnamed.items);
	sprof_idmap_finish(&unnamed.by_resolver);
	return ok;
}

/* A local label doesn't end the unsized function around it; sized symbols precede both. */
static enum priority priority(const struct candidate *item)
{
	if (item->source == SPROF_SYMBOL_PLT)
		return PRIORITY_PLT;
	if (item->size)
		return PRIORITY_SIZED;
	return item->rank & (RANK_FUNCTION | RANK_GLOBAL) ? PRIORITY_UNSIZED : PRIORITY_LABEL;
}

static uint64_t symbol_end(const struct candidate *item)
{
	uint64_t end;

	return __builtin_add_overflow(item->address, item->size, &end) ? UINT64_MAX : end;
}

/*
 * Drops labels: unsized symbols inside sized ones, and local ones without a type behind the start
 * of a function without a size, up to the next function (NASM writes both so). Functions begin at
 * neither.
 */
static void drop_covered(struct sprof_symtab *symtab)
{
	uint64_t covered = 0,
		 unsized = 0; /* the ends of the last functions with and without size */
	size_t kept = 0;

	for (size_t i = 0; i < symtab->count; i++) {
		const struct candidate *item = &symtab->items[i];
		const bool is_label = priority(item) == PRIORITY_LABEL;

		if (!item->size &&
			item->address < (is_label && unsized > covered ? unsized : covered))
			continue;
		if (symbol_end(item) > covered && item->size)
			covered = symbol_end(item);
		if (!is_label)
			unsized = item->size ? 0 : item->limit;
		symtab->items[kept++] = *item;
	}
	symtab->count = kept;
}

/*
 * Goes from the last symbol to the first: an unsized symbol needs the next start. At one address
 * the best symbol comes first, and unsized ones after it get an empty range.
 */
static bool add_ranges(struct sprof_symtab *symtab)
{
	uint64_t next_start[PRIORITY_COUNT] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};

	for (size_t i = symtab->count; i-- > 0;) {
		const struct candidate *item = &symtab->items[i];
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
		read_plt(symtab, files->image);
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
		qsort(symtab->items, symtab->count, sizeof(*symtab->items), compare_candidates);
	drop_covered(symtab);
	if (!add_ranges(symtab))
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
	sprof_ranges_finish(&symtab->ranges);
	free(symtab);
}

/* The length without a version. */
static size_t plain_length(const char *name)
{
	return 1 + strcspn(name + 1, "@");
}

struct sprof_symbol sprof_symtab_at(const struct sprof_symtab *symtab, size_t index)
{
	const struct candidate *item = &symtab->items[index];

	return (struct sprof_symbol){
		.address = item->address,
		.size = item->size,
		.name = item->name,
		.name_length = plain_length(item->name),
		.source = item->source,
		.is_local = item->rank & RANK_LOCAL,
		.is_indirect = item->is_indirect,
	};
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
