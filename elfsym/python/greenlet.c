/*
 * Reads symbols. Since version 2.0, greenlet is C++ and exports its functions. Older versions are
 * C; if stripped, they have no names.
 */
#include "elfsym/python/greenlet.h"

#include <string.h>

#include "elfsym/elf/entries.h"

/*
 * greenlet::Greenlet::g_switchstack() in src/greenlet/greenlet_greenlet.hpp (2.0), TGreenlet.cpp
 * (3.0)
 */
static const char switching[] = "_ZN8greenlet8Greenlet13g_switchstackEv";

struct reader {
	const struct sprof_image *image;
	struct sprof_greenlet_file *file;
};

static bool take(void *data, const struct sprof_entry *entry)
{
	const struct reader *reader = data;
	uint64_t begin;

	if (!entry->is_code || entry->name_length != sizeof(switching) - 1 ||
		memcmp(entry->name, switching, entry->name_length) != 0 ||
		!sprof_image_offset(reader->image, entry->address, &begin))
		return true;
	reader->file->switch_begin = begin;
	reader->file->switch_end = begin + entry->size;
	return true;
}

bool sprof_greenlet_file_read(const struct sprof_image *image, struct sprof_greenlet_file *ret)
{
	struct reader reader = {image, ret};

	*ret = (struct sprof_greenlet_file){0};
	return sprof_entries_visit(image->elf, take, &reader);
}
