/* Finds and opens programs. For a script, it finds the script, not its interpreter. */
#include "cmd/cli/program-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"

static bool is_program(const char *path)
{
	struct stat status;

	return !access(path, X_OK) && !stat(path, &status) && S_ISREG(status.st_mode);
}

/* Searches PATH as the shell does (execvp(3)). Returns false if there is no such program. */
static bool find_by_name(const char *name, char path[PATH_MAX])
{
	const char *folders = getenv("PATH");
	const char *at = folders ? folders : "/bin:/usr/bin";

	if (strchr(name, '/'))
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && is_program(path);
	for (; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
		const int length = (int)strcspn(at, ":");

		snprintf(path, PATH_MAX, "%.*s%s%s", length, at, length ? "/" : "", name);
		if (is_program(path))
			return true;
	}
	return false;
}

bool sprof_program_find(
	const char *name, pid_t pid, char ret_path[PATH_MAX], struct sprof_error *err)
{
	if (!name) {
		snprintf(ret_path, PATH_MAX, "%s", sprof_proc_path(pid, 0, "exe").text);
		return true;
	}
	return find_by_name(name, ret_path) ||
		sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "can't find the program %s", name);
}

bool sprof_program_open(struct sprof_modules *modules, const char *path, struct sprof_module **ret,
	struct sprof_error *err)
{
	const struct sprof_module_key key = {.kind = SPROF_MODULE_FILE, .path = path};
	bool is_new;

	*ret = sprof_modules_intern(modules, &key, &is_new);
	if (!*ret)
		return sprof_error_no_memory(err);
	(*ret)->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	(*ret)->open_errno = (*ret)->fd < 0 ? errno : 0;
	return true;
}
