/* Interprets the exit status of a program that a shell ran (sh(1p); 127: not found). */
#include "base/helper-program.h"

#include <sys/wait.h>

enum { NOT_FOUND = 127, SIGNALLED = 128 };

bool sprof_helper_program_judge(
	const struct sprof_helper_program *program, int status, struct sprof_error *err)
{
	const int code = WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status);

	if (!code)
		return true;
	if (code != NOT_FOUND)
		return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED, "%s: %s failed with status %d",
			program->user, program->name, code);
	sprof_error_set(err, SPROF_ERROR_NOT_FOUND,
		"%s: the program %s, which %s, is not installed", program->user, program->name,
		program->task);
	return sprof_error_hint(err, "%s", program->hint);
}
