/* sprof events: lists the events, their fields, costs and sources. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/glob.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/perf-denied.h"
#include "cmd/cli/terminal.h"
#include "events/event-type.h"
#include "events/perf/event.h"
#include "events/recorded/tracepoints.h"
#include "output/table.h"

enum { NAME_SIZE = 64, FIELDS_SIZE = 256, WORDS_SIZE = 256 };

static const struct sprof_common_options defaults;

static const struct sprof_option_group groups[] = {
	{"General", sprof_common_option_table},
	{0},
};

static const struct sprof_table_column columns[] = {
	{"event", true, 0},
	{"with", true, 0},
	{"costs", true, 3},
	{"fields", true, 4},
	{"when", true, 2},
	{"sources", true, 1},
};

static void list_fields(const struct sprof_trace_type_row *row, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < row->field_count && used < size; i++) {
		const struct sprof_trace_field *field = &row->fields[i];

		used += (size_t)snprintf(
			buffer + used, size - used, "%s%s", i ? " " : "", field->name);
		if (field->count > 1 && used < size)
			used += (size_t)snprintf(
				buffer + used, size - used, "[0..%d]", field->count - 1);
	}
}

static void list_sources(const struct sprof_trace_type_row *row, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (unsigned source = 1; source && source <= row->sources && used < size; source <<= 1) {
		if (row->sources & source)
			used += (size_t)snprintf(buffer + used, size - used, "%s%s",
				used ? "; " : "",
				sprof_trace_source_name((enum sprof_trace_source)source));
	}
}

static void add_row(const struct sprof_trace_type_row *row, struct sprof_table *table)
{
	char name[NAME_SIZE], fields[FIELDS_SIZE], sources[FIELDS_SIZE];

	sprof_trace_type_name(row, NULL, name, sizeof(name));
	list_fields(row, fields, sizeof(fields));
	list_sources(row, sources, sizeof(sources));
	sprof_table_cell(table, "%s", name);
	sprof_table_cell(
		table, "%s", row->sources == SPROF_TRACE_BY_SAMPLER ? "run, attach" : "trace");
	sprof_table_cell(table, "%s",
		sprof_trace_cost_name(
			(row->sources & (SPROF_TRACE_BY_CALL_STOPS | SPROF_TRACE_BY_EVENT_STOPS))
				? SPROF_TRACE_COST_STOP
				: row->cost));
	sprof_table_cell(table, "%s", fields);
	sprof_table_cell(table, "%s", row->summary);
	sprof_table_cell(table, "%s", sources);
}

static bool is_listed(const struct sprof_trace_type_row *row, const char *glob)
{
	char name[NAME_SIZE];

	sprof_trace_type_name(row, NULL, name, sizeof(name));
	return !glob || sprof_glob_matches(glob, name) || strcmp(glob, name) == 0;
}

/* Whether an event of our own can be opened. */
static bool may_open(struct perf_event_attr *attributes, struct sprof_perf_denial *ret_denial)
{
	int fd = sprof_perf_open(attributes, 0, -1, ret_denial);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool may_use_tracepoints(struct sprof_perf_denial *ret_denial)
{
	struct perf_event_attr attributes;
	struct sprof_tracepoint found;
	bool may = sprof_tracepoint_find("sched", "sched_switch", &found, ret_denial);

	if (may) {
		attributes = sprof_tracepoint_attributes(&found);
		may = may_open(&attributes, ret_denial);
	}
	sprof_tracepoint_finish(&found);
	return may;
}

static bool may_use_switches(struct sprof_perf_denial *ret_denial)
{
	struct perf_event_attr attributes =
		sprof_perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	attributes.context_switch = 1;
	return may_open(&attributes, ret_denial);
}

static void write_denial(enum sprof_trace_source source, const struct sprof_perf_denial *denial,
	struct sprof_out *out)
{
	char words[WORDS_SIZE];

	sprof_perf_denied_words(denial, words, sizeof(words));
	sprof_out_printf(out, "not here: %s: %s\n", sprof_trace_source_name(source), words);
}

/* Which sources this machine lacks, or this user. */
static void write_missing(struct sprof_out *out)
{
	struct sprof_perf_denial denial;

	if (!may_use_tracepoints(&denial))
		write_denial(SPROF_TRACE_BY_TRACEPOINT, &denial, out);
	if (!may_use_switches(&denial))
		write_denial(SPROF_TRACE_BY_SWITCHES, &denial, out);
}

static bool write_table(struct sprof_table *table, struct sprof_error *err)
{
	struct sprof_out *out;
	bool ok;

	if (!sprof_out_open_fd(STDOUT_FILENO, "stdout", &out, err))
		return false;
	ok = sprof_table_write(table, sprof_terminal_width(), out);
	write_missing(out);
	return (sprof_out_close(out, err) && ok) || (!ok && sprof_error_no_memory(err));
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	struct sprof_table table = SPROF_TABLE(columns);
	const struct sprof_trace_type_row *rows;
	size_t count, listed = 0;
	bool ok;

	rows = sprof_trace_types(&count);
	for (size_t i = 0; i < count; i++) {
		if (is_listed(&rows[i], operands[0])) {
			add_row(&rows[i], &table);
			listed++;
		}
	}
	*ret_exit = 0;
	ok = listed ? write_table(&table, err)
		    : sprof_error_set(err, SPROF_ERROR_USAGE, "no event is called %s", operands[0]);
	sprof_table_finish(&table);
	return ok;
}

const struct sprof_command sprof_command_events = {
	.name = "events",
	.summary = "List the events that can be traced",
	.synopsis = "[GLOB]",
	.details = "  sprof events\n  sprof events 'sched:*'\n",
	.groups = groups,
	.hidden = "quiet verbose",
	.defaults = &defaults,
	.options_size = sizeof(struct sprof_common_options),
	.run = run,
};
