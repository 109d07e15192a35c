/*
 * Explains why an exec failed. One errno has several causes: ENOENT also means a missing
 * interpreter (execve(2)), EACCES also a folder. The file shows which. Does not search PATH: for a
 * program found there, only the errno is explained.
 */
#include "attach/start/explain-exec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

/* The line after "#!" of a script. Returns false if the file is not a script. */
static bool read_interpreter(const char *path, char *line, size_t size)
{
	SPROF_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	char start[256];
	ssize_t length = fd < 0 ? -1 : read(fd, start, sizeof(start) - 1);

	if (length < 3 || memcmp(start, "#!", 2) != 0)
		return false;
	start[length] = '\0';
	start[strcspn(start, "\n")] = '\0';
	snprintf(line, size, "%s", start + 2 + strspn(start + 2, " \t"));
	return true;
}

static void explain_missing(const char *path, struct sprof_error *err)
{
	char line[256];
	size_t length;

	if (!read_interpreter(path, line, sizeof(line))) {
		sprof_error_set(err, SPROF_ERROR_NOT_FOUND,
			"run %s: its dynamic loader doesn't exist", path);
		sprof_error_hint(err,
			"see which interpreter it needs: readelf -l %s | grep interpreter", path);
		return;
	}
	length = strlen(line);
	if (length && line[length - 1] == '\r') {
		sprof_error_set(
			err, SPROF_ERROR_NOT_FOUND, "run %s: its first line ends with CR LF", path);
		sprof_error_hint(err, "give it the line ends of Unix: sed -i 's/\\r$//' %s", path);
		return;
	}
	line[strcspn(line, " \t")] = '\0';
	sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "run %s: its interpreter %s %s", path,
		line[0] ? line : "is not named:",
		access(line, F_OK) ? "doesn't exist" : "can't be started");
	sprof_error_hint(err, "the first line of a script names its interpreter");
}

bool sprof_explain_exec(const char *program, int errnum, struct sprof_error *err)
{
	bool is_path = strchr(program, '/');
	struct stat status;
	bool exists = !stat(program, &status);
	bool is_here = exists && S_ISREG(status.st_mode) && !access(program, X_OK);

	sprof_error_errno(err, errnum, "run %s", program);
	if (errnum == ENOENT && exists && is_path)
		explain_missing(program, err);
	else if (errnum == ENOENT && !is_path)
		sprof_error_hint(err, "there is no '%s' in PATH%s%s", program,
			is_here ? "; in this folder it is ./" : "", is_here ? program : "");
	else if (is_path && exists && S_ISDIR(status.st_mode))
		sprof_error_set(err, SPROF_ERROR_PERMISSION,
			"run %s: it is a directory, not a program", program);
	else if (errnum == EACCES && is_path && exists && access(program, X_OK))
		sprof_error_hint(err, "make it executable: chmod +x '%s'", program);
	else if (errnum == EACCES && is_path && exists)
		sprof_error_hint(err,
			"its file system may be mounted noexec, or its interpreter may not be "
			"executable");
	else if (errnum == ENOEXEC)
		sprof_error_hint(err,
			"it is neither a program of this machine nor a script that begins with #!");
	return false;
}
