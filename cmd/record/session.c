/*
 * The wiring of a recording: its objects, their owners, and the order in which they are created and
 * destroyed.
 */
#include "cmd/record/session.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "attach/proc/procfs.h"
#include "attach/regs/regs.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/module.h"
#include "base/proc.h"
#include "base/record.h"
#include "base/syscall-name.h"
#include "cmd/cli/command-line.h"
#include "cmd/cli/environment.h"
#include "cmd/cli/mpi-rank.h"
#include "cmd/record/channel-reader.h"
#include "cmd/record/exact-waits.h"
#include "cmd/record/kernel-functions.h"
#include "cmd/record/page-faults.h"
#include "cmd/record/partial-profile.h"
#include "cmd/record/subject.h"
#include "cmd/record/why.h"
#include "cmd/ui.h"
#include "elfsym/symlist/symlist.h"
#include "profile/answer/faults.h"
#include "profile/model/measured-waits.h"
#include "profile/model/profile.h"

struct session {
	const struct sprof_recording *options;
	char **environment;
	char *command;
	struct sprof_signals signals;
	struct sprof_channel_reader reader;
	struct sprof_partial partial;
	struct sprof_modules *modules;
	struct sprof_unwinder *unwinder;
	struct sprof_symlist *kernel;  /* the kernel's functions; NULL: not wanted, or hidden */
	struct sprof_profile *profile; /* of the current period */
	uint64_t earlier_samples;      /* of the periods before */
	struct sprof_page_faults faults;
	struct sprof_why why;
	const struct sprof_event_source *events[SPROF_WHY_EVENTS];
	struct sprof_tracing tracing;
	sem_t written;
};

struct machine_load {
	uint64_t worked_ticks;
	bool is_known;
};

/* Call it at the start of the recording. */
static struct machine_load machine_load_begin(void)
{
	struct sprof_proc_cpus cpus;
	char text[256];

	if (sprof_proc_read_path("/proc/stat", text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_cpus(text, &cpus))
		return (struct machine_load){0};
	return (struct machine_load){cpus.worked_ticks, true};
}

/*
 * Call it at the end. Sets the machine's figures, if the recording covers all the time since the
 * start.
 */
static void machine_load_end(const struct machine_load *begin, struct sprof_quality *quality)
{
	const struct machine_load now = machine_load_begin();
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN), ticks_per_s = sysconf(_SC_CLK_TCK);

	if (!begin->is_known || !now.is_known || cpus <= 0 || ticks_per_s <= 0)
		return;
	quality->cpus = (uint64_t)cpus;
	quality->machine_cpu_ns =
		(now.worked_ticks - begin->worked_ticks) * (SPROF_NS_PER_S / (uint64_t)ticks_per_s);
}

/* --to as a duration, which counts from the end of the delay. */
static bool settle_end(struct sprof_recording *options, struct sprof_error *err)
{
	uint64_t duration = options->to_ns - options->delay_ns;

	if (!options->to_ns)
		return true;
	if (options->to_ns <= options->delay_ns)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "--to is not after --from");
	if (!options->duration_ns || duration < options->duration_ns)
		options->duration_ns = duration;
	return true;
}

/* A delay needs no control: it ends after its time. */
static bool check_start(const struct sprof_recording *options, struct sprof_error *err)
{
	if (options->exact_waits && options->mode == SPROF_MODE_CPU)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"--waits=exact and --mode cpu exclude each other: a waiting thread is on "
			"no CPU");
	if (options->start_off && options->delay_ns)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"--start-off excludes --delay: it ends when sampling is "
			"switched on");
	return true;
}

static bool check_weight(const struct sprof_recording *options, struct sprof_error *err)
{
	const char *name = options->shown.weight;
	enum sprof_weight weight;

	return (name && options->faults.wanted && sprof_faults_has_kind(name)) ||
		sprof_report_options_find_weight(name, &weight, err);
}

/* Faults are counted from the start to the end. */
static bool check_faults(const struct sprof_recording *options, struct sprof_error *err)
{
	if (options->faults.wanted &&
		(options->start_off || options->delay_ns || options->channel.lines >= 0))
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"--faults counts from the start to the end: it excludes --delay, "
			"--start-off and --control");
	return true;
}

/* The kernel lets only root read its stacks (fs/proc/base.c: proc_pid_stack). */
static void warn_of_kernel_stacks(const struct sprof_recording *options)
{
	SPROF_AUTO_CLOSE int fd = sprof_proc_open(SPROF_PROC_SELF, 0, "stack");
	char byte;

	if (options->kernel == SPROF_KERNEL_STACK && (fd < 0 || read(fd, &byte, 1) < 0))
		sprof_ui_note(
			"--kernel stack needs root: stacks will show the system call instead of "
			"kernel frames");
}

bool sprof_session_prepare(struct sprof_recording *options, struct sprof_error *err)
{
	const struct sprof_placeholders_moment now = sprof_placeholders_now();
	const enum sprof_stdout wanted = sprof_report_options_asks_for_text(&options->shown)
		? SPROF_STDOUT_REPORT
		: SPROF_STDOUT_SUMMARY;

	options->shown.output.short_names = options->naming.short_names;
	if (!check_weight(options, err) || !settle_end(options, err) ||
		!check_start(options, err) || !check_faults(options, err) ||
		!sprof_outputs_settle(&options->shown.outputs, wanted, err) ||
		!sprof_recording_check_periods(options, err) ||
		!sprof_recording_check_why(options, err) ||
		!sprof_recording_rename(options, &now, err) ||
		(options->stats_path &&
			!sprof_outputs_check_stats(
				&options->shown.outputs, options->stats_path, err)))
		return false;
	warn_of_kernel_stacks(options);
	if (!options->every_ns)
		sprof_outputs_keep(&options->shown.outputs, options->common.quiet);
	return true;
}

int sprof_session_exit(const struct sprof_session_result *result)
{
	int code = sprof_outputs_exit(&result->written);

	return !code && result->cut_short ? SPROF_EXIT_PARTIAL : code;
}

/* The name of the weight has been checked. */
static void begin_faults(struct sprof_profile *profile, const struct sprof_report_options *shown)
{
	sprof_faults_begin_profile(profile);
	if (shown->weight)
		(void)!sprof_profile_find_weight(profile, shown->weight, &profile->kinds.shown);
}

/* A new profile, for all samples from then on. Returns NULL if out of memory. */
static struct sprof_profile *begin_profile(const struct session *session, uint64_t begin_ns)
{
	struct sprof_profile *profile = sprof_profile_create(session->modules);

	if (!profile || !sprof_command_line_describe(profile, session->command, begin_ns) ||
		!sprof_profile_set_place(profile, sprof_host_name(), sprof_rank_find())) {
		sprof_profile_destroy(profile);
		return NULL;
	}
	sprof_profile_set_kernel(profile,
		&(struct sprof_profile_kernel){
			.syscall_name = sprof_syscall_name,
			.function_name = session->kernel ? sprof_kernel_functions_name : NULL,
			.data = session->kernel,
			.frames = session->options->kernel != SPROF_KERNEL_NONE,
		});
	if (session->options->exact_waits || session->options->why)
		sprof_profile_expect_waits(profile);
	sprof_profile_set_timeline(profile, session->options->timeline_max, begin_ns);
	sprof_profile_set_max_stacks(profile, session->options->max_stacks);
	profile->slice_ns = session->options->slice_ns;
	if (session->options->faults.wanted)
		begin_faults(profile, &session->options->shown);
	return profile;
}

static bool may_end_period(void *data)
{
	struct session *session = data;

	return sprof_partial_is_ready(&session->partial);
}

/* The next file gets another name, even if the clock was set back. */
static void move_on(struct sprof_placeholders_moment *moment)
{
	const time_t now = time(NULL);

	moment->time = now > moment->time ? now : moment->time + 1;
	moment->number++;
}

/* The process that writes the old profile has its own copy of it. */
static bool end_period(void *data, uint64_t end_ns, struct sprof_sink *sink)
{
	struct session *session = data;
	struct sprof_profile *next = begin_profile(session, end_ns);

	if (!next)
		return false;
	if (!sprof_partial_start(&session->partial)) {
		sprof_profile_destroy(next);
		return false;
	}
	session->earlier_samples += sprof_quality_samples(&session->tracing.quality);
	sprof_profile_destroy(session->profile);
	session->profile = session->partial.profile = next;
	*sink = sprof_profile_sink(next);
	move_on(&session->partial.moment);
	return true;
}

/*
 * Returns NULL if the kernel hides the addresses of its functions, as it usually does from ordinary
 * users.
 */
static struct sprof_symlist *kernel_functions_or_note(void)
{
	struct sprof_symlist *functions = sprof_kernel_functions_open();
	char level[16];

	if (!functions &&
		sprof_proc_read_path("/proc/sys/kernel/kptr_restrict", level, sizeof(level)) > 0 &&
		level[0] == '2')
		sprof_ui_note("kernel functions of running threads are not shown: "
			      "kernel.kptr_restrict is 2, and 1 shows them to root");
	return functions;
}

static bool session_init(
	struct session *session, struct sprof_subject *subject, struct sprof_error *err)
{
	const struct sprof_unwinder_options unwinding = {
		.max_depth = session->options->max_depth,
		.signature_mask = sprof_regs_signature_mask(),
	};

	session->environment = sprof_environment_take();
	session->modules = sprof_modules_create();
	session->command = sprof_subject_describe(subject);
	if (!session->environment || !session->modules || !session->command)
		return sprof_error_no_memory(err);
	subject->environment = session->environment;
	if (session->options->kernel == SPROF_KERNEL_STACK &&
		session->options->source != SPROF_RUNNING_STOP)
		session->kernel = kernel_functions_or_note();
	session->profile = begin_profile(session, sprof_clock_now_ns());
	if (!session->profile)
		return sprof_error_no_memory(err);
	session->partial = (struct sprof_partial){
		.options = session->options,
		.profile = session->profile,
		.modules = session->modules,
		.quality = &session->tracing.quality,
		.moment = sprof_placeholders_now(),
		.busy = -1,
	};
	session->signals.snapshot = sprof_partial_take;
	session->signals.snapshot_data = &session->partial;
	return sprof_unwinder_create(session->modules, &unwinding, &session->unwinder, err);
}

/* The reader starts with its signal blocked already. */
static bool begin_control(struct session *session, struct sprof_error *err)
{
	const struct sprof_channel *channel = &session->options->channel;
	const bool has_channel = channel->lines >= 0;

	sprof_signals_switch(&session->signals, has_channel ? &session->reader : NULL);
	if (!has_channel || sprof_channel_reader_start(&session->reader, channel, err))
		return true;
	session->signals.reader = NULL;
	return false;
}

static void session_finish(struct session *session)
{
	if (session->signals.reader)
		sprof_channel_reader_finish(&session->reader);
	sprof_partial_finish(&session->partial);
	sprof_page_faults_finish(&session->faults);
	sprof_why_finish(&session->why);
	sprof_profile_destroy(session->profile);
	sprof_unwinder_destroy(session->unwinder);
	sprof_modules_destroy(session->modules);
	sprof_symlist_destroy(session->kernel);
	free(session->environment);
	free(session->command);
}

static struct sprof_written write_all(struct session *session)
{
	struct sprof_written written;

	sprof_partial_finish(&session->partial);
	if (session->tracing.sampling_failed)
		sprof_ui_error(&session->tracing.error);
	sprof_page_faults_note(&session->faults);
	written = sprof_partial_write(&session->partial, true);
	if (session->options->every_ns)
		written.failed += session->partial.failures;
	return written;
}

/* Signals and control lines are no longer handled. */
static void end_tracing(struct session *session)
{
	sprof_tracing_finish(&session->tracing);
	sprof_signals_release(&session->signals);
	if (session->signals.reader)
		sprof_channel_reader_end(&session->reader);
}

/*
 * While the program runs, the first signal is forwarded to it, and a second one releases it. After
 * that, the next signal ends sprof's writing.
 */
static void *hand_over_signals(void *data)
{
	struct session *session = data;

	end_tracing(session);
	while (sem_wait(&session->written) && errno == EINTR)
		;
	return NULL;
}

/* Writes while a program that outlives its sampling runs on; returns when both are done. */
static struct sprof_written write_during_run(struct session *session)
{
	struct sprof_written written;
	pthread_t thread;
	bool watched;

	sem_init(&session->written, 0, 0);
	watched = !pthread_create(&thread, NULL, hand_over_signals, session);
	written = write_all(session);
	sem_post(&session->written);
	if (watched)
		pthread_join(thread, NULL);
	else
		sprof_tracing_finish(&session->tracing);
	sem_destroy(&session->written);
	return written;
}

/* Whether the recording is continuous and in one piece. */
static bool has_all_time(const struct session *session)
{
	const struct sprof_recording *options = session->options;

	return !options->every_ns && !options->delay_ns && !options->start_off &&
		!session->tracing.quality.off_ns;
}

/*
 * Writes after the target has ended or was released, or while a program that outlives its sampling
 * runs on.
 */
static bool record(
	struct session *session, struct sprof_session_result *ret, struct sprof_error *err)
{
	struct sprof_tracing *tracing = &session->tracing;
	const struct machine_load before = machine_load_begin();

	if (!sprof_tracing_sample(tracing, err) ||
		!sprof_why_settle(&session->why, session->options->wait, err))
		return false;
	if (has_all_time(session))
		machine_load_end(&before, &tracing->quality);
	if (tracing->goes_on) {
		ret->written = write_during_run(session);
	} else {
		end_tracing(session);
		if (tracing->begun)
			ret->written = write_all(session);
	}
	if (!tracing->begun)
		*err = tracing->error;
	return tracing->begun;
}

static void fill_result(const struct session *session, struct sprof_session_result *ret)
{
	const struct sprof_quality *quality = &session->tracing.quality;

	ret->program_ended = session->tracing.program_ended;
	ret->wait_status = session->tracing.wait_status;
	ret->program_left = session->tracing.program_left;
	ret->ended_by = session->signals.ended_by;
	ret->samples = session->earlier_samples + sprof_quality_samples(quality);
	ret->cut_short = session->tracing.sampling_failed;
}

bool sprof_session_run(const struct sprof_recording *options, struct sprof_subject *subject,
	struct sprof_session_result *ret, struct sprof_error *err)
{
	struct session session = {.options = options, .partial = {.busy = -1}};
	enum sprof_exact_waits exact_waits;
	struct sprof_sampler_options source = {0};
	bool recorded;

	*ret = (struct sprof_session_result){0};
	sprof_signals_block(&session.signals, subject->arguments);
	subject->tasks |= options->faults.wanted;
	recorded = session_init(&session, subject, err) &&
		sprof_running_source_choose(options->source, &source, err) &&
		(!options->why || sprof_why_begin(&session.why, subject, session.profile, err)) &&
		sprof_exact_waits_choose(options->exact_waits || options->why, &exact_waits, err) &&
		sprof_page_faults_begin(&session.faults, &options->faults, subject->follow_children,
			&session.profile, err) &&
		begin_control(&session, err);
	if (recorded && options->why)
		sprof_why_check_outputs(&options->shown.outputs);
	if (recorded) {
		session.tracing = (struct sprof_tracing){
			.subject = subject,
			.modules = session.modules,
			.unwinder = session.unwinder,
			.python = options->python,
			.signals = &session.signals,
			.sampling =
				{
					.rate_hz = options->rate_hz,
					.duration_ns = options->duration_ns,
					.max_overhead = options->max_overhead,
					.delay_ns = options->delay_ns,
					.starts_off = options->start_off,
					.linger_ns = subject->arguments && !options->wait
						? SPROF_TRACING_LINGER_NS
						: 0,
					.period_ns = options->every_ns,
					.mode = options->mode,
					.goroutines = options->goroutines,
					.cpus = options->cpus,
					.kernel_stacks = options->kernel == SPROF_KERNEL_STACK,
					.by_kernel = source.by_kernel,
					.timers_denied = source.timers_denied,
					.exact_waits = exact_waits,
					.heirs = !subject->tids,
					.processes = subject->follow_children,
				},
			.sink = session.why.wakeups ? sprof_critical_log_sink(&session.why.log)
						    : sprof_profile_sink(session.profile),
			.periods = {&session, may_end_period, end_period},
			.events = sprof_why_list(&session.why, &session.faults, session.events),
		};
		recorded = record(&session, ret, err);
		fill_result(&session, ret);
	}
	session_finish(&session);
	return recorded;
}
