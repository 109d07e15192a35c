/* sprof top: shows live on the terminal where a running program's time goes. */
#include <unistd.h>

#include "cmd/cli/commands.h"
#include "cmd/record/event-run.h"
#include "cmd/top/screen.h"
#include "cmd/top/terminal.h"
#include "cmd/top/watch.h"

#define FIELD(name) offsetof(struct sprof_top_options, name)

_Static_assert(offsetof(struct sprof_top_options, common) == 0,
	"main.c reads the common options of any command");

/* More often, names would take the time. */
static const uint64_t interval_least_ns = 500ull * SPROF_NS_PER_MS;

static const struct sprof_top_options defaults = {
	.naming.debuginfod_limit_ns = SPROF_DEBUGINFOD_LIMIT_NS,
	.rate_hz = 49,
	.max_overhead = 0.03,
	.interval_ns = SPROF_NS_PER_S,
};

static const struct sprof_option target_table[] = {
	{"pid", "p", "PID", "the process, instead of a program to start", sprof_value_pid,
		FIELD(pid)},
	{"children", NULL, NULL, "with --pid: also follow the processes that it starts from now on",
		sprof_value_flag, FIELD(children), .needs = "pid"},
	{"no-children", NULL, NULL, "don't follow the processes that the program starts",
		sprof_value_flag, FIELD(no_children), .conflicts = "pid"},
	{0},
};

static const struct sprof_option sampling_table[] = {
	{"rate", "rF", "HZ", "samples per second of every thread (49)", sprof_value_rate,
		FIELD(rate_hz)},
	{"max-overhead", NULL, "PCT",
		"lower the rate when sampling would cost more than PCT percent of\n"
		"one CPU: sprof's CPU time plus the time for which the program is\n"
		"stopped (3)",
		sprof_value_percentage, FIELD(max_overhead)},
	{"interval", "i", "TIME", "update the figures every TIME, at least 500ms (1s)",
		sprof_value_duration, FIELD(interval_ns)},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"What to watch", target_table},
	{"Sampling", sampling_table},
	{"Names", sprof_naming_kind_table, FIELD(short_names)},
	{"Names", sprof_naming_table, FIELD(naming)},
	{"General", sprof_common_option_table},
	{0},
};

/* Nothing is written to stdout, and a reader of a pipe there would expect a profile. */
static bool check_stdout(const struct sprof_top_options *options, struct sprof_error *err)
{
	if (!options->pid || isatty(STDOUT_FILENO))
		return true;
	sprof_error_set(
		err, SPROF_ERROR_USAGE, "sprof top draws on a terminal, and stdout is none");
	sprof_error_hint(err, "sprof attach -p %d -d 10s writes a profile into a pipe or a file",
		(int)options->pid);
	return false;
}

static bool check(
	const struct sprof_top_options *options, char *const operands[], struct sprof_error *err)
{
	const struct sprof_event_run_options target = {.pid = options->pid};

	if (!sprof_event_run_check("top", &target, operands, err))
		return false;
	if (options->interval_ns < interval_least_ns)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "--interval takes at least 500ms");
	return check_stdout(options, err) && sprof_top_terminal_check(err);
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	const struct sprof_top_options *options = data;
	struct sprof_subject subject = {
		.arguments = operands[0] ? operands : NULL,
		.pid = options->pid,
		.follow_children = operands[0] ? !options->no_children : options->children,
	};

	return check(options, operands, err) && sprof_top_watch(options, &subject, ret_exit, err);
}

const struct sprof_command sprof_command_top = {
	.name = "top",
	.summary = "Watch live where the time of a program goes",
	.synopsis = "-p PID | [--] PROGRAM [ARGUMENT...]",
	.details =
		"? shows the keys, q leaves; the program continues. The program's output to the terminal\n"
		"appears when the screen closes. If its stdin is the terminal, its stdin is empty. Other\n"
		"streams stay as they are.\n\n"
		"  sprof top -p 4711\n"
		"  sprof top -- ./server --port 8080\n",
	.groups = groups,
	.defaults = &defaults,
	.options_size = sizeof(struct sprof_top_options),
	.run = run,
};
