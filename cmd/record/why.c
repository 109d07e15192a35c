/* Wires wake-ups to the log. Finds no path: the reports do, once functions have names. */
#include "cmd/record/why.h"

#include "cmd/cli/perf-denied.h"
#include "cmd/ui.h"

bool sprof_why_begin(struct sprof_why *why, const struct sprof_subject *subject,
	struct sprof_profile *profile, struct sprof_error *err)
{
	const struct sprof_wakeups_sink sink = {
		&why->log, sprof_critical_log_moment, sprof_critical_log_name};
	struct sprof_perf_denial denial;

	sprof_critical_log_begin(&why->log, profile, 0);
	why->log.is_launched = subject->arguments;
	if (!sprof_wakeups_create(&sink, subject->follow_children, &why->wakeups, &denial))
		return sprof_perf_denied(&denial, "--why: wake-ups", err);
	sprof_wakeups_sources(why->wakeups, why->sources);
	return true;
}

void sprof_why_check_outputs(const struct sprof_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++) {
		if (outputs->items[i].format == &sprof_format_summary ||
			outputs->items[i].format == &sprof_format_json)
			return;
	}
	sprof_ui_note("no output shows the critical path of --why: only the summary and JSON do "
		      "(-f summary, -f json)");
}

bool sprof_why_settle(struct sprof_why *why, bool waited, struct sprof_error *err)
{
	struct sprof_wakeups_figures figures;

	if (!why->wakeups)
		return true;
	figures = sprof_wakeups_figures(why->wakeups);
	if (!sprof_critical_log_end(&why->log, figures.begin_ns, figures.end_ns))
		return sprof_error_no_memory(err);
	if (!why->log.moment_count)
		sprof_ui_note("--why: no thread was seen running or asleep, so there is no "
			      "critical path");
	why->log.lost = figures.lost;
	why->log.is_launched &= !waited;
	why->log.profile->critical = &why->log;
	if (figures.unwatched)
		sprof_ui_note(
			"%u threads could not be watched on a CPU: the critical path lacks what "
			"they did there",
			figures.unwatched);
	return true;
}

void sprof_why_finish(struct sprof_why *why)
{
	sprof_wakeups_destroy(why->wakeups);
	why->wakeups = NULL;
	sprof_critical_log_finish(&why->log);
}

const struct sprof_event_source *const *sprof_why_list(const struct sprof_why *why,
	const struct sprof_page_faults *faults,
	const struct sprof_event_source *list[SPROF_WHY_EVENTS])
{
	size_t count = 0;

	if (faults->events)
		list[count++] = &faults->source;
	for (size_t i = 0; why->wakeups && i < SPROF_WAKEUPS_SOURCES; i++)
		list[count++] = &why->sources[i];
	list[count] = NULL;
	return count ? list : NULL;
}
