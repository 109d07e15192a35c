/*
 * Page faults of a recording: from the kernel's records to rows of the profile. A huge page counts
 * as one page.
 */
#include "cmd/record/page-faults.h"

#include <inttypes.h>
#include <unistd.h>

#include "cmd/cli/option-values.h"
#include "cmd/cli/perf-denied.h"
#include "cmd/ui.h"
#include "profile/answer/faults.h"

#define FIELD(name) offsetof(struct sprof_page_faults_options, name)

static bool set_faults(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_page_faults_options *options = field;

	options->wanted = true;
	return !text || sprof_value_count(&options->period, text, err);
}

const struct sprof_option sprof_page_faults_table[] = {
	{"faults", NULL, "[=N]",
		"also record page faults with their stacks; the profile then also has\n"
		"the values faults, major_faults and touched (report --weight). N:\n"
		"record only every N-th fault of a thread (all, as far as possible)",
		set_faults, 0},
	{0},
};

/* From this share of unseen faults on, a message gives the reason. */
static const double least_noted = 0.02;

static bool add(const struct sprof_page_faults *faults, const struct sprof_faults_place *place,
	const struct sprof_fault_count *count)
{
	const uint64_t all = sprof_fault_count_sum(count);
	const uint64_t values[SPROF_FAULTS_KINDS] = {
		[SPROF_FAULTS_ALL] = all,
		[SPROF_FAULTS_MAJOR] = count->major,
		[SPROF_FAULTS_TOUCHED] = all * faults->page_size,
	};

	return sprof_faults_add(*faults->profile, place, values);
}

static bool take_faults(
	void *data, uint32_t thread, uint32_t stack, const struct sprof_fault_count *count)
{
	const struct sprof_faults_place place = {
		thread, stack, stack == SPROF_PROFILE_ROOT ? SPROF_FAULTS_NO_STACK : NULL};

	return add(data, &place, count);
}

static bool take_unseen(void *data, uint32_t thread, const struct sprof_fault_count *count)
{
	const struct sprof_faults_place place = {thread, SPROF_PROFILE_ROOT, SPROF_FAULTS_UNSEEN};

	return add(data, &place, count);
}

static bool refuse(const struct sprof_perf_denial *denial, struct sprof_error *err)
{
	if (sprof_perf_denied(denial, "--faults: page faults", err))
		return true;
	if (denial->reason == SPROF_PERF_PARANOID)
		sprof_error_hint(err,
			"sysctl kernel.perf_event_paranoid=2, or CAP_PERFMON; without --faults "
			"neither is needed");
	if (denial->reason == SPROF_PERF_NO_LOCKED_MEMORY)
		sprof_error_hint(err, "sysctl kernel.perf_event_mlock_kb, or ulimit -l");
	if (denial->reason == SPROF_PERF_SECCOMP)
		sprof_error_hint(err,
			"let the container's seccomp profile allow perf_event_open, or leave "
			"--faults out");
	return false;
}

bool sprof_page_faults_begin(struct sprof_page_faults *faults,
	const struct sprof_page_faults_options *options, bool follow_children,
	struct sprof_profile **profile, struct sprof_error *err)
{
	const struct sprof_fault_options wanted = {
		.follow_children = follow_children,
		.period = options->period,
		.sink = {faults, take_faults, take_unseen},
	};
	struct sprof_perf_denial denial;

	*faults = (struct sprof_page_faults){
		.profile = profile, .page_size = (uint64_t)sysconf(_SC_PAGESIZE)};
	if (!options->wanted)
		return true;
	if (!sprof_fault_events_create(&wanted, &faults->events, &denial))
		return refuse(&denial, err);
	faults->source = sprof_fault_events_source(faults->events);
	return true;
}

void sprof_page_faults_note(const struct sprof_page_faults *faults)
{
	struct sprof_fault_figures figures;

	if (!faults->events)
		return;
	figures = sprof_fault_events_figures(faults->events);
	if (figures.unwatched)
		sprof_ui_note(
			"%u threads could not be watched on a CPU: their page faults there were "
			"not seen",
			figures.unwatched);
	if ((double)(figures.in_kernel + figures.lost) < (double)figures.all * least_noted)
		return;
	sprof_ui_note("of %" PRIu64 " page faults, %" PRIu64 " are [not seen]: %" PRIu64
		      " were taken inside the kernel, as by exec or read(2)%s; %" PRIu64
		      " are in no record",
		figures.all, figures.in_kernel + figures.lost, figures.in_kernel,
		figures.is_of_users_only ? ", visible to root only" : "", figures.lost);
}

void sprof_page_faults_finish(struct sprof_page_faults *faults)
{
	sprof_fault_events_destroy(faults->events);
	faults->events = NULL;
}
