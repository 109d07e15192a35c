/*
 * The sprof program: finds the command, runs it, and converts its result into a message and an exit
 * code.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cmd/cli/command-line.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/complete.h"
#include "cmd/cli/other-tools.h"
#include "cmd/cli/outputs.h"
#include "cmd/cli/processes.h"
#include "cmd/cli/program-file.h"
#include "cmd/cli/self-check.h"
#include "cmd/record/hang.h"
#include "cmd/signals.h"
#include "cmd/ui.h"

static const struct sprof_command *const commands[] = {
	&sprof_command_run,
	&sprof_command_attach,
	&sprof_command_top,
	&sprof_command_report,
	&sprof_command_annotate,
	&sprof_command_diff,
	&sprof_command_merge,
	&sprof_command_dump,
	&sprof_command_syscalls,
	&sprof_command_rundelay,
	&sprof_command_mem,
	&sprof_command_heap,
	&sprof_command_calls,
	&sprof_command_trace,
	&sprof_command_events,
	&sprof_command_symbols,
};

enum {
	COMMANDS = sizeof(commands) / sizeof(commands[0]),
	THREAD_STACK_SIZE = 8 << 20,
};

static const struct sprof_command *find_command(const char *name)
{
	for (int i = 0; i < COMMANDS; i++) {
		if (strcmp(commands[i]->name, name) == 0 ||
			(commands[i]->alias && strcmp(commands[i]->alias, name) == 0))
			return commands[i];
	}
	return NULL;
}

static void print_help(void)
{
	printf("Usage: sprof COMMAND [options]\n"
	       "Shows where the wall-clock time of a native program goes: computing, in the kernel,\n"
	       "waiting for a CPU, or blocked; for each thread, function and call path.\n\nCommands:\n");
	for (int i = 0; i < COMMANDS; i++)
		printf("  %-10s%s\n", commands[i]->name, commands[i]->summary);
	printf("\n"
	       "  sprof run -- PROGRAM [ARGUMENT...]  the answer on one screen\n"
	       "  sprof attach -p PID -d 10s          the same for a running process\n"
	       "  sprof report                        the whole report of the last recording\n"
	       "  sprof report --waits                locks and other waits, and lock holders\n"
	       "  sprof annotate FUNCTION             the source lines of a function\n"
	       "  sprof help COMMAND                  the options of a command\n"
	       "  sprof --list-formats, --self-check  the formats of -f and -o; what works here\n\n"
	       "run, attach and heap keep their last recording in ~/.cache/sprof/last.pb.gz.\n"
	       "report and annotate read it, or a file from -o FILE.pb.gz.\n");
}

static void print_formats(void)
{
	const struct sprof_format *format;

	for (size_t i = 0; (format = sprof_format_at(i)); i++) {
		printf("%-11s %s%s%s\n", format->name, format->suffix,
			format->other_suffix ? ", " : "",
			format->other_suffix ? format->other_suffix : "");
		printf("%-11s %s\n", "", format->summary);
	}
}

static void print_version(void)
{
	char formats[256];

	sprof_outputs_list_formats(formats, sizeof(formats));
	printf("sprof %s\nbuilt for: %s\nbuilt with: %s\nbuilt without: %s\nformats: %s\n",
		SPROF_VERSION, SPROF_BUILT_FOR, SPROF_BUILT_WITH, SPROF_BUILT_WITHOUT, formats);
}

/* One page for a bug report. */
static int self_check(void)
{
	print_version();
	return sprof_self_check();
}

/*
 * Opens a closed standard stream on /dev/null in the wrong direction, so that none of sprof's files
 * gets its number. Writing to it fails, as to a closed stream. It is closed on exec: the program
 * finds it closed, too.
 */
static void keep_standard_streams(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
	}
}

static bool settle_processes(const struct sprof_command *command,
	struct sprof_common_options *options, char *const **words, struct sprof_error *err)
{
	return !command->processes ||
		sprof_processes_settle(
			(void *)((char *)options + command->processes), command, words, err);
}

/* A word of another tool is taken for a program; then there is none of this name. */
static void hint_at_operand(
	const struct sprof_command *command, char *const words[], struct sprof_error *err)
{
	const char *answer =
		words && words[0] ? sprof_other_tools_option(command->name, words[0]) : NULL;

	if (answer)
		sprof_error_hint(err, "%s", answer);
}

static int run_command(const struct sprof_command *command, int argc, char *argv[])
{
	struct sprof_common_options *options = malloc(command->options_size);
	struct sprof_error err = {0};
	char *const *words = NULL;
	int operands, code = 0;
	bool done = false;

	if (!options) {
		sprof_error_no_memory(&err);
	} else {
		memcpy(options, command->defaults, command->options_size);
		done = sprof_command_parse(command, argc, argv, options, &operands, &err);
		words = done ? argv + operands : NULL;
	}
	if (done && options->help) {
		sprof_command_help(command, stdout);
	} else if (done) {
		if (options->quiet)
			sprof_ui_set_level(SPROF_UI_QUIET);
		else if (options->verbose)
			sprof_ui_set_level(SPROF_UI_VERBOSE);
		sprof_value_notes();
		done = settle_processes(command, options, &words, &err) &&
			command->run(options, words, &code, &err);
	}
	if (!done) {
		hint_at_operand(command, words, &err);
		sprof_ui_error(&err);
		code = err.kind == SPROF_ERROR_USAGE ? SPROF_EXIT_USAGE : SPROF_EXIT_FAILED;
	}
	free(options);
	return code;
}

static void hint_at_word(char *const words[], struct sprof_error *err)
{
	const char *answer = sprof_other_tools_command(words[0]);
	struct sprof_nearest nearest = {.word = words[0]};
	struct sprof_error missing;
	char path[PATH_MAX];
	char *line = NULL;

	if (answer) {
		sprof_error_hint(err, "%s", answer);
		return;
	}
	if (words[0][0] && !words[0][strspn(words[0], "0123456789")]) {
		sprof_error_hint(
			err, "sprof attach -p %s, or sprof dump -p %s", words[0], words[0]);
		return;
	}
	for (int i = 0; i < COMMANDS && !strchr(words[0], '/'); i++)
		sprof_nearest_try(&nearest, commands[i]->name);
	if (nearest.found) {
		sprof_error_hint(err, "did you mean: sprof %s?", nearest.found);
		return;
	}
	if (sprof_program_find(words[0], 0, path, &missing))
		line = sprof_command_line_join(words);
	if (line)
		sprof_error_hint(err, "to profile it: sprof run -- %s", line);
	else
		sprof_error_hint(err, "see: sprof --help");
	free(line);
}

static int refuse(char *const words[])
{
	struct sprof_error err = {0};

	if (!words[0])
		sprof_error_set(&err, SPROF_ERROR_USAGE, "no command given");
	else if (words[0][0] == '-')
		sprof_error_set(&err, SPROF_ERROR_USAGE, "unknown option %s", words[0]);
	else
		sprof_error_set(&err, SPROF_ERROR_USAGE, "unknown command %s", words[0]);
	if (words[0] && words[0][0] != '-')
		hint_at_word(words, &err);
	else
		sprof_error_hint(&err,
			"a command comes first: sprof run -- PROGRAM, sprof attach -p PID; see: sprof --help");
	sprof_ui_error(&err);
	return SPROF_EXIT_USAGE;
}

/* sprof help [COMMAND]. */
static int help(char *const words[])
{
	const struct sprof_command *command = words[0] ? find_command(words[0]) : NULL;
	struct sprof_error err = {0};

	if (!words[0]) {
		print_help();
		return 0;
	}
	if (command && !words[1]) {
		sprof_command_help(command, stdout);
		return 0;
	}
	if (!command)
		return refuse(words);
	sprof_error_set(&err, SPROF_ERROR_USAGE, "help: unexpected %s", words[1]);
	sprof_error_hint(&err, "for example: sprof help %s", command->name);
	sprof_ui_error(&err);
	return SPROF_EXIT_USAGE;
}

/* perf's "-t TID,TID"; -t alone is --threads. */
static bool is_tid(char *const words[])
{
	return !strcmp(words[0], "-t") && words[1] && strspn(words[1], "0123456789") &&
		!words[1][strspn(words[1], "0123456789,")];
}

static bool chooses_process(char *const words[])
{
	static const char *const names[] = {"--pid", "--tid", "--name"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const size_t length = strlen(names[i]);

		if (!strncmp(words[0], names[i], length) &&
			(!words[0][length] || words[0][length] == '='))
			return true;
	}
	return !strncmp(words[0], "-p", 2) || is_tid(words);
}

/*
 * `record` is other profilers' word for run and, with -p, for attach. The first word that is
 * neither an option nor its value is the program, and what follows is its own.
 */
static bool is_attach(char *const words[])
{
	for (; words[0] && words[0][0] == '-' && strcmp(words[0], "--") != 0; words++) {
		const struct sprof_option *row =
			sprof_command_find_option(&sprof_command_run, words[0]);

		if (chooses_process(words))
			return true;
		words += row && sprof_option_takes_next(row, words[1]);
	}
	return false;
}

/* Up to the program: its words are its own. */
static void name_tids(const struct sprof_command *command, char *words[])
{
	static char name[] = "--tid";

	for (; words[0] && strcmp(words[0], "--") != 0; words++) {
		const struct sprof_option *row;

		if (words[0][0] != '-' && !command->options_anywhere)
			return;
		if (is_tid(words))
			words[0] = name;
		row = sprof_command_find_option(command, words[0]);
		words += row && sprof_option_takes_next(row, words[1]);
	}
}

static int dispatch(int argc, char *argv[])
{
	const struct sprof_command *command = argc > 1 ? find_command(argv[1]) : NULL;

	if (command && !strcmp(argv[1], "record") && is_attach(argv + 2))
		command = &sprof_command_attach;
	if (command && command->processes)
		name_tids(command, argv + 2);
	if (command)
		return run_command(command, argc - 1, argv + 1);
	if (argc < 2)
		return refuse(argv + argc);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		print_help();
	else if (!strcmp(argv[1], "help"))
		return help(argv + 2);
	else if (!strcmp(argv[1], "--complete") && argc > 2)
		sprof_complete(&(struct sprof_commands){commands, COMMANDS}, argv + 2);
	else if (!strcmp(argv[1], SPROF_HANG_WORD) && argc > 2)
		return sprof_hang_finish(argv + 2);
	else if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		print_version();
	else if (!strcmp(argv[1], "--list-formats"))
		print_formats();
	else if (!strcmp(argv[1], "--self-check"))
		return self_check();
	else
		return refuse(argv + 1);
	return 0;
}

/*
 * If sprof had more privileges than its caller (set-user-ID), the environment, the files that it
 * reads, and the programs that it runs could exploit them (getauxval(3), AT_SECURE).
 */
static bool refuse_borrowed_rights(struct sprof_error *err)
{
	if (!getauxval(AT_SECURE))
		return false;
	sprof_error_set(err, SPROF_ERROR_PERMISSION,
		"sprof does not run set-user-ID, set-group-ID or with file capabilities");
	sprof_error_hint(err,
		"take them away (chmod ug-s, setcap -r), and run it as a user with the right to "
		"trace, for example with sudo");
	return true;
}

/*
 * Otherwise a thread's stack is as large as the first one's may become (pthread_create(3)), and
 * after "ulimit -s 64" that is too little.
 */
static void settle_thread_stacks(void)
{
	pthread_attr_t attributes;

	if (pthread_attr_init(&attributes))
		return;
	if (!pthread_attr_setstacksize(&attributes, THREAD_STACK_SIZE))
		pthread_setattr_default_np(&attributes);
	pthread_attr_destroy(&attributes);
}

int main(int argc, char *argv[])
{
	struct sprof_error err = {0};
	int code;

	keep_standard_streams();
	settle_thread_stacks();
	if (refuse_borrowed_rights(&err)) {
		sprof_ui_error(&err);
		return SPROF_EXIT_FAILED;
	}
	sprof_signals_survive();
	code = dispatch(argc, argv);
	if (fflush(stdout) || ferror(stdout)) {
		sprof_error_errno(&err, errno, "write to stdout");
		sprof_ui_error(&err);
		code = SPROF_EXIT_FAILED;
	}
	return code;
}
