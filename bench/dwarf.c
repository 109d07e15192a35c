/*
 * Parts of naming, each by sprof's own code or by libdw alone, on the addresses on stdin (link-time, hexadecimal).
 * Both find the unit in the same way; the figures are those of the whole process.
 *
 *     dwarf lines|scopes|sections own|libdw FILE
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/dwarf/expand.h"
#include "elfsym/dwarf/lines.h"
#include "elfsym/dwarf/scopes.h"
#include "elfsym/dwarf/units.h"

static struct sprof_module *open_module(struct sprof_modules *modules, const char *path)
{
	const struct sprof_module_key key = {.kind = SPROF_MODULE_FILE, .path = path};
	struct sprof_module *module;
	bool is_new;

	module = sprof_modules_intern(modules, &key, &is_new);
	if (module)
		module->fd = open(path, O_RDONLY | O_CLOEXEC);
	return module;
}

static uint64_t own_line(struct sprof_unit *unit, const struct sprof_line_sections *sections,
	const struct sprof_image *image, uint64_t address)
{
	const struct sprof_line_row *row;
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	if (!unit->has_lines &&
		(dwarf_formudata(dwarf_attr(&unit->die, DW_AT_stmt_list, &attribute), &offset) !=
				0 ||
			!sprof_lines_load(&unit->lines, sections, offset, image)))
		return 0;
	unit->has_lines = true;
	row = sprof_lines_find(&unit->lines, address);
	return row ? row->line : 0;
}

static uint64_t libdw_line(struct sprof_unit *unit, uint64_t address)
{
	Dwarf_Line *row = dwarf_getsrc_die(&unit->die, address);
	int line = 0;

	if (row)
		dwarf_lineno(row, &line);
	return (uint64_t)line;
}

static uint64_t own_scope(
	struct sprof_unit *unit, const struct sprof_image *image, uint64_t address, size_t *budget)
{
	uint32_t found;

	if (!unit->loaded && !sprof_scopes_load(&unit->scopes, image, &unit->die, budget))
		return 0;
	unit->loaded = true;
	if (!sprof_scopes_find(&unit->scopes, image, address, budget, &found) ||
		found == SPROF_SCOPE_NONE)
		return 0;
	return dwarf_dieoffset(&unit->scopes.items[found].die);
}

static uint64_t libdw_scope(struct sprof_unit *unit, uint64_t address)
{
	Dwarf_Die *scopes = NULL;
	int count = dwarf_getscopes(&unit->die, address, &scopes);
	uint64_t offset = 0;

	for (int i = 0; i < count && !offset; i++) {
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram ||
			dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine)
			offset = dwarf_dieoffset(&scopes[i]);
	}
	free(scopes);
	return offset;
}

int main(int argc, char *argv[])
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_image *image, *expanded = NULL;
	const struct sprof_image *debug;
	struct sprof_line_sections sections;
	struct sprof_units units = {0};
	struct sprof_module *module;
	struct sprof_error err;
	size_t budget = SIZE_MAX;
	uint64_t sum = 0;
	bool own, lines, scopes;
	char text[64];
	Dwarf *dwarf;

	if (argc != 4 || !modules || !(module = open_module(modules, argv[3])))
		return 2;
	own = strcmp(argv[2], "own") == 0;
	lines = strcmp(argv[1], "lines") == 0;
	scopes = strcmp(argv[1], "scopes") == 0;
	if (!sprof_image_open(module, &image, &err))
		return 1;
	if (own || lines || scopes)
		expanded = sprof_expand(image, false);
	debug = expanded ? expanded : image;
	dwarf = dwarf_begin_elf(debug->elf, DWARF_C_READ, NULL);
	if (!dwarf ||
		!sprof_units_read(&units, &(struct sprof_units_source){dwarf, image, &budget}))
		return 1;
	sections = sprof_line_sections_find(debug);
	while (fgets(text, sizeof(text), stdin)) {
		uint64_t address = strtoull(text, NULL, 16);
		struct sprof_unit *unit = sprof_units_find(&units, address);

		if (unit && lines)
			sum += own ? own_line(unit, &sections, image, address)
				   : libdw_line(unit, address);
		else if (unit && scopes)
			sum += own ? own_scope(unit, image, address, &budget)
				   : libdw_scope(unit, address);
	}
	printf("%zu units, sum %llu\n", units.count, (unsigned long long)sum);
	return 0;
}
