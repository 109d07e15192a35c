/* Lists of ids. Only the descendants are known to exist. */
#include "cmd/cli/pids.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/proc-status.h"
#include "base/proc.h"

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

static bool is_child(const struct sprof_pids *pids, pid_t pid)
{
	char text[SPROF_PROC_STATUS_MAX], state[32];
	long parent;

	return sprof_proc_status_read(pid, 0, text, sizeof(text)) > 0 &&
		sprof_proc_status_number(text, "PPid", &parent) &&
		sprof_pids_have(pids, (pid_t)parent) &&
		sprof_proc_status_field(text, "State", state, sizeof(state)) && state[0] != 'Z' &&
		state[0] != 'X';
}

/* Returns false if the list is full. */
static bool add_children(struct sprof_pids *pids)
{
	DIR *folder = sprof_proc_open_processes();
	bool ok = true;
	pid_t pid;

	while (folder && ok && (pid = sprof_proc_next_id(folder))) {
		if (pid != getpid() && !sprof_pids_have(pids, pid) && is_child(pids, pid))
			ok = sprof_pids_add(pids, pid);
	}
	if (folder)
		closedir(folder);
	return ok;
}

bool sprof_pids_add_descendants(struct sprof_pids *pids)
{
	size_t before;

	/* A child may have a lower pid than its parent: repeat until no new one is found. */
	do {
		before = pids->count;
		if (!add_children(pids))
			return false;
	} while (pids->count > before);
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

void sprof_pids_list(
	const struct sprof_pids *pids, const char *separator, char *buffer, size_t size)
{
	size_t length = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < pids->count && length < size; i++)
		length += (size_t)snprintf(buffer + length, size - length, "%s%d",
			i ? separator : "", (int)pids->items[i]);
}
