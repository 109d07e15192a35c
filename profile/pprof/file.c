/* Shared by the passes over a pprof file: strings, ids, and error messages. */
#include "profile/pprof/file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sprof_pprof_fail(
	const struct sprof_pprof_file *file, struct sprof_error *err, const char *format, ...)
{
	char what[256];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED, "%s: %s", file->name, what);
}

bool sprof_pprof_text(
	struct sprof_pprof_file *file, uint64_t index, const char **ret, struct sprof_error *err)
{
	struct sprof_pprof_string *string;

	if (index >= file->string_count) {
		if (index)
			return sprof_pprof_fail(file, err, "refers to string %llu of %zu",
				(unsigned long long)index, file->string_count);
		*ret = "";
		return true;
	}
	string = &file->strings[index];
	if (!string->interned)
		string->interned = sprof_build_string(file->profile, (const char *)string->text,
			strnlen((const char *)string->text, string->length));
	*ret = string->interned;
	return *ret || sprof_error_no_memory(err);
}

bool sprof_pprof_ids_init(struct sprof_pprof_ids *ids, size_t count)
{
	ids->dense_count = count + 1;
	ids->dense = malloc(ids->dense_count * sizeof(*ids->dense));
	if (ids->dense)
		memset(ids->dense, 0xff, ids->dense_count * sizeof(*ids->dense));
	return ids->dense;
}

bool sprof_pprof_ids_put(struct sprof_pprof_ids *ids, uint64_t id, uint32_t index)
{
	if (id >= ids->dense_count)
		return sprof_idmap_put(&ids->sparse, 0, id, index);
	ids->dense[id] = index;
	return true;
}

uint32_t sprof_pprof_ids_find(const struct sprof_pprof_ids *ids, uint64_t id)
{
	return id < ids->dense_count ? ids->dense[id] : sprof_idmap_find(&ids->sparse, 0, id);
}

void sprof_pprof_ids_finish(struct sprof_pprof_ids *ids)
{
	free(ids->dense);
	sprof_idmap_finish(&ids->sparse);
}
