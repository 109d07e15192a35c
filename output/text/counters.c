/*
 * The kernel's counters per thread: kinds of blocked time, switches, faults, bytes, signals, the
 * last CPU, its process's peak memory, and former names. Only for new recordings: files don't
 * contain the counters.
 */
#include "output/text/text.h"

#include <inttypes.h>
#include <stdio.h>

#include "output/units.h"

/* The width of a row before the name, without columns that it may omit, and of each of those. */
enum {
	INDENT = 9 + 4 + 2 * 8 + 8 + 6 + 2 * 9 + 2,
	COLUMN = 9,
};

/* Columns with values in the shown threads. A narrow table omits them. */
struct columns {
	bool own_tid;
	bool classes[SPROF_TIME_COUNT]; /* of blocked time */
	size_t count;
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

static void write_count(const struct sprof_text *text, bool known, uint64_t count)
{
	if (known)
		sprof_out_printf(text->out, " %7" PRIu64, count);
	else
		sprof_out_printf(text->out, " %7s", "-");
}

static void write_bytes(const struct sprof_text *text, bool known, uint64_t bytes)
{
	sprof_out_printf(text->out, " %8s", known ? figure_bytes(bytes).text : "-");
}

/* The id that the program itself sees, if it differs. */
static void write_ids(const struct sprof_text *text, const struct columns *columns,
	const struct sprof_profile_thread *thread)
{
	if (!columns->own_tid)
		sprof_out_printf(text->out, "%9d", thread->tid);
	else if (thread->facts.own_tid && thread->facts.own_tid != thread->tid)
		sprof_out_printf(text->out, "%9d %8d", thread->tid, thread->facts.own_tid);
	else
		sprof_out_printf(text->out, "%9d %8s", thread->tid, "-");
	sprof_out_printf(text->out, " %3d", thread->facts.processor);
}

/* Rare counters: on a separate line, if there are any. */
static void write_rest(const struct sprof_text *text, const struct sprof_thread_facts *facts)
{
	const struct {
		uint64_t value;
		const char *words;
	} sizes[] = {
		{facts->max_rss_bytes, "max rss"},
		{facts->disk_read_bytes, "read from disk"},
		{facts->disk_written_bytes, "written to disk"},
	};
	const char *separator = "          ";

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (!sizes[i].value)
			continue;
		sprof_out_printf(text->out, "%s%s %s", separator, sizes[i].words,
			figure_bytes(sizes[i].value).text);
		separator = ", ";
	}
	if (facts->signals)
		sprof_out_printf(text->out, "%s%" PRIu64 " signal%s", separator, facts->signals,
			facts->signals == 1 ? "" : "s");
	if (separator[0] == ',' || facts->signals)
		sprof_out_puts(text->out, "\n");
	if (facts->has_waits)
		sprof_out_printf(text->out,
			"          off the CPU: %" PRIu64 " wait%s for %s, longest %s; %" PRIu64
			" preemption%s for %s\n",
			facts->waits, facts->waits == 1 ? "" : "s",
			sprof_figure_time(facts->wait_ns).text,
			sprof_figure_time(facts->longest_wait_ns).text, facts->preemptions,
			facts->preemptions == 1 ? "" : "s",
			sprof_figure_time(facts->preempted_ns).text);
}

static void write_thread(const struct sprof_text *text, const struct columns *columns,
	const struct sprof_profile_thread *thread)
{
	const struct sprof_thread_facts *facts = &thread->facts;
	char name[256];

	write_ids(text, columns, thread);
	for (int i = SPROF_TIME_SLEEP; i <= SPROF_TIME_STOPPED; i++) {
		if (!columns->classes[i])
			continue;
		sprof_out_printf(text->out, " %8s", sprof_figure_time(thread->times.ns[i]).text);
	}
	write_count(text, facts->has_switches, facts->voluntary);
	write_count(text, facts->has_switches, facts->involuntary);
	write_count(text, true, facts->minor_faults);
	sprof_out_printf(text->out, " %5" PRIu64, facts->major_faults);
	write_bytes(text, facts->has_io, facts->read_bytes);
	write_bytes(text, facts->has_io, facts->written_bytes);
	snprintf(name, sizeof(name), "%s%s%s", thread->name,
		thread->former_names ? ", before " : "",
		thread->former_names ? thread->former_names : "");
	sprof_out_puts(text->out, "  ");
	sprof_text_end_with_name(text, INDENT + COLUMN * columns->count, name);
	write_rest(text, facts);
}

static void write_title(const struct sprof_text *text, const struct columns *columns)
{
	static const char *const classes[SPROF_TIME_COUNT] = {
		[SPROF_TIME_SLEEP] = "sleep",
		[SPROF_TIME_DISK] = "disk",
		[SPROF_TIME_STOPPED] = "stopped",
	};

	sprof_out_printf(text->out, "\ncounters of the threads\n%9s", "tid");
	if (columns->own_tid)
		sprof_out_printf(text->out, " %8s", "own tid");
	sprof_out_printf(text->out, " %3s", "cpu");
	for (int i = SPROF_TIME_SLEEP; i <= SPROF_TIME_STOPPED; i++) {
		if (columns->classes[i])
			sprof_out_printf(text->out, " %8s", classes[i]);
	}
	sprof_out_printf(text->out, " %7s %7s %7s %5s %8s %8s  name\n", "volunt.", "involt.",
		"faults", "major", "read", "written");
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
	columns.count = columns.own_tid;
	for (int k = SPROF_TIME_SLEEP; k <= SPROF_TIME_STOPPED; k++)
		columns.count += columns.classes[k];
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
