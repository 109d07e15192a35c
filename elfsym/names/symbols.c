/*
 * The symbol session: decides which source resolves an address, and caches every result. In order:
 * Go's own table; DWARF (both with the inline chain); symbols; at last the module, as unresolved.
 */
#include "elfsym/names/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/idmap.h"
#include "base/strings.h"
#include "base/strtab.h"
#include "elfsym/debug-files/debugfile.h"
#include "elfsym/elf/data.h"
#include "elfsym/go/lines.h"
#include "elfsym/elf/demangle.h"
#include "elfsym/names/explain.h"
#include "elfsym/names/names.h"

struct chain {
	size_t first, count;
};

struct sprof_symbols {
	const struct sprof_modules *modules;
	struct sprof_symbols_options options;
	struct sprof_debug_places places;
	struct sprof_strtab *strings;
	struct sprof_idmap plain; /* (0, linkage name) -> index of the demangled name */
	const char **functions;   /* demangled, interned */
	size_t function_count, function_capacity;
	struct sprof_names **opened; /* by module id; NULL: not yet */
	size_t opened_capacity;
	struct sprof_idmap by_place; /* (module, offset) -> index of the chain */
	struct chain *chains;
	size_t chain_count, chain_capacity;
	struct sprof_location *locations;
	size_t location_count, location_capacity;
};

/* The place that is being named. */
struct place {
	const struct sprof_module *module;
	uint64_t offset;
	struct sprof_names *names;
	bool placed;      /* the module's file has this offset in a segment */
	bool loaded;      /* and an image of it is open */
	uint64_t address; /* if placed: the link-time address */
};

bool sprof_symbols_create(const struct sprof_modules *modules,
	const struct sprof_symbols_options *options, struct sprof_symbols **ret,
	struct sprof_error *err)
{
	struct sprof_symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return sprof_error_no_memory(err);
	symbols->strings = sprof_strtab_create();
	if (!symbols->strings) {
		free(symbols);
		return sprof_error_no_memory(err);
	}
	symbols->modules = modules;
	symbols->options = *options;
	symbols->places = (struct sprof_debug_places){
		.folders = options->debug_folders,
		.folder_count = options->debug_folder_count,
		.root = options->debug_root,
		.debuginfod = options->debuginfod,
		.saved = options->saved,
	};
	*ret = symbols;
	return true;
}

void sprof_symbols_destroy(struct sprof_symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->opened_capacity; i++) {
		if (symbols->opened[i])
			sprof_names_finish(symbols->opened[i]);
		free(symbols->opened[i]);
	}
	free(symbols->opened);
	free(symbols->chains);
	free(symbols->locations);
	free(symbols->functions);
	sprof_idmap_finish(&symbols->plain);
	sprof_idmap_finish(&symbols->by_place);
	sprof_strtab_destroy(symbols->strings);
	free(symbols);
}

struct sprof_names *const *sprof_symbols_opened(
	const struct sprof_symbols *symbols, size_t *ret_count)
{
	*ret_count = symbols->opened_capacity;
	return symbols->opened;
}

const char *sprof_symbols_sysmap(
	const struct sprof_symbols *symbols, const struct sprof_module *module)
{
	for (size_t i = 0; i < symbols->options.sysmap_count; i++) {
		const struct sprof_sysmap *sysmap = &symbols->options.sysmaps[i];
		bool right = sysmap->module ? strcmp(sysmap->module, module->path) == 0 ||
				strcmp(sysmap->module, sprof_module_name(module)) == 0
					    : module->id == sprof_modules_program(symbols->modules);

		if (right)
			return sysmap->path;
	}
	return NULL;
}

static bool open_names(struct sprof_symbols *symbols, const struct sprof_module *module,
	struct sprof_names **ret, struct sprof_error *err)
{
	struct sprof_names *names;

	if (!sprof_array_reserve(&symbols->opened, &symbols->opened_capacity,
		    (size_t)module->id + 1, sizeof(*symbols->opened)))
		return sprof_error_no_memory(err);
	if (!symbols->opened[module->id]) {
		names = calloc(1, sizeof(*names));
		if (!names)
			return sprof_error_no_memory(err);
		symbols->opened[module->id] = names;
		if (!sprof_names_init(names, module, &symbols->places,
			    sprof_symbols_sysmap(symbols, module), err))
			return false;
		names->with_variables = symbols->options.with_variables;
	}
	*ret = symbols->opened[module->id];
	return true;
}

/* The demangled form of an interned name, worked out once; the name itself if it isn't mangled. */
static const char *demangle(struct sprof_symbols *symbols, const char *linkage)
{
	uint64_t key = (uint64_t)(uintptr_t)linkage;
	uint32_t index = sprof_idmap_find(&symbols->plain, 0, key);
	SPROF_AUTO_FREE char *plain = NULL;
	const char *function;

	if (symbols->options.no_demangle || !sprof_is_mangled(linkage))
		return linkage;
	if (index != SPROF_IDMAP_NONE)
		return symbols->functions[index];
	plain = sprof_demangle(linkage);
	function = plain ? sprof_strtab_intern(symbols->strings, plain) : linkage;
	if (!function ||
		!sprof_array_reserve(&symbols->functions, &symbols->function_capacity,
			symbols->function_count + 1, sizeof(*symbols->functions)) ||
		!sprof_idmap_put(&symbols->plain, 0, key, (uint32_t)symbols->function_count))
		return NULL;
	symbols->functions[symbols->function_count++] = function;
	return function;
}

static bool set_linkage(struct sprof_symbols *symbols, struct sprof_location *location,
	const char *linkage, struct sprof_error *err)
{
	location->linkage = sprof_strtab_intern_bytes(
		symbols->strings, linkage, sprof_part_owner_length(linkage));
	location->function = location->linkage ? demangle(symbols, location->linkage) : NULL;
	return location->function || sprof_error_no_memory(err);
}

/* Joins two parts to a name; the linker knows at most one of the parts. */
static bool set_joined(struct sprof_symbols *symbols, const char **ret, const char *first,
	const char *second, struct sprof_error *err)
{
	SPROF_AUTO_FREE char *text = sprof_string_print("%s%s", first, second);

	*ret = sprof_strtab_intern(symbols->strings, text);
	return *ret || sprof_error_no_memory(err);
}

static bool append(struct sprof_symbols *symbols, struct sprof_location *location, const char *text,
	struct sprof_error *err)
{
	return !text || set_joined(symbols, &location->function, location->function, text, err);
}

/* For places without an unwind table: the last function before the place that the code shows. */
static bool find_code_start(const struct place *place, uint64_t *ret, struct sprof_error *err)
{
	size_t found;

	if (!sprof_names_load_starts(place->names, err))
		return false;
	found = sprof_code_starts_find(place->names->starts, place->address);
	if (found != SIZE_MAX && sprof_image_executable(place->names->image, place->address))
		*ret = place->names->starts->functions.items[found];
	return true;
}

/* The start of the function by unwind tables or code; else the address itself. */
static bool find_start(const struct place *place, uint64_t *ret, struct sprof_error *err)
{
	const struct sprof_fde *fde;

	*ret = place->loaded ? place->address : place->offset;
	if (!place->loaded)
		return true;
	if (!sprof_names_load_fdes(place->names, err))
		return false;
	fde = sprof_fdes_find(place->names->fdes, place->address);
	if (!fde)
		return find_code_start(place, ret, err);
	*ret = fde->address;
	return true;
}

static bool set_raw(struct sprof_symbols *symbols, struct sprof_location *location,
	const struct place *place, struct sprof_error *err)
{
	char number[32] = "";
	uint64_t start;

	if (!find_start(place, &start, err))
		return false;
	if (!sprof_module_is_generated(place->module))
		snprintf(number, sizeof(number), "+0x%" PRIx64, start);
	location->unresolved = true;
	if (!set_joined(
		    symbols, &location->function, sprof_module_name(place->module), number, err))
		return false;
	location->linkage = location->function;
	return true;
}

/* A symbol without a size ends where another function begins by the code; a label may name that. */
static bool settle_unsized(const struct place *place, struct sprof_symbol *symbol, bool *ret_found,
	struct sprof_error *err)
{
	uint64_t start;

	if (!find_start(place, &start, err))
		return false;
	if (start != place->address && start > symbol->address)
		*ret_found = sprof_symtab_find_label(place->names->symtab, start, symbol);
	return true;
}

/* Finds nothing if the module has no symbol there. */
static bool find_symbol(const struct place *place, struct sprof_symbol *ret, bool *ret_found,
	struct sprof_error *err)
{
	*ret_found = false;
	if (!place->loaded)
		return true;
	if (!sprof_names_load_symtab(place->names, err))
		return false;
	*ret_found = sprof_symtab_find(place->names->symtab, place->address, ret);
	return !*ret_found || ret->size || settle_unsized(place, ret, ret_found, err);
}

/* The symbol in a text list; NULL: none. */
static const struct sprof_symlist_line *find_listed(const struct place *place)
{
	if (!place->names->list)
		return NULL;
	if (place->module->kind == SPROF_MODULE_ANONYMOUS)
		return sprof_symlist_find(place->names->list, place->offset);
	return place->placed ? sprof_symlist_find(place->names->list, place->address) : NULL;
}

static bool set_path(
	struct sprof_symbols *symbols, const char **path, const char *text, struct sprof_error *err)
{
	return !text || (*path = sprof_strtab_intern(symbols->strings, text)) ||
		sprof_error_no_memory(err);
}

static bool set_symbol(struct sprof_symbols *symbols, struct sprof_location *location,
	const struct place *place, struct sprof_error *err)
{
	const struct sprof_symlist_line *line = find_listed(place);
	SPROF_AUTO_FREE char *linkage = NULL;
	struct sprof_symbol symbol = {0};
	bool found = line;

	if (!found && !find_symbol(place, &symbol, &found, err))
		return false;
	if (!found)
		return set_raw(symbols, location, place, err);
	linkage = line ? strndup(line->name, line->name_length)
		       : strndup(symbol.name, symbol.name_length);
	if (!linkage)
		return sprof_error_no_memory(err);
	if (!set_linkage(symbols, location, linkage, err) ||
		!set_path(symbols, &location->function_file, symbol.file, err))
		return false;
	if (line || symbol.source != SPROF_SYMBOL_PLT)
		return true;
	return set_joined(symbols, &location->linkage, location->linkage, SPROF_PLT_ENDING, err) &&
		set_joined(symbols, &location->function, location->function, SPROF_PLT_ENDING, err);
}

/* Returns false if the address is in no function of a Go program. */
static bool find_go(const struct sprof_symbols *symbols, const struct place *place,
	struct sprof_go_chain *memory, struct sprof_dwarf_chain *ret)
{
	sprof_names_load_go(place->names);
	if (!place->names->go || !sprof_go_lines_find(place->names->go, place->address, memory))
		return false;
	*ret = (struct sprof_dwarf_chain){memory->items, memory->count};
	if (symbols->options.no_inlines)
		*ret = (struct sprof_dwarf_chain){memory->items + memory->count - 1, 1};
	return true;
}

/* Without inlined functions, the symbol table has the name, and no unit's tree has to be read. */
static bool find_dwarf(const struct sprof_symbols *symbols, const struct place *place,
	struct sprof_dwarf_chain *chain, struct sprof_error *err)
{
	struct sprof_symbol symbol;
	bool found;

	if (!sprof_names_load_dwarf(place->names, err))
		return false;
	if (!place->names->dwarf)
		return true;
	if (!symbols->options.no_inlines)
		return sprof_dwarf_find(place->names->dwarf, place->address, chain, err);
	if (!find_symbol(place, &symbol, &found, err))
		return false;
	if (found)
		return sprof_dwarf_find_line(place->names->dwarf, place->address, chain, err);
	if (!sprof_dwarf_find(place->names->dwarf, place->address, chain, err))
		return false;
	if (chain->count > 1)
		*chain = (struct sprof_dwarf_chain){chain->items + chain->count - 1, 1};
	return true;
}

/*
 * DWARF gives no linkage name to C++ functions that only their file can see, and the bare name
 * lacks the namespace: a mangled symbol is better then. In C the symbol may have ".part.0".
 */
static bool set_function(struct sprof_symbols *symbols, struct sprof_location *location,
	const struct place *place, const struct sprof_dwarf_place *source, struct sprof_error *err)
{
	struct sprof_symbol symbol = {0};
	bool found = false;

	if (source->linkage)
		return set_linkage(symbols, location, source->linkage, err) &&
			append(symbols, location,
				sprof_rust_arguments(
					location->linkage, location->function, source->name),
				err);
	if (source->name && !source->inlined && !find_symbol(place, &symbol, &found, err))
		return false;
	if (!source->name || (found && sprof_is_mangled(symbol.name)))
		return set_symbol(symbols, location, place, err);
	if (!set_linkage(symbols, location, source->name, err))
		return false;
	if (!source->qualifier || symbols->options.no_demangle)
		return true;
	return set_joined(symbols, &location->function, source->qualifier, "::", err) &&
		append(symbols, location, location->linkage, err);
}

static bool append_location(struct sprof_symbols *symbols, const struct place *place,
	const struct sprof_dwarf_place *source, struct sprof_error *err)
{
	struct sprof_location location = {
		.line = source->line,
		.function_line = source->function_line,
		.inlined = source->inlined,
	};

	if (place->module->kind == SPROF_MODULE_SCRIPT)
		location = sprof_script_location(place->module, place->offset);
	else if (!set_function(symbols, &location, place, source, err))
		return false;
	else if (!set_path(symbols, &location.file, source->file, err) ||
		!set_path(symbols, &location.function_file, source->function_file, err))
		return false;
	return SPROF_ARRAY_APPEND(symbols->locations, symbols->location_count,
		       symbols->location_capacity, location) ||
		sprof_error_no_memory(err);
}

/* Appends the locations of the place. After a failure the appended ones stay unused. */
static bool name_place(struct sprof_symbols *symbols, struct place *place, struct sprof_error *err)
{
	struct sprof_dwarf_place nothing = {0};
	struct sprof_dwarf_chain chain = {0};
	struct sprof_go_chain go;

	if (!open_names(symbols, place->module, &place->names, err) ||
		!sprof_names_refresh(place->names, err))
		return false;
	place->placed = sprof_names_address(place->names, place->offset, &place->address);
	place->loaded = place->placed && place->names->image;
	if (place->loaded && !find_go(symbols, place, &go, &chain) &&
		!find_dwarf(symbols, place, &chain, err))
		return false;
	if (!chain.count)
		chain = (struct sprof_dwarf_chain){&nothing, 1};
	for (size_t i = 0; i < chain.count; i++)
		if (!append_location(symbols, place, &chain.items[i], err))
			return false;
	return true;
}

static bool add_chain(
	struct sprof_symbols *symbols, struct place *place, uint32_t *ret, struct sprof_error *err)
{
	size_t first = symbols->location_count;

	if (!sprof_array_reserve(&symbols->chains, &symbols->chain_capacity,
		    symbols->chain_count + 1, sizeof(*symbols->chains)))
		return sprof_error_no_memory(err);
	if (!name_place(symbols, place, err))
		return false;
	symbols->chains[symbols->chain_count] =
		(struct chain){.first = first, .count = symbols->location_count - first};
	if (!sprof_idmap_put(&symbols->by_place, place->module->id, place->offset,
		    (uint32_t)symbols->chain_count))
		return sprof_error_no_memory(err);
	*ret = (uint32_t)symbols->chain_count++;
	return true;
}

bool sprof_symbols_resolve(struct sprof_symbols *symbols, uint32_t module, uint64_t offset,
	struct sprof_locations *ret, struct sprof_error *err)
{
	uint32_t index = sprof_idmap_find(&symbols->by_place, module, offset);
	struct place place = {
		.module = sprof_modules_get(symbols->modules, module),
		.offset = offset,
	};

	if (index == SPROF_IDMAP_NONE && !add_chain(symbols, &place, &index, err))
		return false;
	*ret = (struct sprof_locations){
		.items = symbols->locations + symbols->chains[index].first,
		.count = symbols->chains[index].count,
	};
	return true;
}

bool sprof_symbols_names(struct sprof_symbols *symbols, uint32_t module, struct sprof_names **ret,
	struct sprof_error *err)
{
	*ret = NULL;
	return symbols->options.no_inlines ||
		open_names(symbols, sprof_modules_get(symbols->modules, module), ret, err);
}

bool sprof_symbols_find_data(struct sprof_symbols *symbols, uint32_t module, uint64_t distance,
	const char **ret_name, uint64_t *ret_offset, struct sprof_error *err)
{
	struct sprof_variable variable;
	struct sprof_names *names = NULL;
	uint64_t address;

	*ret_name = NULL;
	if (!open_names(symbols, sprof_modules_get(symbols->modules, module), &names, err))
		return false;
	if (!names->image || !sprof_data_address(names->image, distance, &address) ||
		(!sprof_data_find(names->image, address, &variable) &&
			(!names->debug || !sprof_data_find(names->debug, address, &variable))))
		return true;
	*ret_name =
		sprof_strtab_intern_bytes(symbols->strings, variable.name, variable.name_length);
	*ret_offset = address - variable.address;
	*ret_name = *ret_name ? demangle(symbols, *ret_name) : NULL;
	return *ret_name || sprof_error_no_memory(err);
}

bool sprof_symbols_explain(struct sprof_symbols *symbols, uint32_t module,
	struct sprof_symbols_gap *ret, struct sprof_error *err)
{
	struct sprof_names *names = NULL;

	if (!open_names(symbols, sprof_modules_get(symbols->modules, module), &names, err) ||
		(names->image && !sprof_names_load_symtab(names, err)))
		return false;
	sprof_names_explain(names, ret);
	return true;
}
