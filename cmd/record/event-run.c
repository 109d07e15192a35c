/* A run that traces events instead of sampling. Does not interpret the events. */
#include "cmd/record/event-run.h"

#include <stdlib.h>

#include "attach/proc/perf-map.h"
#include "attach/regs/regs.h"
#include "attach/tracers/program.h"
#include "base/clock.h"
#include "base/syscall-name.h"
#include "cmd/cli/command-line.h"
#include "cmd/cli/environment.h"
#include "cmd/cli/option-values.h"
#include "cmd/record/subject.h"
#include "cmd/record/writing.h"
#include "events/syscalls/filter.h"

enum { TIMELINE_MAX = 1000 * 1000 }; /* as a recording's */

#define FIELD(name) offsetof(struct sprof_event_run_options, name)

const struct sprof_option sprof_event_run_table[] = {
	{"duration", "d", "TIME", "stop after TIME: 10s, 500ms, 1m30s (at the end of the program)",
		sprof_value_duration, FIELD(duration_ns)},
	{0},
};

bool sprof_event_run_check(const char *command, const struct sprof_event_run_options *options,
	char *const operands[], struct sprof_error *err)
{
	const pid_t pid = options->processes.pid;

	if (pid && operands[0])
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"%s takes a process or a program, not both", command);
	if (pid || operands[0])
		return true;
	sprof_error_set(
		err, SPROF_ERROR_USAGE, "%s needs a program to start, or a process", command);
	return sprof_error_hint(err, "for example: sprof %s -- ls -l, or: sprof %s -p 4711 -d 10s",
		command, command);
}

static bool create_parts(struct sprof_event_run *watching)
{
	const struct sprof_unwinder_options unwinding = {
		.max_depth = SPROF_UNWIND_DEFAULT_DEPTH,
		.signature_mask = sprof_regs_signature_mask(),
	};
	struct sprof_error err = {0};

	watching->environment = sprof_environment_take();
	watching->modules = sprof_modules_create();
	watching->command = sprof_subject_describe(&watching->subject);
	if (!watching->environment || !watching->modules || !watching->command)
		return false;
	watching->profile = sprof_profile_create(watching->modules);
	if (!watching->profile ||
		!sprof_command_line_describe(
			watching->profile, watching->command, sprof_clock_now_ns()))
		return false;
	/* Without samples there is no time but that of threads. */
	watching->profile->kinds.has_times = false;
	return sprof_unwinder_create(watching->modules, &unwinding, &watching->unwinder, &err);
}

bool sprof_event_run_init(struct sprof_event_run *watching,
	const struct sprof_event_run_options *options, char *const operands[],
	struct sprof_error *err)
{
	const bool launches = operands[0];

	*watching = (struct sprof_event_run){.subject = sprof_subject_of(&options->processes)};
	watching->subject.arguments = launches ? operands : NULL;
	watching->subject.follow_children =
		sprof_processes_follow_children(&options->processes, launches);
	sprof_signals_block(&watching->signals, launches);
	if (!create_parts(watching))
		return sprof_error_no_memory(err);
	watching->subject.environment = watching->environment;
	watching->tracing = (struct sprof_tracing){
		.subject = &watching->subject,
		.modules = watching->modules,
		.unwinder = watching->unwinder,
		.signals = &watching->signals,
		.sampling =
			{
				.rate_hz = 1,
				.no_samples = true,
				.duration_ns = options->duration_ns,
				.linger_ns = launches ? SPROF_TRACING_LINGER_NS : 0,
			},
		.sink = sprof_profile_sink(watching->profile),
	};
	return true;
}

bool sprof_event_run_calls(struct sprof_event_run *watching, const int64_t *numbers, size_t count,
	struct sprof_error *err)
{
	struct sprof_subject *subject = &watching->subject;

	subject->calls = SPROF_CALLS_ALL;
	if (!count || !subject->arguments || !subject->follow_children ||
		watching->tracing.sampling.duration_ns)
		return true;
	/* It must be detached at its end, which a filter prevents. */
	if (sprof_program_will_check_leaks(subject->arguments[0]))
		return true;
	if (!sprof_call_filter_create(numbers, count, &watching->filter, err))
		return false;
	subject->calls = SPROF_CALLS_SELECTED;
	subject->filter = &watching->filter;
	watching->tracing.sampling.linger_ns = 0;
	return true;
}

void sprof_event_run_sample(struct sprof_event_run *watching, double rate_hz)
{
	watching->tracing.sampling.no_samples = false;
	watching->tracing.sampling.rate_hz = rate_hz;
	watching->profile->kinds.has_times = true;
	sprof_profile_set_kernel(watching->profile,
		&(struct sprof_profile_kernel){.syscall_name = sprof_syscall_name, .frames = true});
	sprof_profile_set_timeline(watching->profile, TIMELINE_MAX, sprof_clock_now_ns());
}

static int exit_code_of(const struct sprof_event_run *watching)
{
	const struct sprof_tracing *tracing = &watching->tracing;

	/* The end of a process that was running already is its own matter. */
	if (!watching->subject.arguments)
		return 0;
	if (!tracing->program_ended)
		return watching->signals.ended_by ? 128 + watching->signals.ended_by : 0;
	return sprof_exit_of_program(tracing->wait_status);
}

bool sprof_event_run_run(struct sprof_event_run *watching, int *ret_exit, struct sprof_error *err)
{
	struct sprof_tracing *tracing = &watching->tracing;

	if (!sprof_tracing_sample(tracing, err))
		return false;
	sprof_tracing_finish(tracing);
	sprof_signals_release(&watching->signals);
	if (!tracing->begun || tracing->sampling_failed) {
		*err = tracing->error;
		return false;
	}
	*ret_exit = exit_code_of(watching);
	return true;
}

bool sprof_event_run_name(struct sprof_event_run *watching, const struct sprof_naming *options,
	struct sprof_error *err)
{
	struct sprof_profile *profile = watching->profile;

	sprof_perf_map_open_all(watching->modules);
	if (!sprof_writing_name(options, profile, true, "naming the stacks", err))
		return false;
	if (profile->kinds.has_times)
		sprof_profile_set_quality(profile, &watching->tracing.quality);
	return true;
}

void sprof_event_run_finish(struct sprof_event_run *watching)
{
	free(watching->command);
	sprof_call_filter_free(&watching->filter);
	sprof_profile_destroy(watching->profile);
	sprof_unwinder_destroy(watching->unwinder);
	sprof_modules_destroy(watching->modules);
	free(watching->environment);
}
