/*
 * The head of the report: what was profiled, and how reliable the figures are. Reads only the
 * quality block, and mentions nothing that was not measured.
 */
#include "output/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strings.h"
#include "output/faults-words.h"
#include "output/units.h"
#include "profile/answer/doubts.h"
#include "profile/model/measured-waits.h"

enum { FAULTS_ROOM = 60 /* characters of a name */ };

/* Where: all processes of a recording are on one host, those of merged ones may be on several. */
static void write_hosts(const struct sprof_text *text)
{
	const struct sprof_profile *profile = text->profile;
	const char *host = profile->process_count ? profile->processes[0].host : NULL;

	for (size_t i = 1; i < profile->process_count; i++) {
		const char *other = profile->processes[i].host;

		if (!host || !other || strcmp(host, other) != 0)
			return;
	}
	if (host)
		sprof_out_printf(text->out, " on %s", host);
}

static void write_origin(const struct sprof_text *text)
{
	const time_t start = (time_t)(text->profile->start_realtime_ns / SPROF_NS_PER_S);
	struct tm local;
	char when[64];

	if (!start || !localtime_r(&start, &local) ||
		!strftime(when, sizeof(when), "%F %T %z", &local))
		return;
	sprof_out_printf(text->out, "  recorded    %s", when);
	write_hosts(text);
	sprof_out_puts(text->out, "\n");
}

static void write_target(const struct sprof_text *text)
{
	const struct sprof_quality *quality = &text->profile->quality;

	sprof_out_printf(text->out,
		"  target      pid %d, %" PRIu64 " process%s, %" PRIu64 " thread%s\n",
		quality->target_pid, quality->processes_seen,
		quality->processes_seen == 1 ? "" : "es", quality->threads_seen,
		sprof_string_plural(quality->threads_seen));
	sprof_out_printf(text->out, "  duration    %s at %.6g Hz",
		sprof_figure_time(quality->duration_ns).text, quality->rate_hz);
	if (quality->off_ns)
		sprof_out_printf(text->out, ", with sampling off for another %s",
			sprof_figure_time(quality->off_ns).text);
	sprof_out_puts(text->out, "\n");
	write_origin(text);
}

/* With the one setting that would help. */
static const char *why_denied(uint64_t denied)
{
	switch ((enum sprof_timers_denied)denied) {
	case SPROF_TIMERS_PARANOID:
		return "kernel.perf_event_paranoid is above 1: 1 helps, or CAP_PERFMON";
	case SPROF_TIMERS_SECCOMP:
		return "seccomp forbids it: a profile that allows perf_event_open helps";
	case SPROF_TIMERS_LOCKED_MEMORY:
		return "no locked memory left: more kernel.perf_event_mlock_kb or ulimit -l";
	case SPROF_TIMERS_FILES:
		return "more open files than the limit allows: a larger ulimit -n helps";
	case SPROF_TIMERS_UNSUPPORTED:
		return "this kernel or machine has no such timers; stops need none";
	case SPROF_TIMERS_USER_ONLY:
		return "of its own code: kernel.perf_event_paranoid 1 helps, or CAP_PERFMON";
	case SPROF_TIMERS_PERMITTED:
	case SPROF_TIMERS_OTHER:
		break;
	}
	return "perf_event_open failed";
}

/* Why kernel timers were not used, if requested. */
static void write_timers(const struct sprof_text *text)
{
	const struct sprof_quality *quality = &text->profile->quality;

	if (quality->timers_denied)
		sprof_out_printf(text->out,
			"  by stops    the kernel takes no samples here:\n              %s\n",
			why_denied(quality->timers_denied));
	if (quality->timers_refused)
		sprof_out_printf(text->out,
			"  refused     the kernel gave %" PRIu64
			" thread%s no timer: stops took their samples\n",
			quality->timers_refused, sprof_string_plural(quality->timers_refused));
	if (quality->timers_unfit)
		sprof_out_printf(text->out,
			"  no timers   for %" PRIu64
			" thread%s of Go or Python: their stacks take several copies,\n"
			"              so stops took their samples\n",
			quality->timers_unfit, sprof_string_plural(quality->timers_unfit));
	if (quality->timers_throttled)
		sprof_out_printf(text->out,
			"  throttled   the kernel held a timer back %" PRIu64 " time%s\n",
			quality->timers_throttled, sprof_string_plural(quality->timers_throttled));
}

static void write_certainty(const struct sprof_text *text, uint64_t samples)
{
	const struct sprof_quality *quality = &text->profile->quality;
	const unsigned rate = sprof_doubts_better_rate(quality, samples);

	if (!samples)
		return;
	sprof_out_printf(text->out, "  certainty   a share of 10 %% may be off by %.1f points",
		sprof_doubts_uncertainty((double)samples));
	if (rate)
		sprof_out_printf(text->out, "; more samples: -r %u", rate);
	sprof_out_puts(text->out, "\n");
	if (quality->estimated_ns)
		sprof_out_printf(text->out,
			"  estimate    %s of CPU and run-queue time (%.1f %%), by similar threads\n",
			sprof_figure_time(quality->estimated_ns).text,
			sprof_percent(quality->estimated_ns, quality->running_ns));
}

static void write_samples(const struct sprof_text *text)
{
	const struct sprof_quality *quality = &text->profile->quality;
	const uint64_t samples = sprof_quality_samples(quality);

	sprof_out_printf(text->out,
		"  ticks       %" PRIu64 ", %" PRIu64 " late, %" PRIu64 " missed", quality->ticks,
		quality->ticks_late, quality->ticks_missed);
	if (quality->ticks_held_back)
		sprof_out_printf(text->out, ", %" PRIu64 " held back by --max-overhead",
			quality->ticks_held_back);
	sprof_out_puts(text->out, "\n");
	sprof_out_printf(text->out, "  samples     %" PRIu64 ": ", samples);
	if (quality->samples_by_kernel)
		sprof_out_printf(
			text->out, "%" PRIu64 " by the kernel, ", quality->samples_by_kernel);
	sprof_out_printf(text->out,
		"%" PRIu64 " by a stop, %" PRIu64 " by a peek, %" PRIu64 " reused",
		quality->samples_stopped, quality->samples_peeked, quality->samples_reused);
	if (quality->samples_lost)
		sprof_out_printf(
			text->out, ";\n              %" PRIu64 " lost", quality->samples_lost);
	sprof_out_puts(text->out, "\n");
	write_timers(text);
	write_certainty(text, samples);
}

/* Only for programs with code that lacks unwind tables. */
static void write_ways(const struct sprof_text *text, uint64_t stacks)
{
	const struct sprof_quality *quality = &text->profile->quality;
	uint64_t by_code = quality->stacks_by_code, by_chain = quality->stacks_by_frame_pointer;

	if (!by_code && !by_chain)
		return;
	sprof_out_printf(text->out,
		"  unwound     %.1f %% by unwind tables, %.1f %% by instructions too, %.1f %% by frame pointers too\n",
		sprof_percent(stacks - by_code - by_chain, stacks), sprof_percent(by_code, stacks),
		sprof_percent(by_chain, stacks));
}

/* Only for Python programs: samples with the evaluation loop on the native stack. */
static void write_merges(const struct sprof_text *text)
{
	const uint64_t *merges = text->profile->quality.merges;
	const char *separator = "; not: ";
	uint64_t all = 0;

	for (int i = SPROF_MERGE_MERGED; i < SPROF_MERGE_COUNT; i++)
		all += merges[i];
	if (!all)
		return;
	sprof_out_printf(text->out, "  python      %.1f %% of %" PRIu64 " stacks merged",
		sprof_percent(merges[SPROF_MERGE_MERGED], all), all);
	for (int i = SPROF_MERGE_MERGED + 1; i < SPROF_MERGE_COUNT; i++) {
		if (!merges[i])
			continue;
		sprof_out_printf(text->out, "%s%" PRIu64 " %s", separator, merges[i],
			sprof_merge_name((enum sprof_merge)i));
		separator = ", ";
	}
	sprof_out_puts(text->out, "\n");
}

static void write_stacks(const struct sprof_text *text)
{
	const uint64_t *stacks = text->profile->quality.stacks;
	const char *separator = "; cut: ";
	uint64_t all = 0;

	for (int i = 0; i < SPROF_END_COUNT; i++)
		all += stacks[i];
	if (!all) {
		sprof_out_puts(text->out, "  stacks      none\n");
		return;
	}
	sprof_out_printf(text->out, "  stacks      %.1f %% complete",
		sprof_percent(stacks[SPROF_END_ROOT], all));
	for (int i = 0; i < SPROF_END_COUNT; i++) {
		if (i == SPROF_END_ROOT || !stacks[i])
			continue;
		sprof_out_printf(text->out, "%s%" PRIu64 " %s", separator, stacks[i],
			sprof_end_name((enum sprof_end)i));
		separator = ", ";
	}
	sprof_out_puts(text->out, "\n");
	write_ways(text, all);
	write_merges(text);
}

static void write_cost(const struct sprof_text *text)
{
	const struct sprof_quality *quality = &text->profile->quality;

	sprof_out_printf(text->out,
		"  stopped     %" PRIu64 " stop%s, %s in all;\n"
		"              p50 %s, p95 %s, p99 %s, longest %s\n",
		quality->stops, sprof_string_plural(quality->stops),
		sprof_figure_time(quality->stop_ns_total).text,
		sprof_figure_time(quality->stop_ns_p50).text,
		sprof_figure_time(quality->stop_ns_p95).text,
		sprof_figure_time(quality->stop_ns_p99).text,
		sprof_figure_time(quality->stop_ns_max).text);
	sprof_out_printf(text->out, "  own CPU     %s, unwinding %s of it\n",
		sprof_figure_time(quality->profiler_cpu_ns).text,
		sprof_figure_time(quality->unwind_ns_total).text);
}

static void write_gaps(const struct sprof_text *text)
{
	const struct sprof_quality *quality = &text->profile->quality;

	sprof_out_printf(text->out, "  unresolved  %" PRIu64 " address%s without a name\n",
		quality->frames_unresolved, quality->frames_unresolved == 1 ? "" : "es");
	if (quality->schedstat_missing)
		sprof_out_puts(text->out,
			"  run queue   unknown: this kernel does not fill /proc/PID/schedstat; CPU time is in "
			"ticks of 10 ms\n");
}

/* Says where memory limits cut the data. */
static void write_folded(const struct sprof_text *text)
{
	const struct sprof_quality *quality = &text->profile->quality;

	if (quality->samples_folded || quality->threads_folded || quality->waits_folded)
		sprof_out_printf(text->out,
			"  no room     %" PRIu64 " sample%s, %" PRIu64 " thread%s, %" PRIu64
			" wait%s are [other]; see --max-stacks\n",
			quality->samples_folded, sprof_string_plural(quality->samples_folded),
			quality->threads_folded, sprof_string_plural(quality->threads_folded),
			quality->waits_folded, sprof_string_plural(quality->waits_folded));
}

/* Facts about waits beyond samples. */
static void write_exact_waits(const struct sprof_text *text)
{
	const struct sprof_quality *quality = &text->profile->quality;

	if (!quality->exact_waits && !quality->exact_lost && !quality->exact_refused)
		return;
	sprof_out_printf(text->out, "  exact       %" PRIu64 " wait%s", quality->exact_waits,
		sprof_string_plural(quality->exact_waits));
	if (quality->exact_unplaced && quality->exact_unplaced == quality->exact_waits)
		sprof_out_puts(text->out, ", without stacks");
	else if (quality->exact_unplaced)
		sprof_out_printf(text->out, "; %" PRIu64 " had no room for their stack",
			quality->exact_unplaced);
	if (quality->exact_lost)
		sprof_out_printf(text->out, "; %" PRIu64 " switches lost", quality->exact_lost);
	if (quality->exact_refused)
		sprof_out_printf(text->out, "; %" PRIu64 " thread%s not recorded",
			quality->exact_refused, sprof_string_plural(quality->exact_refused));
	sprof_out_puts(text->out, "\n");
}

static void write_faults(const struct sprof_text *text)
{
	SPROF_AUTO_FREE char *words = sprof_faults_words(text->profile, FAULTS_ROOM);

	if (words)
		sprof_out_printf(text->out, "  faults      %s\n", words);
}

static void write_further_kinds(const struct sprof_text *text)
{
	const struct sprof_kinds *kinds = &text->profile->kinds;

	if (sprof_profile_has_exact_waits(text->profile))
		return;
	for (size_t i = 0; i < kinds->further_count; i++) {
		sprof_out_puts(text->out,
			SPROF_WEIGHT_FURTHER + i == kinds->shown ? "  shown       "
								 : "  also has    ");
		sprof_text_end_with_name(text, 14, kinds->further[i].name);
	}
}

/* Counts, ours or of another tool, have no quality. */
static void write_counts(const struct sprof_text *text)
{
	if (text->profile->quality.duration_ns)
		sprof_out_printf(text->out, "  duration    %s\n",
			sprof_figure_time(text->profile->quality.duration_ns).text);
}

void sprof_text_title_of_run(const struct sprof_text *text)
{
	const char *command = text->profile->command;
	const bool is_time = sprof_profile_counts_time(text->profile);

	sprof_out_puts(text->out, is_time ? "sprof: " : "profile of: ");
	sprof_text_end_with_name(text, is_time ? 7 : 12, command ? command : "unknown program");
}

void sprof_text_quality(const struct sprof_text *text)
{
	sprof_out_puts(text->out, "\nhow it was measured\n");
	if (sprof_profile_counts_time(text->profile)) {
		write_target(text);
		write_samples(text);
		write_stacks(text);
		write_cost(text);
		write_gaps(text);
		write_folded(text);
	} else {
		write_counts(text);
	}
	write_exact_waits(text);
	write_faults(text);
	write_further_kinds(text);
}
