/*
 * The kernel's counters per thread: kinds of blocked time, switches, faults, bytes, signals, the
 * last CPU, its process's peak memory, and former names. Only for profiles of sprof: other tools'
 * files don't contain the counters.
 */
#include "output/text/text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/strings.h"
#include "output/units.h"

/* Columns with values in the shown threads. A narrow table omits them. */
struct columns {
	bool own_tid;
	bool classes[SPROF_TIME_COUNT]; /* of blocked time */
};

/* "12.3 MB": at most 8 characters. */
static struct sprof_figure figure_bytes(uint64_t bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	struct sprof_figure figure;
	double value = (double)bytes;
	size_t unit = 0;

	for (; value >= 999.5; unit++)
		value /= 1000;
	snprintf(
		figure.text, sizeof(figure.text), unit ? "%.3g %s" : "%.0f %s", value, units[unit]);
	return figure;
}

static void write_count(
	struct sprof_row *row, const char *title, int width, bool known, uint64_t count)
{
	if (known)
		sprof_row_count(row, title, width, count);
	else
		sprof_row_text(row, title, width, "-");
}

/* The id that the program itself sees, if it differs. */
static void write_ids(struct sprof_row *row, const struct columns *columns,
	const struct sprof_profile_thread *thread)
{
	const int own = thread->facts.own_tid;

	sprof_row_count(row, "tid", 9, (uint64_t)thread->tid);
	if (columns->own_tid)
		write_count(row, "own tid", 8, own && own != thread->tid, (uint64_t)own);
	write_count(row, "cpu", 3, thread->facts.processor >= 0, (uint64_t)thread->facts.processor);
}

/* Rare counters: on a separate line, if there are any. */
static void write_rest(const struct sprof_text *text, const struct sprof_thread_facts *facts)
{
	const struct {
		uint64_t value;
		const char *words;
	} sizes[] = {
		{facts->max_rss_bytes, "max rss"},
		{facts->counters[SPROF_COUNTER_DISK_READ_BYTES], "read from disk"},
		{facts->counters[SPROF_COUNTER_DISK_WRITTEN_BYTES], "written to disk"},
	};
	const char *separator = "          ";

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (!sizes[i].value)
			continue;
		sprof_out_printf(text->out, "%s%s %s", separator, sizes[i].words,
			figure_bytes(sizes[i].value).text);
		separator = ", ";
	}
	if (facts->counters[SPROF_COUNTER_SIGNALS])
		sprof_out_printf(text->out, "%s%" PRIu64 " signal%s", separator,
			facts->counters[SPROF_COUNTER_SIGNALS],
			sprof_string_plural(facts->counters[SPROF_COUNTER_SIGNALS]));
	if (separator[0] == ',' || facts->counters[SPROF_COUNTER_SIGNALS])
		sprof_out_puts(text->out, "\n");
	if (facts->has_waits)
		sprof_out_printf(text->out,
			"          off the CPU: %" PRIu64 " wait%s for %s, longest %s; %" PRIu64
			" preemption%s for %s\n",
			facts->waits, sprof_string_plural(facts->waits),
			sprof_figure_time(facts->wait_ns).text,
			sprof_figure_time(facts->longest_wait_ns).text, facts->preemptions,
			sprof_string_plural(facts->preemptions),
			sprof_figure_time(facts->preempted_ns).text);
}

static void write_figures(struct sprof_row *row, const struct columns *columns,
	const struct sprof_profile_thread *thread)
{
	static const char *const classes[SPROF_TIME_COUNT] = {
		[SPROF_TIME_SLEEP] = "sleep",
		[SPROF_TIME_DISK] = "disk",
		[SPROF_TIME_STOPPED] = "stopped",
	};
	const struct sprof_thread_facts *facts = &thread->facts;

	write_ids(row, columns, thread);
	for (int i = SPROF_TIME_SLEEP; i <= SPROF_TIME_STOPPED; i++) {
		if (columns->classes[i])
			sprof_row_time(row, classes[i], 8, thread->times.ns[i]);
	}
	write_count(
		row, "volunt.", 7, facts->has_switches, facts->counters[SPROF_COUNTER_VOLUNTARY]);
	write_count(
		row, "involt.", 7, facts->has_switches, facts->counters[SPROF_COUNTER_INVOLUNTARY]);
	write_count(row, "faults", 7, true, facts->counters[SPROF_COUNTER_MINOR_FAULTS]);
	write_count(row, "major", 5, true, facts->counters[SPROF_COUNTER_MAJOR_FAULTS]);
	sprof_row_text(row, "read", 8,
		facts->has_io ? figure_bytes(facts->counters[SPROF_COUNTER_READ_BYTES]).text : "-");
	sprof_row_text(row, "written", 8,
		facts->has_io ? figure_bytes(facts->counters[SPROF_COUNTER_WRITTEN_BYTES]).text
			      : "-");
	sprof_row_gap(row, 2, "name");
}

static void write_thread(const struct sprof_text *text, const struct columns *columns,
	const struct sprof_profile_thread *thread)
{
	struct sprof_row row = {.out = text->out};
	char name[256];

	write_figures(&row, columns, thread);
	snprintf(name, sizeof(name), "%s%s%s", thread->name,
		thread->former_names ? ", before " : "",
		thread->former_names ? thread->former_names : "");
	sprof_text_end_with_name(text, row.length, name);
	write_rest(text, &thread->facts);
}

static void write_title(const struct sprof_text *text, const struct columns *columns)
{
	sprof_out_puts(text->out, "\ncounters of the threads\n");
	write_figures(&(struct sprof_row){.out = text->out, .is_head = true}, columns,
		&(struct sprof_profile_thread){0});
}

static struct columns find_columns(const struct sprof_text *text, const bool *shown)
{
	struct columns columns = {0};

	for (size_t i = 0; !sprof_text_is_narrow(text) && i < text->profile->thread_count; i++) {
		const struct sprof_profile_thread *thread = &text->profile->threads[i];

		if (!shown[i] || !thread->has_facts)
			continue;
		columns.own_tid |= thread->facts.own_tid && thread->facts.own_tid != thread->tid;
		for (int k = SPROF_TIME_SLEEP; k <= SPROF_TIME_STOPPED; k++)
			columns.classes[k] |= thread->times.ns[k] != 0;
	}
	return columns;
}

void sprof_text_counters(const struct sprof_text *text, const bool *shown)
{
	const struct columns columns = find_columns(text, shown);
	bool titled = false;

	for (size_t i = 0; i < text->profile->thread_count; i++) {
		const struct sprof_profile_thread *thread = &text->profile->threads[i];

		if (!shown[i] || !thread->has_facts)
			continue;
		if (!titled)
			write_title(text, &columns);
		titled = true;
		write_thread(text, &columns, thread);
	}
}
