/*
 * Parses /proc/locks. The lines of a lock's waiters follow its own; they have the same number and
 * an arrow (fs/locks.c, locks_show()). A lock that several processes share has a line for each of
 * them; the waiter is below one of these. Does not handle leases, which have no waiters there.
 */
#include "blocked/file-locks.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct line {
	long long number;
	bool waits;
	int pid;
	uint64_t inode;
};

static bool parse(const char *text, struct line *ret)
{
	int length = 0;

	*ret = (struct line){0};
	if (sscanf(text, "%lld: %n", &ret->number, &length) != 1 || !length)
		return false;
	ret->waits = strncmp(text + length, "->", 2) == 0;
	text += length + (ret->waits ? 2 : 0);
	return sscanf(text, "%*s %*s %*s %d %*x:%*x:%" SCNu64, &ret->pid, &ret->inode) == 2;
}

pid_t sprof_file_locks_find(const char *text, pid_t waiter, uint64_t inode)
{
	struct line line, holder = {0};

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		if (!parse(text, &line))
			continue;
		if (!line.waits)
			holder = line;
		else if (line.number == holder.number && line.pid == waiter &&
			(!inode || line.inode == inode))
			return holder.pid > 0 ? holder.pid : 0;
	}
	return 0;
}
