/* Parses the format of /proc/PID/maps (fs/proc/task_mmu.c) and rejects everything else. */
#include "base/maps-line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Needed because strtoull(3) accepts blanks, newlines and signs before the digits. */
static bool scan_hex(const char **cursor, char end, uint64_t *ret)
{
	char *stop;

	if (!isxdigit((unsigned char)**cursor))
		return false;
	*ret = strtoull(*cursor, &stop, 16);
	if (*stop != end)
		return false;
	*cursor = stop + 1;
	return true;
}

bool sprof_maps_parse_line(const char **cursor, struct sprof_maps_line *ret)
{
	const char *at = *cursor;
	uint64_t major, minor;
	char *stop;

	if (!*at || !scan_hex(&at, '-', &ret->start) || !scan_hex(&at, ' ', &ret->end))
		return false;
	if (strnlen(at, 5) < 5 || at[4] != ' ')
		return false;
	ret->executable = at[2] == 'x';
	ret->shared = at[3] == 's';
	at += 5;
	if (!scan_hex(&at, ' ', &ret->offset) || !scan_hex(&at, ':', &major) ||
		!scan_hex(&at, ' ', &minor))
		return false;
	ret->device = major << 32 | minor;
	if (!isdigit((unsigned char)*at))
		return false;
	ret->inode = strtoull(at, &stop, 10);
	at = stop + strspn(stop, " ");
	ret->path = at;
	ret->path_length = strcspn(at, "\n");
	at += ret->path_length;
	*cursor = *at ? at + 1 : at;
	return true;
}
