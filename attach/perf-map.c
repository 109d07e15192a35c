/*
 * Perf maps. Knows where they are in a container: the file is in the /tmp that the process sees, and
 * its name has the pid that the process believes to have. /tmp is everyone's, so a file that belongs
 * to another user than the process is not taken.
 */
#include "attach/perf-map.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/procfs.h"
#include "base/regular-file.h"

enum { STATUS_SIZE = 4096 };

/* The pid in the innermost namespace: the last of NSpid (proc(5), since Linux 4.1). */
static pid_t inner_pid(pid_t pid)
{
	char path[32], text[STATUS_SIZE], field[128];
	const char *last;
	int number;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (sprof_proc_read_path(path, text, sizeof(text)) < 0 ||
		!sprof_proc_status_field(text, "NSpid", field, sizeof(field)))
		return pid;
	last = strrchr(field, '\t');
	return sscanf(last ? last : field, "%d", &number) == 1 ? number : pid;
}

static bool is_trusted(int fd, const struct stat *process)
{
	struct stat file;

	return fstat(fd, &file) == 0 &&
		(file.st_uid == process->st_uid || file.st_uid == 0);
}

void sprof_perf_map_open(struct sprof_module *module, pid_t pid)
{
	struct stat process = {.st_uid = geteuid()};
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (stat(path, &process) == 0)
		snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", pid, inner_pid(pid));
	else
		snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	fd = sprof_regular_file_open(path, O_NOFOLLOW);
	if (fd < 0)
		return;
	if (is_trusted(fd, &process) && sprof_file_may_stay_open(fd))
		module->fd = fd;
	else
		close(fd);
}

void sprof_perf_map_open_all(struct sprof_modules *modules)
{
	for (uint32_t id = 0; id < sprof_modules_count(modules); id++) {
		struct sprof_module *module = sprof_modules_get(modules, id);

		if (module->kind == SPROF_MODULE_ANONYMOUS && module->fd < 0 && module->inode)
			sprof_perf_map_open(module, (pid_t)module->inode);
	}
}
