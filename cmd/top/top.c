/*
 * sprof top: shows on the terminal where a running program spends its time. Four threads: one
 * traces, one resolves names, one draws, and this one waits for them. Each sampling period makes a
 * separate profile, which goes to the naming thread. When the user quits, a launched program
 * continues as if there had been no screen.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/regs/regs.h"
#include "base/attributes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/module.h"
#include "base/syscall-name.h"
#include "base/system-names.h"
#include "cmd/cli/command-line.h"
#include "cmd/cli/command.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/environment.h"
#include "cmd/cli/mpi-rank.h"
#include "cmd/record/channel-reader.h"
#include "cmd/record/event-run.h"
#include "cmd/record/recording.h"
#include "cmd/record/subject.h"
#include "cmd/record/tracing.h"
#include "cmd/saved/naming.h"
#include "cmd/top/feed.h"
#include "cmd/top/output.h"
#include "cmd/top/screen.h"
#include "cmd/top/terminal.h"
#include "cmd/ui.h"
#include "profile/model/profile.h"

struct top_options {
	struct sprof_common_options common;
	struct sprof_naming naming;
	struct sprof_event_run_options watching;
	double rate_hz, max_overhead;
	uint64_t interval_ns;
};

#define FIELD(name) offsetof(struct top_options, name)

_Static_assert(offsetof(struct top_options, common) == 0,
	"main.c reads the common options of any command");

/* More often, names would take the time. */
static const uint64_t interval_least_ns = 500ull * SPROF_NS_PER_MS;

static const struct top_options defaults = {
	.naming.debuginfod_limit_ns = SPROF_DEBUGINFOD_LIMIT_NS,
	.rate_hz = 49,
	.max_overhead = 0.03,
	.interval_ns = SPROF_NS_PER_S,
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
	SPROF_EVENT_RUN_GROUPS("What to watch", FIELD(watching)),
	{"What to watch", sprof_processes_all_table, FIELD(watching)},
	{"Sampling", sampling_table},
	{"Sampling", sprof_recording_foreign_table},
	{"Names", sprof_naming_table, FIELD(naming)},
	{"General", sprof_common_option_table},
	{0},
};

enum { TIMELINE_MAX = 100 * 1000, STACKS_MAX = 100 * 1000 }; /* of one period */

struct watch {
	const struct top_options *options;
	char **environment;
	char *command;
	struct sprof_signals signals;
	struct sprof_channel_reader reader; /* of the screen's orders */
	int orders[2];
	struct sprof_modules *modules;
	struct sprof_unwinder *unwinder;
	struct sprof_profile *profile; /* of the current period */
	struct sprof_tracing tracing;
	struct sprof_top_feed feed;
	struct sprof_top_output output;
	struct sprof_top_screen screen;
	struct sprof_error screen_error;
	bool screen_failed;
	pthread_t drawer;
	bool draws; /* the drawing thread runs, and must be joined */
};

/* Returns NULL if out of memory. */
static struct sprof_profile *begin_profile(const struct watch *watch, uint64_t begin_ns)
{
	struct sprof_profile *profile = sprof_profile_create(watch->modules);

	if (!profile || !sprof_command_line_describe(profile, watch->command, begin_ns) ||
		!sprof_profile_set_place(profile, sprof_host_name(), sprof_rank_find())) {
		sprof_profile_destroy(profile);
		return NULL;
	}
	sprof_profile_set_kernel(profile,
		&(struct sprof_profile_kernel){.syscall_name = sprof_syscall_name, .frames = true});
	sprof_profile_set_timeline(profile, TIMELINE_MAX, begin_ns);
	sprof_profile_set_max_stacks(profile, STACKS_MAX);
	return profile;
}

static bool may_end_period(void *data)
{
	struct watch *watch = data;

	return sprof_top_feed_is_free(&watch->feed);
}

static void hand_over(struct watch *watch)
{
	sprof_profile_set_quality(watch->profile, &watch->tracing.quality);
	sprof_top_feed_put(&watch->feed, watch->profile);
	watch->profile = NULL;
}

static bool end_period(void *data, uint64_t end_ns, struct sprof_sink *sink)
{
	struct watch *watch = data;
	struct sprof_profile *next = begin_profile(watch, end_ns);

	if (!next)
		return false;
	hand_over(watch);
	watch->profile = next;
	*sink = sprof_profile_sink(next);
	return true;
}

/* All threads block the signals that end sprof: it must not end before the screen is restored. */
static void block_signals(struct watch *watch, bool launched)
{
	sigset_t resizing;

	sprof_signals_block(&watch->signals, launched);
	sigaddset(&watch->signals.control, SIGQUIT);
	sprof_signals_switch(&watch->signals, &watch->reader);
	sigemptyset(&resizing);
	sigaddset(&resizing, SIGWINCH);
	sigprocmask(SIG_BLOCK, &resizing, NULL);
}

static bool create_parts(
	struct watch *watch, struct sprof_subject *subject, struct sprof_error *err)
{
	const struct sprof_unwinder_options unwinding = {
		.max_depth = SPROF_UNWIND_DEFAULT_DEPTH,
		.signature_mask = sprof_regs_signature_mask(),
	};

	watch->environment = sprof_environment_take();
	watch->modules = sprof_modules_create();
	watch->command = sprof_subject_describe(subject);
	if (!watch->environment || !watch->modules || !watch->command)
		return sprof_error_no_memory(err);
	subject->environment = watch->environment;
	watch->profile = begin_profile(watch, sprof_clock_now_ns());
	if (!watch->profile)
		return sprof_error_no_memory(err);
	return sprof_unwinder_create(watch->modules, &unwinding, &watch->unwinder, err);
}

static void destroy_parts(struct watch *watch)
{
	sprof_profile_destroy(watch->profile);
	sprof_unwinder_destroy(watch->unwinder);
	sprof_modules_destroy(watch->modules);
	free(watch->environment);
	free(watch->command);
}

/* When the user leaves the screen, sampling ends and the program gets the terminal back. */
static void *show(void *data)
{
	struct watch *watch = data;

	watch->screen_failed = !sprof_top_screen_run(&watch->screen, &watch->screen_error);
	sprof_top_feed_close(&watch->feed);
	sprof_top_output_show(&watch->output);
	(void)!write(watch->orders[1], "stop\n", 5);
	return NULL;
}

static bool start_screen(struct watch *watch, struct sprof_error *err)
{
	int errnum;

	watch->screen = (struct sprof_top_screen){
		.command = watch->command,
		.feed = &watch->feed,
		.output = &watch->output,
		.ending = &watch->signals.control,
		.short_names = watch->options->naming.short_names,
		.orders = watch->orders[1],
	};
	errnum = pthread_create(&watch->drawer, NULL, show, watch);
	watch->draws = !errnum;
	return watch->draws || sprof_error_errno(err, errnum, "start a thread");
}

/* Until the screen has gone. */
static void wait_for_screen(struct watch *watch)
{
	if (watch->draws)
		pthread_join(watch->drawer, NULL);
	watch->draws = false;
}

/* finish_helpers() undoes the steps that were completed. */
static bool start_helpers(struct watch *watch, struct sprof_error *err)
{
	if (pipe2(watch->orders, O_CLOEXEC))
		return sprof_error_errno(err, errno, "make a pipe");
	if (!sprof_channel_reader_start(
		    &watch->reader, &(struct sprof_channel){watch->orders[0], -1}, err))
		goto no_reader;
	if (!sprof_top_feed_start(&watch->feed, &watch->options->naming, watch->modules, err))
		goto no_feed;
	if (start_screen(watch, err))
		return true;
	sprof_top_feed_finish(&watch->feed);
no_feed:
	sprof_channel_reader_finish(&watch->reader);
no_reader:
	close(watch->orders[0]);
	close(watch->orders[1]);
	return false;
}

static void finish_helpers(struct watch *watch)
{
	wait_for_screen(watch);
	sprof_channel_reader_finish(&watch->reader);
	sprof_top_feed_finish(&watch->feed);
	close(watch->orders[0]);
	close(watch->orders[1]);
}

static void describe_end(const struct watch *watch, char *words, size_t size)
{
	const struct sprof_tracing *tracing = &watch->tracing;
	const int status = tracing->wait_status;

	if (tracing->sampling_failed)
		snprintf(words, size, "%.100s", tracing->error.message);
	else if (tracing->program_ended && WIFSIGNALED(status))
		snprintf(words, size, "killed by signal %d (SIG%s)", WTERMSIG(status),
			sprof_signal_name(WTERMSIG(status)) ? sprof_signal_name(WTERMSIG(status))
							    : "?");
	else if (tracing->program_ended)
		snprintf(words, size, "ended with exit code %d", WEXITSTATUS(status));
	else
		snprintf(words, size, "sampling has ended");
}

/* Sampling has ended: the screen keeps the last figures, unless a signal ended the run. */
static void end_sampling(struct watch *watch)
{
	char words[SPROF_TOP_END];

	if (watch->signals.ended_by || !watch->tracing.begun || watch->tracing.goes_on)
		sprof_top_feed_close(&watch->feed);
	describe_end(watch, words, sizeof(words));
	hand_over(watch);
	sprof_top_feed_end(&watch->feed, words);
}

static bool trace(struct watch *watch, const struct sprof_subject *subject, struct sprof_error *err)
{
	struct sprof_tracing *tracing = &watch->tracing;

	if (!sprof_tracing_sample(tracing, err)) {
		sprof_top_feed_close(&watch->feed);
		return false;
	}
	end_sampling(watch);
	if (tracing->goes_on) {
		wait_for_screen(watch);
		sprof_ui_progress("%s continues; Ctrl-C ends it", subject->arguments[0]);
	}
	sprof_tracing_finish(tracing);
	sprof_channel_reader_end(&watch->reader);
	if (!tracing->begun)
		*err = tracing->error;
	return tracing->begun;
}

static int exit_code(const struct watch *watch)
{
	if (watch->tracing.program_ended)
		return sprof_exit_of_program(watch->tracing.wait_status);
	return watch->signals.launched && watch->signals.ended_by ? 128 + watch->signals.ended_by
								  : 0;
}

static bool watch_run(struct watch *watch, struct sprof_subject *subject, struct sprof_error *err)
{
	bool traced;

	watch->tracing = (struct sprof_tracing){
		.subject = subject,
		.modules = watch->modules,
		.unwinder = watch->unwinder,
		.signals = &watch->signals,
		.sampling =
			{
				.rate_hz = watch->options->rate_hz,
				.max_overhead = watch->options->max_overhead,
				.duration_ns = watch->options->watching.duration_ns,
				.linger_ns = subject->arguments ? SPROF_TRACING_LINGER_NS : 0,
				.period_ns = watch->options->interval_ns,
			},
		.sink = sprof_profile_sink(watch->profile),
		.periods = {watch, may_end_period, end_period},
		.has_screen = true,
	};
	if (!start_helpers(watch, err))
		return false;
	traced = trace(watch, subject, err);
	finish_helpers(watch);
	if (traced && watch->screen_failed)
		*err = watch->screen_error;
	return traced && !watch->screen_failed;
}

/* *ret_exit: the program's exit code; 0 for an attached process. */
static bool top_watch(const struct top_options *options, struct sprof_subject *subject,
	int *ret_exit, struct sprof_error *err)
{
	struct watch watch = {.options = options, .output.kept = -1};
	bool done;

	block_signals(&watch, subject->arguments);
	done = create_parts(&watch, subject, err) &&
		sprof_top_output_begin(&watch.output, subject->arguments, err) &&
		watch_run(&watch, subject, err);
	sprof_top_output_finish(&watch.output);
	*ret_exit = exit_code(&watch);
	destroy_parts(&watch);
	return done;
}

/* Nothing is written to stdout, and a reader of a pipe there would expect a profile. */
static bool check_stdout(const struct top_options *options, struct sprof_error *err)
{
	if (!options->watching.processes.pid || isatty(STDOUT_FILENO))
		return true;
	sprof_error_set(
		err, SPROF_ERROR_USAGE, "sprof top needs a terminal, and stdout is not one");
	return sprof_error_hint(err,
		"sprof attach -p %d -d 10s writes a profile into a pipe or a file",
		(int)options->watching.processes.pid);
}

static bool check(
	const struct top_options *options, char *const operands[], struct sprof_error *err)
{
	if (!sprof_event_run_check("top", &options->watching, operands, err))
		return false;
	if (options->interval_ns < interval_least_ns)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "--interval takes at least 500ms");
	return check_stdout(options, err) && sprof_top_terminal_check(err);
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	const struct top_options *options = data;
	struct sprof_subject subject = sprof_subject_of(&options->watching.processes);

	subject.arguments = operands[0] ? operands : NULL;
	subject.follow_children =
		sprof_processes_follow_children(&options->watching.processes, operands[0]);
	return check(options, operands, err) && top_watch(options, &subject, ret_exit, err);
}

const struct sprof_command sprof_command_top = {
	.name = "top",
	.summary = "Watch live where the time of a program goes",
	.synopsis = "-p PID[,PID]... | [--] PROGRAM [ARGUMENT...]",
	.details =
		"? shows the keys, q leaves; the program continues. The program's output to the terminal\n"
		"appears when the screen closes. If its stdin is the terminal, its stdin is empty. Other\n"
		"streams stay as they are.\n\n"
		"  sprof top -p 4711\n"
		"  sprof top -- ./server --port 8080\n",
	.groups = groups,
	.hidden = "verbose " SPROF_NAMING_HIDDEN,
	.processes = FIELD(watching),
	.processes_use = SPROF_PROCESSES_MANY | SPROF_PROCESSES_THREADS,
	.defaults = &defaults,
	.options_size = sizeof(struct top_options),
	.run = run,
};
