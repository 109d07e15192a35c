/*
 * Symbols as text: the first byte chooses the format, the rest is the file. Whatever is found must be
 * findable, inside the text, and never a name that is empty.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/symlist/symlist.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sprof_symlist *list;
	struct sprof_error err;
	char *text;

	if (!size)
		return 0;
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	if (!sprof_symlist_create(data[0] & 1 ? SPROF_SYMLIST_PERF_MAP : SPROF_SYMLIST_SYSMAP, text,
		    size - 1, &list, &err))
		return 0;
	assert(list->functions <= list->count);
	for (size_t i = 0; i < list->count; i++) {
		const struct sprof_symlist_line *line = &list->items[i];

		assert(line->name_length && line->name >= list->text);
		assert(line->name + line->name_length <= list->text + list->text_size);
		if (line->rank != SPROF_SYMLIST_NO_FUNCTION && line->address != UINT64_MAX)
			assert(sprof_symlist_find(list, line->address));
	}
	sprof_symlist_destroy(list);
	return 0;
}
