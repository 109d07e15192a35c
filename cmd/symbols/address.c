/*
 * What is at an address: a variable, or functions and source lines. Data without a symbol is named
 * by its section.
 */
#include "cmd/symbols/address.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cmd/symbols/rows.h"
#include "output/clean.h"
#include "output/fit.h"

/* Where an address is. */
struct place {
	const struct sprof_module *module; /* NULL: in none */
	uint64_t offset;                   /* of code: in the module */
	bool is_code;
};

bool sprof_symbol_address_is_one(const char *operand)
{
	return operand[0] == '0' && (operand[1] == 'x' || operand[1] == 'X');
}

bool sprof_symbol_address_parse(const char *text, uint64_t *ret, struct sprof_error *err)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 16);
	if (isxdigit((unsigned char)text[0]) && !*end && !errno)
		return true;
	return sprof_error_set(
		err, SPROF_ERROR_USAGE, "'%s' is not an address in hexadecimal", text);
}

static struct place find_in_file(const struct sprof_symbol_subject *subject, uint64_t address)
{
	const struct sprof_image *image = subject->image;
	struct place place = {.is_code = sprof_image_executable(image, address)};

	if (place.is_code ? sprof_image_offset(image, address, &place.offset)
			  : sprof_image_loads(image, address))
		place.module = subject->file;
	return place;
}

static struct place find_in_process(const struct sprof_symbol_subject *subject, uint64_t address)
{
	const struct sprof_mapping *mapping = sprof_maps_find(&subject->maps, address);
	struct place place = {0};

	if (mapping && mapping->module != SPROF_MAPPING_NO_MODULE) {
		place.module = sprof_modules_get(subject->modules, mapping->module);
		place.offset = sprof_mapping_offset(mapping, place.module, address);
		place.is_code = true;
		return place;
	}
	for (uint32_t id = 0; mapping && id < sprof_modules_count(subject->modules); id++) {
		const struct sprof_module *module = sprof_modules_get(subject->modules, id);

		if (sprof_symbol_subject_holds(subject, module, address))
			return (struct place){.module = module};
	}
	return place;
}

/* The file's address is of use only with the file. A module without a file has only one. */
static void print_heading(const struct sprof_symbol_subject *subject,
	const struct sprof_module *module, uint64_t address, uint64_t linked)
{
	SPROF_AUTO_FREE char *path = sprof_clean_text(module->path, NULL);

	if (subject->options->processes.pid && subject->options->file_addresses)
		printf("0x%" PRIx64 " %s\n", linked, path ? path : "?");
	else
		printf("0x%" PRIx64 "\n", address);
}

static bool print_variable(const struct sprof_symbol_subject *subject,
	const struct sprof_listed *variable, uint64_t linked, struct sprof_error *err)
{
	SPROF_AUTO_FREE char *name = sprof_symbol_plain_name(subject->options, variable->name);
	SPROF_AUTO_FREE char *section = sprof_clean_text(variable->section, NULL);

	if (!name || !section)
		return sprof_error_no_memory(err);
	printf("  %s+0x%" PRIx64 " (data, %s)\n", name, linked - variable->address, section);
	return true;
}

/* Data that has no symbol. */
static bool print_section(
	const struct sprof_module *module, uint64_t linked, struct sprof_error *err)
{
	const char *section = NULL;
	struct sprof_image *image;
	uint64_t begin = 0;
	SPROF_AUTO_FREE char *name = NULL;

	if (!sprof_image_open(module, &image, err))
		return false;
	section = sprof_image_section_name(image, linked, &begin);
	name = sprof_clean_text(section ? section : sprof_module_name(module), NULL);
	sprof_image_close(image);
	if (!name)
		return sprof_error_no_memory(err);
	printf("  %s+0x%" PRIx64 " (data)\n", name, linked - begin);
	return true;
}

static bool print_location(
	const struct sprof_location *location, bool short_name, const char *distance)
{
	SPROF_AUTO_FREE char *function = sprof_fit_function(location->function, short_name, 0);
	SPROF_AUTO_FREE char *file = location->file ? sprof_clean_text(location->file, NULL) : NULL;

	if (!function || (location->file && !file))
		return false;
	printf("  %s%s", function, location->inlined ? " (inlined)" : distance);
	if (file && location->line)
		printf(" at %s:%u", file, location->line);
	printf("\n");
	return true;
}

static bool print_code(struct sprof_symbol_subject *subject, const struct place *place,
	const char *distance, int *ret_exit, struct sprof_error *err)
{
	struct sprof_locations locations;

	if (!sprof_symbols_resolve(
		    subject->namer.symbols, place->module->id, place->offset, &locations, err))
		return false;
	for (size_t i = 0; i < locations.count; i++) {
		if (!print_location(
			    &locations.items[i], subject->options->naming.short_names, distance))
			return sprof_error_no_memory(err);
	}
	if (locations.items[locations.count - 1].unresolved)
		*ret_exit = SPROF_EXIT_PARTIAL;
	return true;
}

/* A module that can't be read as ELF has no listing; it may still have names, by a perf map. */
static bool print_place(struct sprof_symbol_subject *subject, const struct place *place,
	uint64_t address, int *ret_exit, struct sprof_error *err)
{
	const struct sprof_listed *variable = NULL, *function = NULL;
	uint64_t linked = address;
	char distance[32] = "";

	if (sprof_symbol_subject_list(subject, place->module, true, err)) {
		linked = address - subject->bias;
		variable = sprof_listing_find_data(&subject->listing, linked);
		function = sprof_listing_find(&subject->listing, linked);
	} else if (err->kind == SPROF_ERROR_NO_MEMORY) {
		return false;
	}
	print_heading(subject, place->module, address, linked);
	if (variable)
		return print_variable(subject, variable, linked, err);
	if (function)
		snprintf(distance, sizeof(distance), "+0x%" PRIx64, linked - function->address);
	if (place->is_code)
		return print_code(subject, place, distance, ret_exit, err);
	*ret_exit = SPROF_EXIT_PARTIAL;
	return print_section(place->module, linked, err);
}

bool sprof_symbol_address_print(struct sprof_symbol_subject *subject, uint64_t address,
	int *ret_exit, struct sprof_error *err)
{
	struct place place =
		subject->file ? find_in_file(subject, address) : find_in_process(subject, address);

	if (place.module)
		return print_place(subject, &place, address, ret_exit, err);
	printf("0x%" PRIx64 "\n  (in no module)\n", address);
	*ret_exit = SPROF_EXIT_PARTIAL;
	return true;
}
