/*
 * Finds perf maps, also in a container: the file is in the process's /tmp and named after the
 * process's pid in its own namespace. Everyone can write to /tmp, so the file must belong to the
 * process's user.
 */
#include "attach/proc/perf-map.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc-status.h"
#include "base/proc.h"
#include "base/regular-file.h"

/* The pid in the innermost namespace: the last of NSpid (proc(5), since Linux 4.1). */
static pid_t inner_pid(pid_t pid)
{
	char text[SPROF_PROC_STATUS_MAX];
	pid_t inner;

	if (sprof_proc_status_read(pid, 0, text, sizeof(text)) < 0)
		return pid;
	inner = sprof_proc_status_inner_id(text, "NSpid");
	return inner ? inner : pid;
}

static bool is_trusted(int fd, const struct stat *process)
{
	struct stat file;

	return fstat(fd, &file) == 0 && (file.st_uid == process->st_uid || file.st_uid == 0);
}

void sprof_perf_map_open(struct sprof_module *module, pid_t pid)
{
	struct stat process = {.st_uid = geteuid()};
	struct sprof_proc_path path;
	int fd;

	if (stat(sprof_proc_path(pid, 0, ".").text, &process) == 0)
		path = sprof_proc_path(pid, 0, "root/tmp/perf-%d.map", inner_pid(pid));
	else
		snprintf(path.text, sizeof(path.text), "/tmp/perf-%d.map", pid);
	fd = sprof_regular_file_open(path.text, O_NOFOLLOW);
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
