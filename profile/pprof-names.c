/*
 * The second pass over a pprof file: mappings, functions and locations. Knows that an address is a
 * place in the file that its mapping shows, which is what a raw frame is made of.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/pprof-file.h"

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

/* Enters the id of a new entry; a second one with the same id is an error. */
static bool enter(struct sprof_pprof_file *file, struct sprof_pprof_ids *ids, uint64_t id,
	uint32_t index, const char *what, struct sprof_error *err)
{
	if (!id)
		return sprof_pprof_fail(file, err, "a %s has the id 0", what);
	if (sprof_pprof_ids_find(ids, id) != SPROF_IDMAP_NONE)
		return sprof_pprof_fail(file, err, "two %ss have the id %llu", what,
			(unsigned long long)id);
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
	if (!sprof_build_module(file->profile, path, build_id[0] ? build_id : NULL,
		    &mapping.module) ||
		!sprof_array_reserve(&file->mappings, &file->mapping_capacity,
			file->mapping_count + 1, sizeof(*file->mappings)))
		return sprof_error_no_memory(err);
	file->mappings[file->mapping_count] = mapping;
	return enter(file, &file->mapping_ids, id, (uint32_t)file->mapping_count++, "mapping", err);
}

/* A function's module is known only where a location has it: see read_line(). */
struct function {
	struct sprof_profile_function fields;
	uint64_t id;
};

static bool read_function(
	struct sprof_pprof_file *file, struct sprof_wire message, struct function *ret,
	struct sprof_error *err)
{
	const char *linkage = "", *path = "";
	struct sprof_wire_field field;

	*ret = (struct function){.fields = {.name = "", .module = SPROF_PROFILE_NONE}};
	while (sprof_wire_next(&message, &field)) {
		bool ok = true;

		if (field.number == 1)
			ret->id = field.value;
		else if (field.number == 2)
			ok = sprof_pprof_text(file, field.value, &ret->fields.name, err);
		else if (field.number == 3)
			ok = sprof_pprof_text(file, field.value, &linkage, err);
		else if (field.number == 4)
			ok = sprof_pprof_text(file, field.value, &path, err);
		else if (field.number == 5)
			ret->fields.line = field.value <= UINT32_MAX ? (uint32_t)field.value : 0;
		if (!ok)
			return false;
	}
	ret->fields.linkage = linkage[0] ? linkage : ret->fields.name;
	ret->fields.file = path[0] ? path : NULL;
	if (!ret->fields.name[0])
		ret->fields.name = ret->fields.linkage[0] ? ret->fields.linkage : "[unknown]";
	return !message.broken || sprof_pprof_fail(file, err, "damaged: a function");
}

