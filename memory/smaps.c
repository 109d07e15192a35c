/* Parses smaps. Ignores fields that are not needed. */
#include "memory/smaps.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { KB = 1024 };

/*
 * Private pages are those of one process alone. The kernel keeps pages of hugetlbfs out of RSS and
 * PSS, so they are in none of these.
 */
static const struct {
	const char *name;
	size_t offset;
} fields[] = {
	{"Rss:", offsetof(struct sprof_smaps_figures, rss)},
	{"Pss:", offsetof(struct sprof_smaps_figures, pss)},
	{"Private_Clean:", offsetof(struct sprof_smaps_figures, uss)},
	{"Private_Dirty:", offsetof(struct sprof_smaps_figures, uss)},

	{"Swap:", offsetof(struct sprof_smaps_figures, swap)},
};

static void take_field(const char *line, struct sprof_smaps_figures *figures)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const size_t length = strlen(fields[i].name);

		if (!strncmp(line, fields[i].name, length))
			*(uint64_t *)((char *)figures + fields[i].offset) +=
				strtoull(line + length, NULL, 10) * KB;
	}
}

static const char *next_line(const char *at)
{
	const char *end = strchr(at, '\n');

	return end ? end + 1 : at + strlen(at);
}

/* Names of fields begin with a capital letter, and addresses don't. */
bool sprof_smaps_next(const char **cursor, struct sprof_smaps_area *ret)
{
	*ret = (struct sprof_smaps_area){0};
	if (!sprof_maps_parse_line(cursor, &ret->line))
		return false;
	for (; isupper((unsigned char)**cursor); *cursor = next_line(*cursor))
		take_field(*cursor, &ret->figures);
	return true;
}

void sprof_smaps_add(struct sprof_smaps_figures *sum, const struct sprof_smaps_figures *added)
{
	sum->rss += added->rss;
	sum->pss += added->pss;
	sum->uss += added->uss;
	sum->swap += added->swap;
}
