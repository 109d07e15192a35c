/* Options and checks shared by several commands. */
#include <sys/wait.h>

#include "cmd/cli/commands.h"

#define FIELD(name) offsetof(struct sprof_common_options, name)

const struct sprof_option sprof_common_option_table[] = {
	{"quiet", "q", NULL, "print only errors", sprof_value_flag, FIELD(quiet)},
	{"verbose", "v", NULL, "print progress even if stderr is not a terminal", sprof_value_flag,
		FIELD(verbose)},
	{"help", "h", NULL, "show this help", sprof_value_flag, FIELD(help)},
	{0},
};

bool sprof_command_wants_pid(
	const char *command, pid_t pid, char *const operands[], struct sprof_error *err)
{
	if (pid && !operands[0])
		return true;
	if (operands[0])
		sprof_error_set(
			err, SPROF_ERROR_USAGE, "%s takes no argument '%s'", command, operands[0]);
	else
		sprof_error_set(err, SPROF_ERROR_USAGE, "%s needs a process", command);
	return sprof_error_hint(err, "sprof %s -p PID", command);
}

int sprof_exit_of_program(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}
