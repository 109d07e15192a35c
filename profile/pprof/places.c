/*
 * sprof's comments about modules' files: segments and debug links, needed to resolve names later,
 * and mapping addresses. Malformed comments are ignored: they come from another program, or are
 * damaged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/pprof/file.h"

/* Files have one or two executable segments. */
enum { MAX_SEGMENTS = 64 };

/*
 * The facts of the module of mapping "NAME.n"; NULL: it is not such a comment, or has no mapping.
 */
static struct sprof_profile_module *find(
	struct sprof_pprof_file *file, const char *comment, const char *name)
{
	size_t length = strlen(name);
	uint32_t mapping;

	if (strncmp(comment, name, length) != 0 || comment[length] != '.')
		return NULL;
	mapping =
		sprof_pprof_ids_find(&file->mapping_ids, strtoull(comment + length + 1, NULL, 10));
	return mapping == SPROF_IDMAP_NONE
		? NULL
		: &file->profile->module_facts[file->mappings[mapping].module];
}

static bool read_segment(struct sprof_profile_module *facts, const char *text)
{
	unsigned long long offset, size, address;
	struct sprof_segment *grown;

	if (facts->segment_count == MAX_SEGMENTS ||
		sscanf(text, "%llx %llx %llx", &offset, &size, &address) != 3 ||
		offset + size < offset || address + size < address)
		return true;
	grown = realloc(facts->segments, (facts->segment_count + 1) * sizeof(*grown));
	if (!grown)
		return false;
	facts->segments = grown;
	facts->segments[facts->segment_count++] = (struct sprof_segment){
		.offset = offset,
		.address = address,
		.file_size = size,
		.memory_size = size,
		.executable = true,
	};
	return true;
}

static bool read_debuglink(
	struct sprof_profile *profile, struct sprof_profile_module *facts, const char *text)
{
	const char *name = strchr(text, ' ');

	/* A file name only: the file is looked for in the folders that the user gives. */
	if (!name || !name[1] || strchr(name, '/'))
		return true;
	facts->debuglink = sprof_build_string(profile, name + 1, strlen(name + 1));
	facts->debuglink_crc = (uint32_t)strtoul(text, NULL, 16);
	return facts->debuglink;
}

/* Only a module that is none's build itself can have others. */
static void read_build_of(
	struct sprof_pprof_file *file, struct sprof_profile_module *facts, const char *text)
{
	uint32_t mapping = sprof_pprof_ids_find(&file->mapping_ids, strtoull(text, NULL, 10)),
		 module;

	if (mapping == SPROF_IDMAP_NONE)
		return;
	module = file->mappings[mapping].module;
	if (&file->profile->module_facts[module] != facts &&
		!file->profile->module_facts[module].build_of)
		facts->build_of = module + 1;
}

bool sprof_pprof_read_place(struct sprof_pprof_file *file, const char *comment, const char *text)
{
	struct sprof_profile_module *facts = find(file, comment, SPROF_PPROF_SEGMENT);

	if (facts)
		return read_segment(facts, text);
	facts = find(file, comment, SPROF_PPROF_MAPPED);
	if (facts) {
		facts->mapped_at = strtoull(text, NULL, 16);
		return true;
	}
	facts = find(file, comment, SPROF_PPROF_BUILD_OF);
	if (facts) {
		read_build_of(file, facts, text);
		return true;
	}
	facts = find(file, comment, SPROF_PPROF_DEBUGLINK);
	return !facts || read_debuglink(file->profile, facts, text);
}
