/* Lists of ids. Does not check that the processes exist. */
#include "cmd/cli/pids.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

bool sprof_pids_have(const struct sprof_pids *pids, pid_t pid)
{
	for (size_t i = 0; i < pids->count; i++) {
		if (pids->items[i] == pid)
			return true;
	}
	return false;
}

bool sprof_pids_add(struct sprof_pids *pids, pid_t pid)
{
	if (sprof_pids_have(pids, pid))
		return true;
	if (pids->count == SPROF_PIDS_MAX)
		return false;
	pids->items[pids->count++] = pid;
	return true;
}

static bool refuse(const char *text, struct sprof_error *err)
{
	sprof_error_set(err, SPROF_ERROR_USAGE, "not an id, nor a list of them: 12,34");
	if ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z'))
		sprof_error_hint(
			err, "'pgrep -d, %s' shows the ids of processes of that name", text);
	return false;
}

bool sprof_value_pids(void *field, const char *text, struct sprof_error *err)
{
	for (const char *at = text;; at++) {
		char *end;
		const long value = strtol(at, &end, 10);

		if (*at < '0' || *at > '9' || value <= 0 || value > INT32_MAX ||
			(*end && *end != ','))
			return refuse(text, err);
		if (!sprof_pids_add(field, (pid_t)value))
			return sprof_error_set(
				err, SPROF_ERROR_USAGE, "has more than %d ids", SPROF_PIDS_MAX);
		at = end;
		if (!*at)
			return true;
	}
}

void sprof_pids_list(const struct sprof_pids *pids, char *buffer, size_t size)
{
	size_t length = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < pids->count && length < size; i++)
		length += (size_t)snprintf(
			buffer + length, size - length, "%s%d", i ? ", " : "", (int)pids->items[i]);
}
