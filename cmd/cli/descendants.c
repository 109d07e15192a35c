/*
 * Finds descendants by the parents in /proc. Those whose parent has ended are not found:
 * they have another parent then. Zombies are left out: there is nothing to look at. So is sprof, which a shell
 * that it looks at has started.
 */
#include "cmd/cli/descendants.h"

#include <unistd.h>

#include "base/proc-status.h"
#include "base/proc.h"

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
static bool scan(struct sprof_pids *pids)
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

bool sprof_descendants_add(struct sprof_pids *pids, struct sprof_error *err)
{
	size_t before;

	/* A child may have a lower pid than its parent: repeat until no new one is found. */
	do {
		before = pids->count;
		if (!scan(pids))
			return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
				"they have more than %d descendants", SPROF_PIDS_MAX);
	} while (pids->count > before);
	return true;
}
