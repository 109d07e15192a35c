/* Opens the file of a process's program and examines it. */
#include "attach/tracers/program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "attach/proc/word-size.h"
#include "attach/tracers/user.h"
#include "base/cleanup.h"
#include "base/proc.h"

bool sprof_program_has_other_word_size(pid_t pid)
{
	SPROF_AUTO_CLOSE int fd = sprof_proc_open(pid, 0, "exe");

	return fd >= 0 && sprof_word_size_differs(fd);
}

static bool has_name_in(pid_t pid, const char *file)
{
	size_t size;
	SPROF_AUTO_FREE char *text =
		sprof_proc_read_whole(sprof_proc_path(pid, 0, "%s", file).text, &size);

	return text && sprof_leak_checker_name(text, size);
}

bool sprof_program_checks_leaks(pid_t pid, bool is_running)
{
	SPROF_AUTO_CLOSE int fd = sprof_proc_open(pid, 0, "exe");

	return (fd >= 0 && sprof_leak_checker_file(fd)) ||
		has_name_in(pid, is_running ? "maps" : "environ");
}

bool sprof_program_will_check_leaks(const char *path)
{
	SPROF_AUTO_CLOSE int fd = strchr(path, '/') ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	const char *preloaded = getenv("LD_PRELOAD");

	return (fd >= 0 && sprof_leak_checker_file(fd)) ||
		(preloaded && sprof_leak_checker_name(preloaded, strlen(preloaded)));
}

bool sprof_program_may_trace(pid_t pid)
{
	SPROF_AUTO_CLOSE int fd = sprof_proc_open(pid, 0, "exe");

	return fd >= 0 && sprof_ptrace_user_file(fd);
}
