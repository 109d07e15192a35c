/*
 * Finds descendants by the parents that /proc tells. Those whose parent has ended are not found:
 * they have another parent then. Zombies are left out: there is nothing to look at. So is sprof, which a shell
 * that it looks at has started.
 */
#include "cmd/descendants.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/proc-status.h"
#include "base/proc.h"

static bool has(const struct sprof_pids *pids, pid_t pid)
{
	for (size_t i = 0; i < pids->count; i++) {
		if (pids->items[i] == pid)
			return true;
	}
	return false;
}

static bool is_child(const struct sprof_pids *pids, pid_t pid)
{
	char text[SPROF_PROC_STATUS_MAX], state[32];
	long parent;

	return sprof_proc_read_file(pid, 0, "status", text, sizeof(text)) > 0 &&
		sprof_proc_status_number(text, "PPid", &parent) && has(pids, (pid_t)parent) &&
		sprof_proc_status_field(text, "State", state, sizeof(state)) && state[0] != 'Z' &&
		state[0] != 'X';
}

/* Returns false if the list is full. */
static bool scan(struct sprof_pids *pids)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	bool ok = true;

	while (folder && ok && (entry = readdir(folder))) {
		const pid_t pid = isdigit((unsigned char)entry->d_name[0])
			? (pid_t)strtol(entry->d_name, NULL, 10)
			: 0;

		if (pid && pid != getpid() && !has(pids, pid) && is_child(pids, pid))
			ok = sprof_pids_add(pids, pid);
	}
	if (folder)
		closedir(folder);
	return ok;
}

bool sprof_descendants_add(struct sprof_pids *pids, struct sprof_error *err)
{
	size_t before;

	/* A child may have a lower id than its parent: look until there is no new one. */
	do {
		before = pids->count;
		if (!scan(pids))
			return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
				"they have more than %d descendants", SPROF_PIDS_MAX);
	} while (pids->count > before);
	return true;
}
