/*
 * DWARF through libdw: units, lines, names. Opens no files except those that DWARF refers to (.dwo,
 * .gnu_debugaltlink). Never uses the network, because it does not use libdwfl. Decompresses
 * sections before libdw sees them (expand.c). Reads lazily: first which unit covers an address
 * (units.c), then that unit's tree and lines.
 *
 * A failure without an error means out of memory.
 */
#include "elfsym/dwarf/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "elfsym/dwarf/die-string.h"
#include "elfsym/dwarf/expand.h"
#include "elfsym/dwarf/lines.h"
#include "elfsym/dwarf/qualify.h"
#include "elfsym/dwarf/scopes.h"
#include "elfsym/dwarf/units.h"

struct sprof_dwarf {
	Dwarf *dwarf;
	/* the inflated sections if the file's are compressed; or NULL */
	struct sprof_image *expanded;
	const struct sprof_image *image;
	const char *path;
	struct sprof_image *alternate_image; /* by dwz; NULL: libdw finds it, or there is none */
	struct sprof_image *alternate_expanded;
	Dwarf *alternate;
	struct sprof_qualifiers qualifiers;
	struct sprof_line_sections sections;
	struct sprof_strtab *paths;
	struct sprof_units units;
	size_t lost_units;                /* units whose .dwo file is missing */
	size_t budget;                    /* remaining number of ranges allowed for the file */
	struct sprof_dwarf_place *places; /* of the last chain */
	size_t place_capacity;
};

bool sprof_dwarf_exists(const struct sprof_image *debug)
{
	struct sprof_section section;

	return (sprof_image_section(debug, ".debug_info", &section) && section.size) ||
		(sprof_image_section(debug, ".zdebug_info", &section) && section.size);
}

static Dwarf *begin(const struct sprof_image *debug, const struct sprof_image *expanded)
{
	return dwarf_begin_elf(expanded ? expanded->elf : debug->elf, DWARF_C_READ, NULL);
}

/* dwz moves data that files share to a separate file; libdw looks for it in one place only. */
static void find_alternate(struct sprof_dwarf *dwarf, const struct sprof_dwarf_source *source)
{
	const char *name;
	const void *id;
	ssize_t id_size = dwelf_dwarf_gnu_debugaltlink(dwarf->dwarf, &name, &id);

	if (id_size <= 0)
		return;
	dwarf->alternate_image = sprof_debugfile_open_alternate(
		source->debug, source->path, name, id, (size_t)id_size, source->places);
	if (!dwarf->alternate_image)
		return;
	dwarf->alternate_expanded = sprof_expand(dwarf->alternate_image, false);
	dwarf->alternate = begin(dwarf->alternate_image, dwarf->alternate_expanded);
	if (dwarf->alternate)
		dwarf_setalt(dwarf->dwarf, dwarf->alternate);
}

/* Without DWARF there are no ranges. Returns false if out of memory. */
static bool read_source(struct sprof_dwarf *dwarf, const struct sprof_dwarf_source *source)
{
	dwarf->expanded = sprof_expand(source->debug, source->with_variables);
	dwarf->dwarf = begin(source->debug, dwarf->expanded);
	if (!dwarf->dwarf)
		return true;
	dwarf->image = source->image;
	dwarf->path = source->path;
	/* Even compressed, a range takes more than two bytes. */
	dwarf->budget = source->debug->size / 2;
	dwarf->paths = sprof_strtab_create();
	dwarf->sections =
		sprof_line_sections_find(dwarf->expanded ? dwarf->expanded : source->debug);
	find_alternate(dwarf, source);
	return dwarf->paths &&
		sprof_units_read(&dwarf->units,
			&(struct sprof_units_source){dwarf->dwarf, dwarf->image, &dwarf->budget});
}

bool sprof_dwarf_open(
	const struct sprof_dwarf_source *source, struct sprof_dwarf **ret, struct sprof_error *err)
{
	struct sprof_dwarf *dwarf = calloc(1, sizeof(*dwarf));

	*ret = NULL;
	if (!dwarf || !read_source(dwarf, source)) {
		sprof_dwarf_close(dwarf);
		return sprof_error_no_memory(err);
	}
	if (dwarf->units.ranges.count)
		*ret = dwarf;
	else
		sprof_dwarf_close(dwarf);
	return true;
}

void sprof_dwarf_close(struct sprof_dwarf *dwarf)
{
	if (!dwarf)
		return;
	sprof_units_finish(&dwarf->units);
	sprof_strtab_destroy(dwarf->paths);
	free(dwarf->places);
	sprof_qualifiers_finish(&dwarf->qualifiers);
	dwarf_end(dwarf->dwarf);
	dwarf_end(dwarf->alternate);
	sprof_image_close(dwarf->expanded);
	sprof_image_close(dwarf->alternate_expanded);
	sprof_image_close(dwarf->alternate_image);
	free(dwarf);
}

size_t sprof_dwarf_lost_units(const struct sprof_dwarf *dwarf)
{
	return dwarf->lost_units;
}

/* libdw opens any kind of file, and a FIFO would block it. */
static bool is_special(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/*
 * Whether libdw can safely look for the .dwo file named by a skeleton. It looks beside the file
 * first, then in the unit's folder.
 */
static bool is_split_safe(const struct sprof_dwarf *dwarf, Dwarf_Die *skeleton)
{
	SPROF_AUTO_FREE char *path = malloc(PATH_MAX);
	Dwarf_Attribute attribute;
	const char *name, *folder, *slash = strrchr(dwarf->path, '/');

	name = sprof_die_string(dwarf_attr(skeleton, DW_AT_dwo_name, &attribute));
	if (!name)
		name = sprof_die_string(dwarf_attr(skeleton, DW_AT_GNU_dwo_name, &attribute));
	folder = sprof_die_string(dwarf_attr(skeleton, DW_AT_comp_dir, &attribute));
	if (!name || !path)
		return false;
	if (name[0] == '/')
		return !is_special(name);
	if (snprintf(path, PATH_MAX, "%.*s%s", slash ? (int)(slash - dwarf->path) + 1 : 0,
		    dwarf->path, name) >= PATH_MAX ||
		is_special(path))
		return false;
	return !folder ||
		(snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX && !is_special(path));
}

static bool load_unit(struct sprof_dwarf *dwarf, struct sprof_unit *unit)
{
	Dwarf_Die split = {0};
	uint8_t type;

	if (unit->loaded)
		return true;
	unit->loaded = true;
	if (dwarf_cu_info(unit->die.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) == 0 &&
		type == DW_UT_skeleton) {
		if (is_split_safe(dwarf, &unit->die) &&
			dwarf_cu_info(unit->die.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) ==
				0 &&
			split.cu)
			unit->tree = split;
		else
			dwarf->lost_units++;
	}
	return sprof_scopes_load(&unit->scopes, dwarf->image, &unit->tree, &dwarf->budget);
}

static uint32_t number_attribute(Dwarf_Attribute *attribute)
{
	Dwarf_Word value;

	return dwarf_formudata(attribute, &value) == 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static uint32_t die_number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return number_attribute(dwarf_attr(die, name, &attribute));
}

/* dwarf_attr_integrate follows abstract origins and specifications, 16 of them at most. */
static uint32_t origin_number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return number_attribute(dwarf_attr_integrate(die, name, &attribute));
}

/* An empty name counts as none. */
static const char *origin_string(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	const char *text = sprof_die_string(dwarf_attr_integrate(die, name, &attribute));

	return text && text[0] ? text : NULL;
}

static const char *linkage_name(Dwarf_Die *die)
{
	const char *name = origin_string(die, DW_AT_linkage_name);

	return name ? name : origin_string(die, DW_AT_MIPS_linkage_name);
}

static const char *unit_folder(struct sprof_unit *unit)
{
	Dwarf_Attribute attribute;

	return sprof_die_string(dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute));
}

static bool load_lines(struct sprof_dwarf *dwarf, struct sprof_unit *unit)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	if (unit->has_lines)
		return true;
	unit->has_lines = true;
	return dwarf_formudata(dwarf_attr(&unit->die, DW_AT_stmt_list, &attribute), &offset) != 0 ||
		sprof_lines_load(&unit->lines, &dwarf->sections, offset, dwarf->image);
}

/* The line of the address itself: the row of the line table. */
static bool set_line(struct sprof_dwarf *dwarf, struct sprof_dwarf_place *place,
	struct sprof_unit *unit, uint64_t address)
{
	const struct sprof_line_row *row;

	if (!load_lines(dwarf, unit))
		return false;
	row = sprof_lines_find(&unit->lines, address);
	if (!row)
		return true;
	place->line = row->line;
	return sprof_lines_path(
		&unit->lines, row->file, unit_folder(unit), dwarf->paths, &place->file);
}

/*
 * The file of this number in another unit's line table, if it has one: a .dwo file's, or that of a
 * unit that others refer to.
 */
static bool find_other_file(
	struct sprof_dwarf *dwarf, Dwarf_Die *unit, Dwarf_Word number, const char **ret)
{
	const char *path = NULL, *folder;
	Dwarf_Attribute attribute;
	char whole[PATH_MAX];
	Dwarf_Files *files;
	size_t count;

	if (dwarf_getsrcfiles(unit, &files, &count) == 0)
		path = dwarf_filesrc(files, number, NULL, NULL);
	folder = sprof_die_string(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	if (path && path[0] != '/' && folder && folder[0] &&
		snprintf(whole, sizeof(whole), "%s/%s", folder, path) < (int)sizeof(whole))
		path = whole;
	return sprof_strtab_copy(dwarf->paths, path, ret);
}

/* File 0 means the first file since DWARF 5, and "no file" before. */
static bool find_file(
	struct sprof_dwarf *dwarf, struct sprof_unit *unit, Dwarf_Word number, const char **ret)
{
	return load_lines(dwarf, unit) &&
		((number == 0 && unit->lines.version < 5) ||
			sprof_lines_path(
				&unit->lines, number, unit_folder(unit), dwarf->paths, ret));
}

/* The unit of the attribute has the number: the function's origin may be in another one. */
static bool set_function_file(struct sprof_dwarf *dwarf, struct sprof_dwarf_place *place,
	struct sprof_unit *unit, Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Die other;

	if (dwarf_formudata(dwarf_attr_integrate(function, DW_AT_decl_file, &attribute), &number) !=
		0)
		return true;
	if (attribute.cu == unit->die.cu)
		return find_file(dwarf, unit, number, &place->function_file);
	return !dwarf_cu_die(attribute.cu, &other, NULL, NULL, NULL, NULL, NULL, NULL) ||
		find_other_file(dwarf, &other, number, &place->function_file);
}

/* The line of an inlined function's caller: the attributes of the inlined call. */
static bool set_call(struct sprof_dwarf *dwarf, struct sprof_dwarf_place *caller,
	struct sprof_unit *unit, Dwarf_Die *inlined)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file;

	caller->line = die_number(inlined, DW_AT_call_line);
	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0)
		return true;
	return unit->tree.cu == unit->die.cu
		? find_file(dwarf, unit, file, &caller->file)
		: find_other_file(dwarf, &unit->tree, file, &caller->file);
}

static bool append_place(struct sprof_dwarf *dwarf, const struct sprof_dwarf_place *place,
	struct sprof_dwarf_chain *chain)
{
	if (!sprof_array_reserve(&dwarf->places, &dwarf->place_capacity, chain->count + 1,
		    sizeof(*dwarf->places)))
		return false;
	dwarf->places[chain->count++] = *place;
	chain->items = dwarf->places;
	return true;
}

static bool append_function(struct sprof_dwarf *dwarf, struct sprof_unit *unit, Dwarf_Die *die,
	struct sprof_dwarf_chain *chain)
{
	struct sprof_dwarf_place place = {
		.linkage = linkage_name(die),
		.name = origin_string(die, DW_AT_name),
		.function_line = origin_number(die, DW_AT_decl_line),
	};

	if (!place.linkage && place.name &&
		!sprof_qualifiers_find(
			&dwarf->qualifiers, dwarf->image, &unit->scopes, die, &place.qualifier))
		return false;
	if (!set_function_file(dwarf, &place, unit, die))
		return false;
	return append_place(dwarf, &place, chain);
}

static bool append_scopes(struct sprof_dwarf *dwarf, struct sprof_unit *unit, uint32_t index,
	struct sprof_dwarf_chain *chain)
{
	struct sprof_scope *inner = NULL;

	while (index != SPROF_SCOPE_NONE) {
		struct sprof_scope *scope = &unit->scopes.items[index];

		if (!append_function(dwarf, unit, &scope->die, chain))
			return false;
		if (inner) {
			dwarf->places[chain->count - 2].inlined = true;
			if (!set_call(dwarf, &dwarf->places[chain->count - 1], unit, &inner->die))
				return false;
		}
		inner = scope;
		index = scope->parent;
	}
	return true;
}

bool sprof_dwarf_find(struct sprof_dwarf *dwarf, uint64_t address, struct sprof_dwarf_chain *ret,
	struct sprof_error *err)
{
	struct sprof_unit *unit = sprof_units_find(&dwarf->units, address);
	uint32_t scope;

	*ret = (struct sprof_dwarf_chain){0};
	if (!unit)
		return true;
	if (!load_unit(dwarf, unit) ||
		!sprof_scopes_find(&unit->scopes, dwarf->image, address, &dwarf->budget, &scope) ||
		!append_scopes(dwarf, unit, scope, ret) ||
		(!ret->count && !append_place(dwarf, &(struct sprof_dwarf_place){0}, ret)) ||
		!set_line(dwarf, &dwarf->places[0], unit, address))
		return sprof_error_no_memory(err);
	return true;
}

/* gcc gives a function of several parts no entry but its parts, the first one first. */
static uint64_t entry_of(Dwarf_Die *function)
{
	Dwarf_Addr entry, base, end;

	return dwarf_entrypc(function, &entry) == 0 ||
			dwarf_ranges(function, 0, &base, &entry, &end) > 0
		? entry
		: 0;
}

bool sprof_dwarf_find_function(
	struct sprof_dwarf *dwarf, uint64_t address, struct sprof_dwarf_function *ret)
{
	struct sprof_unit *unit = sprof_units_find(&dwarf->units, address);
	uint32_t scope;

	*ret = (struct sprof_dwarf_function){0};
	if (!unit)
		return true;
	if (!load_unit(dwarf, unit) ||
		!sprof_scopes_find_function(
			&unit->scopes, dwarf->image, address, &dwarf->budget, &scope))
		return false;
	if (scope == SPROF_SCOPE_NONE)
		return true;
	ret->scopes = &unit->scopes;
	ret->die = unit->scopes.items[scope].die;
	ret->entry = entry_of(&ret->die);
	return true;
}

bool sprof_dwarf_find_line(struct sprof_dwarf *dwarf, uint64_t address,
	struct sprof_dwarf_chain *ret, struct sprof_error *err)
{
	struct sprof_unit *unit = sprof_units_find(&dwarf->units, address);

	*ret = (struct sprof_dwarf_chain){0};
	if (!unit)
		return true;
	if (!append_place(dwarf, &(struct sprof_dwarf_place){0}, ret) ||
		!set_line(dwarf, &dwarf->places[0], unit, address))
		return sprof_error_no_memory(err);
	return true;
}
