/*
 * Two passes over a pprof file: mappings and functions first; then, when the comments are known,
 * locations. An address becomes a raw frame: an offset in its mapping's file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/identity/identity.h"
#include "profile/model/index.h"
#include "profile/pprof/file.h"

/* Walks the messages of one field number. */
typedef bool message_reader(
	struct sprof_pprof_file *file, struct sprof_wire message, struct sprof_error *err);

static bool for_each(struct sprof_pprof_file *file, uint32_t number, message_reader *read,
	struct sprof_error *err)
{
	struct sprof_wire all = file->all;
	struct sprof_wire_field field;

	while (sprof_wire_next(&all, &field)) {
		if (field.number == number && field.is_bytes && !read(file, field.bytes, err))
			return false;
	}
	return true;
}

/* Enters the id of a new entry; a repeated id is an error. */
static bool enter(struct sprof_pprof_file *file, struct sprof_pprof_ids *ids, uint64_t id,
	uint32_t index, const char *what, struct sprof_error *err)
{
	if (!id)
		return sprof_pprof_fail(file, err, "a %s has the id 0", what);
	if (sprof_pprof_ids_find(ids, id) != SPROF_IDMAP_NONE)
		return sprof_pprof_fail(
			file, err, "two %ss have the id %llu", what, (unsigned long long)id);
	return sprof_pprof_ids_put(ids, id, index) || sprof_error_no_memory(err);
}

static bool read_mapping(
	struct sprof_pprof_file *file, struct sprof_wire message, struct sprof_error *err)
{
	struct sprof_pprof_mapping mapping = {0};
	const char *path = "", *build_id = "";
	struct sprof_wire_field field;
	uint64_t id = 0;

	while (sprof_wire_next(&message, &field)) {
		bool ok = true;

		if (field.number == 1)
			id = field.value;
		else if (field.number == 2)
			mapping.start = field.value;
		else if (field.number == 4)
			mapping.offset = field.value;
		else if (field.number == 5)
			ok = sprof_pprof_text(file, field.value, &path, err);
		else if (field.number == 6)
			ok = sprof_pprof_text(file, field.value, &build_id, err);
		if (!ok)
			return false;
	}
	if (message.broken)
		return sprof_pprof_fail(file, err, "damaged: a mapping");
	if (!sprof_build_module(
		    file->profile, path, build_id[0] ? build_id : NULL, &mapping.module) ||
		!sprof_array_reserve(&file->mappings, &file->mapping_capacity,
			file->mapping_count + 1, sizeof(*file->mappings)))
		return sprof_error_no_memory(err);
	file->mappings[file->mapping_count] = mapping;
	return enter(file, &file->mapping_ids, id, (uint32_t)file->mapping_count++, "mapping", err);
}

/* The module is known only from a location: see add_line(). */
static bool read_function(
	struct sprof_pprof_file *file, struct sprof_wire message, struct sprof_error *err)
{
	struct sprof_profile_function *function = &file->functions[file->functions_read];
	const char *linkage = "", *path = "";
	struct sprof_wire_field field;
	uint64_t id = 0;

	function->name = "";
	while (sprof_wire_next(&message, &field)) {
		bool ok = true;

		if (field.number == 1)
			id = field.value;
		else if (field.number == 2)
			ok = sprof_pprof_text(file, field.value, &function->name, err);
		else if (field.number == 3)
			ok = sprof_pprof_text(file, field.value, &linkage, err);
		else if (field.number == 4)
			ok = sprof_pprof_text(file, field.value, &path, err);
		else if (field.number == 5)
			function->line = field.value <= UINT32_MAX ? (uint32_t)field.value : 0;
		if (!ok)
			return false;
	}
	if (message.broken)
		return sprof_pprof_fail(file, err, "damaged: a function");
	function->linkage = linkage[0] ? linkage : function->name;
	function->unresolved = !linkage[0] && sprof_profile_counts_time(file->profile);
	function->file = path[0] ? path : NULL;
	if (!function->name[0])
		function->name = function->linkage;
	return enter(
		file, &file->function_ids, id, (uint32_t)file->functions_read++, "function", err);
}

/* A location being read: its lines are in the file's buffer. */
struct location {
	uint64_t id, mapping_id, address;
	size_t line_count;
};

static bool read_line(struct sprof_pprof_file *file, struct sprof_wire message,
	struct location *location, struct sprof_error *err)
{
	struct sprof_profile_line line = {0};
	struct sprof_wire_field field;
	uint64_t id = 0;

	while (sprof_wire_next(&message, &field)) {
		if (field.number == 1)
			id = field.value;
		else if (field.number == 2 && field.value <= UINT32_MAX)
			line.line = (uint32_t)field.value;
	}
	line.function = sprof_pprof_ids_find(&file->function_ids, id);
	if (message.broken || line.function == SPROF_IDMAP_NONE)
		return sprof_pprof_fail(file, err, "location %llu has a line with no function",
			(unsigned long long)location->id);
	if (location->line_count == SPROF_PPROF_MAX_LINES)
		return sprof_pprof_fail(file, err, "location %llu has more than %d lines",
			(unsigned long long)location->id, SPROF_PPROF_MAX_LINES);
	if (!sprof_array_reserve(&file->lines, &file->line_capacity, location->line_count + 1,
		    sizeof(*file->lines)))
		return sprof_error_no_memory(err);
	file->lines[location->line_count++] = line;
	return true;
}

static bool read_location_fields(struct sprof_pprof_file *file, struct sprof_wire message,
	struct location *ret, struct sprof_error *err)
{
	struct sprof_wire_field field;

	while (sprof_wire_next(&message, &field)) {
		if (field.number == 1)
			ret->id = field.value;
		else if (field.number == 2)
			ret->mapping_id = field.value;
		else if (field.number == 3)
			ret->address = field.value;
		else if (field.number == 4 && field.is_bytes &&
			!read_line(file, field.bytes, ret, err))
			return false;
	}
	return !message.broken || sprof_pprof_fail(file, err, "damaged: a location");
}

/* Names a location without a name after its place, like one of a module without symbols. */
static bool make_up_name(struct sprof_pprof_file *file, const struct location *location,
	const struct sprof_frame *frame)
{
	const struct sprof_module *module = frame->module == SPROF_PROFILE_NONE
		? NULL
		: sprof_modules_get(file->profile->modules, frame->module);
	struct sprof_profile_function *function = &file->functions[file->function_count];
	char name[512];
	int length = 0;

	if (!module || !module->path[0])
		length = snprintf(
			name, sizeof(name), "0x%llx", (unsigned long long)location->address);
	else if (sprof_module_is_generated(module))
		length = snprintf(name, sizeof(name), "%.400s", sprof_module_name(module));
	else
		length = snprintf(name, sizeof(name), "%.400s+0x%llx", sprof_module_name(module),
			(unsigned long long)frame->offset);
	*function = (struct sprof_profile_function){
		.name = sprof_build_string(file->profile, name, (size_t)length),
		.unresolved = true,
	};
	function->linkage = function->name;
	file->lines[0] = (struct sprof_profile_line){.function = (uint32_t)file->function_count};
	return function->name;
}

/* A name ends with its mark: see output/pprof/pprof.c. */
static bool take_mark(struct sprof_profile *profile, struct sprof_profile_function *function,
	enum sprof_mark *ret)
{
	static const enum sprof_mark marks[] = {SPROF_MARK_TAIL_CALL, SPROF_MARK_TAIL_CALLED};
	size_t length = strlen(function->name);

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *text = sprof_mark_text(marks[i]);
		size_t rest = strlen(text);
		bool same = function->linkage == function->name;

		if (length <= rest || strcmp(function->name + length - rest, text) != 0)
			continue;
		*ret = marks[i];
		function->name = sprof_build_string(profile, function->name, length - rest);
		if (same)
			function->linkage = function->name;
		return function->name;
	}
	*ret = SPROF_MARK_CALLED;
	return true;
}

/*
 * The function of a line; an entry that only has lines in another file refers to the real function.
 */
static struct sprof_profile_function function_of(
	const struct sprof_pprof_file *file, struct sprof_profile_line *line)
{
	uint32_t by = file->included_by[line->function];

	if (by != SPROF_IDMAP_NONE)
		line->file = file->functions[line->function].file;
	return file->functions[by != SPROF_IDMAP_NONE ? by : line->function];
}

/* Maps the file's functions to the profile's, which have a module. */
static bool settle_lines(struct sprof_pprof_file *file, uint32_t module, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct sprof_profile_function function = function_of(file, &file->lines[i]);

		if (!take_mark(file->profile, &function, &file->lines[i].mark))
			return false;
		if (i && file->lines[i].mark != SPROF_MARK_TAIL_CALL && !file->lines[i - 1].mark)
			file->lines[i - 1].mark = SPROF_MARK_INLINED;
		function.module = module == SPROF_PROFILE_NONE || function.unresolved
			? module
			: sprof_identity_module(file->profile, module);
		file->lines[i].kernel =
			function.linkage && strcmp(function.linkage, SPROF_MODULE_KERNEL) == 0;
		if (!sprof_profile_intern_function(
			    file->profile, &function, &file->lines[i].function))
			return false;
	}
	return true;
}

static bool read_location(
	struct sprof_pprof_file *file, struct sprof_wire message, struct sprof_error *err)
{
	struct sprof_frame frame = {.module = SPROF_PROFILE_NONE};
	struct location location = {0};
	uint32_t index;

	if (!read_location_fields(file, message, &location, err))
		return false;
	frame.offset = location.address;
	if (location.mapping_id) {
		uint32_t mapping = sprof_pprof_ids_find(&file->mapping_ids, location.mapping_id);

		if (mapping == SPROF_IDMAP_NONE)
			return sprof_pprof_fail(file, err, "location %llu has no mapping %llu",
				(unsigned long long)location.id,
				(unsigned long long)location.mapping_id);
		frame.module = file->mappings[mapping].module;
		frame.offset += file->mappings[mapping].offset - file->mappings[mapping].start;
	}
	if (!location.line_count) {
		if (!make_up_name(file, &location, &frame))
			return sprof_error_no_memory(err);
		location.line_count = 1;
	}
	if (!settle_lines(file, frame.module, location.line_count) ||
		!sprof_build_location(
			file->profile, &frame, file->lines, location.line_count, &index))
		return sprof_error_no_memory(err);
	return enter(file, &file->location_ids, location.id, index, "location", err);
}

bool sprof_pprof_read_names(struct sprof_pprof_file *file, struct sprof_error *err)
{
	const size_t size = (file->function_count + 1) * sizeof(*file->included_by);

	file->functions = calloc(file->function_count + 1, sizeof(*file->functions));
	file->included_by = malloc(size);
	if (!file->functions || !file->included_by ||
		!sprof_array_reserve(&file->lines, &file->line_capacity, 1, sizeof(*file->lines)))
		return sprof_error_no_memory(err);
	memset(file->included_by, 0xff, size);
	return for_each(file, SPROF_PPROF_MAPPING, read_mapping, err) &&
		for_each(file, SPROF_PPROF_FUNCTION, read_function, err);
}

bool sprof_pprof_read_locations(struct sprof_pprof_file *file, struct sprof_error *err)
{
	return for_each(file, SPROF_PPROF_LOCATION, read_location, err);
}
