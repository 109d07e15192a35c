/*
 * sprof run: starts a program and profiles it from its first instruction to its end. The program
 * has its own signals and streams; a pipe as standard output gets sprof's output.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "cmd/cli/command-line.h"
#include "cmd/cli/commands.h"
#include "cmd/record/session.h"
#include "cmd/ui.h"

#define FIELD(name) offsetof(struct sprof_recording, name)

static const struct sprof_option program_table[] = {
	{"no-children", NULL, NULL, "don't follow the processes that the program starts",
		sprof_value_flag, FIELD(processes.no_children)},
	{"wait", NULL, NULL,
		"continue after the end of the program, until the last of its\n"
		"descendants has ended",
		sprof_value_flag, FIELD(wait)},
	{"subprocesses", "s", NULL, NULL, sprof_value_ignored, 0},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"What to profile", program_table},
	SPROF_RECORDING_GROUPS,
	{0},
};

static int exit_code(const struct sprof_session_result *result)
{
	int own = sprof_session_exit(result);

	if (own)
		return own;
	if (result->program_ended)
		return sprof_exit_of_program(result->wait_status);
	return result->ended_by ? 128 + result->ended_by : 0;
}

/*
 * Without a delay a script sees no message: after a very short program its own output must be all
 * there is. The profile has its time as [unsampled].
 */
static void say_no_samples(const struct sprof_recording *options, const char *program)
{
	if (options->start_off)
		sprof_ui_note("no samples: sampling was not switched on before %s ended", program);
	else if (options->delay_ns)
		sprof_ui_note("no samples: %s ended before the delay was over", program);
	else
		sprof_ui_progress("no samples: %s ended before the first one", program);
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	struct sprof_recording options = *(const struct sprof_recording *)data;
	struct sprof_subject subject = {
		.arguments = operands,
		.follow_children = !options.processes.no_children,
		.may_wait = true,
	};
	struct sprof_session_result result;
	SPROF_AUTO_FREE char *again = NULL;

	if (!operands[0]) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "run needs a program to start");
		return sprof_error_hint(err, "for example: sprof run -- ls -l");
	}
	options.shown.outputs.beside_program = true;
	if (!sprof_session_prepare(&options, err))
		return false;
	again = sprof_command_line_again(operands);
	options.shown.outputs.again = again;
	subject.stdout_to_stderr = sprof_outputs_need_stdout(&options.shown.outputs);
	if (!sprof_session_run(&options, &subject, &result, err))
		return false;
	if (!result.samples && !result.program_left && !options.shown.outputs.whole_report)
		say_no_samples(&options, operands[0]);
	if (result.program_ended && WIFSIGNALED(result.wait_status))
		sprof_ui_progress("%s was killed by signal %d (SIG%s)", operands[0],
			WTERMSIG(result.wait_status), sigabbrev_np(WTERMSIG(result.wait_status)));
	*ret_exit = exit_code(&result);
	return true;
}

const struct sprof_command sprof_command_run = {
	.name = "run",
	.alias = "record",
	.summary = "Start a program and profile it; begin here",
	.synopsis = "[options] [--] PROGRAM [ARGUMENT...]",
	.details =
		"sprof exits with the program's exit code, or 128 + N if signal N killed it. While "
		"it runs,\n"
		"SIGUSR1 writes the profile so far to the output files. Ctrl-C goes to the "
		"program. Processes\n"
		"that the program leaves running continue without being profiled, unless --wait is "
		"given.\n\n"
		"  sprof run -- make -j4\n"
		"  sprof run -o profile.txt -o profile.folded -- ./server --port 8080\n",
	.groups = groups,
	.hidden = sprof_recording_hidden,
	.first = "rate duration source mode waits output format full no-children every",
	.defaults = &sprof_recording_defaults,
	.options_size = sizeof(struct sprof_recording),
	.run = run,
};
