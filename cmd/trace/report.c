/* Formats the output of `sprof trace`. Does not choose the instances. */
#include "cmd/trace/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/syscall-name.h"
#include "output/clean.h"
#include "output/json.h"
#include "output/table.h"

static const struct sprof_table_column columns[] = {
	{"thread", false, 0},
	{"comm", true, 0},
	{"start", true, 0},
	{"=>", true, 0},
	{"end", true, 0},
	{"calls", false, 0},
	{"total(us)", false, 0},
	{"min(us)", false, 4},
	{"p50(us)", false, 3},
	{"p95(us)", false, 5},
	{"p99(us)", false, 2},
	{"max(us)", false, 6},
	{"than(reqs)", false, 7},
};

enum {
	COLUMNS = sizeof(columns) / sizeof(columns[0]),
	KEY_COLUMNS = 2,
	KEY_SIZE = 128,
	NAME_SIZE = 64,
	TIME_SIZE = 32,
};

static const char *name_of(const struct sprof_owners *owners, uint32_t thread, int64_t tid)
{
	const struct sprof_profile_thread *owner = sprof_owner(owners->profile, thread);

	return owner ? owner->name : sprof_owners_name(owners, tid);
}

/* The thread identified by the key; for other keys, the first thread with that key. */
static const char *name_of_row(
	const struct sprof_trace_report *report, const struct sprof_delay_row *row)
{
	const struct sprof_profile_thread *owner =
		sprof_owner(report->owners->profile, row->thread);

	if (row->is_rest)
		return "-";
	if (!row->item1->key)
		return name_of(report->owners, row->thread, (uint32_t)row->key);
	if (sprof_expression_is_tid(row->item1->key) && !(owner && owner->tid == row->key))
		return sprof_owners_name(report->owners, row->key);
	return owner ? owner->name : "?";
}

static void write_key(const struct sprof_trace_report *report, const struct sprof_delay_row *row,
	char *buffer, size_t size)
{
	struct sprof_expression_frame frame = {.key = row->key, .out = buffer, .out_size = size};
	const struct sprof_profile_thread *owner =
		sprof_owner(report->owners->profile, row->thread);

	buffer[0] = '\0';
	if (row->is_rest)
		snprintf(buffer, size, "rest");
	else if (row->item1->printkey)
		sprof_expression_print(row->item1->printkey, &frame);
	else if (row->item1->key)
		snprintf(buffer, size, "%" PRId64, row->key);
	else if (owner)
		snprintf(buffer, size, "%d", (int)owner->tid);
	else
		snprintf(buffer, size, "%u", (uint32_t)row->key);
}

static struct sprof_delay_figures figures_of(
	const struct sprof_trace_report *report, const struct sprof_delay_row *row)
{
	return sprof_delay_figures(report->whole_run ? &row->run : &row->interval);
}

static void add_figures(const struct sprof_trace_report *report,
	const struct sprof_delay_figures *figures, struct sprof_table *table)
{
	sprof_table_cell(table, "%" PRIu64, figures->calls);
	sprof_table_us(table, (double)figures->total);
	sprof_table_us(table, (double)figures->min);
	sprof_table_us(table, (double)figures->p50);
	sprof_table_us(table, (double)figures->p95);
	sprof_table_us(table, (double)figures->p99);
	sprof_table_us(table, (double)figures->max);
	if (report->has_than)
		sprof_table_cell(table, "%" PRIu64 " (%3.0f%%)", figures->over,
			100.0 * (double)figures->over / (double)figures->calls);
}

static void add_row(const struct sprof_trace_report *report, const struct sprof_delay_row *row,
	struct sprof_table *table)
{
	const struct sprof_delay_figures figures = figures_of(report, row);
	char key[KEY_SIZE];

	if (!figures.calls)
		return;
	if (report->by_key) {
		write_key(report, row, key, sizeof(key));
		sprof_table_text(table, key);
		sprof_table_text(table, name_of_row(report, row));
	}
	sprof_table_text(table, row->item1->name);
	sprof_table_cell(table, "=>");
	sprof_table_text(table, row->item2->name);
	add_figures(report, &figures, table);
}

bool sprof_trace_report_text(const struct sprof_trace_report *report, struct sprof_out *out)
{
	struct sprof_table_column shown[COLUMNS];
	struct sprof_table table = {.columns = shown};
	const size_t end = report->has_than ? COLUMNS : COLUMNS - 1;

	for (size_t i = report->by_key ? 0 : KEY_COLUMNS; i < end; i++)
		shown[table.column_count++] = columns[i];
	if (report->by_key && report->list->key_name)
		shown[0].title = report->list->key_name;
	for (size_t i = 0; i < report->table->count; i++)
		add_row(report, &report->table->rows[i], &table);
	return sprof_table_write(&table, report->width, out);
}

static void json_row(const struct sprof_trace_report *report, const struct sprof_delay_row *row,
	struct sprof_json *json)
{
	const struct sprof_delay_figures figures = figures_of(report, row);
	char key[KEY_SIZE];

	sprof_json_text(json, "{");
	if (report->by_key) {
		write_key(report, row, key, sizeof(key));
		sprof_json_member_string(json, "\"key\":", key);
		sprof_json_member_string(json, ",\"comm\":", name_of_row(report, row));
		sprof_json_text(json, ",");
	}
	sprof_json_member_string(json, "\"start\":", row->item1->name);
	sprof_json_member_string(json, ",\"end\":", row->item2->name);
	sprof_json_format(json,
		",\"calls\":%" PRIu64 ",\"total_ns\":%" PRIu64 ",\"min_ns\":%" PRIu64
		",\"p50_ns\":%" PRIu64 ",\"p95_ns\":%" PRIu64 ",\"p99_ns\":%" PRIu64
		",\"max_ns\":%" PRIu64 ",\"over\":%" PRIu64 ",\"under\":%" PRIu64 "}",
		figures.calls, figures.total, figures.min, figures.p50, figures.p95, figures.p99,
		figures.max, figures.over, figures.under);
}

bool sprof_trace_report_json(const struct sprof_trace_report *report, struct sprof_out *out)
{
	struct sprof_json json;
	bool first = true;

	if (!sprof_json_open(&json, out, false))
		return false;
	sprof_json_format(&json, "{\"last\":%s,\"source\":\"%s\",\"lost\":%" PRIu64 ",\"rows\":[",
		report->whole_run ? "true" : "false", report->source, report->lost);
	for (size_t i = 0; i < report->table->count; i++) {
		if (!figures_of(report, &report->table->rows[i]).calls)
			continue;
		sprof_json_comma(&json, &first);
		json_row(report, &report->table->rows[i], &json);
	}
	sprof_json_text(&json, "]}\n");
	sprof_json_close(&json);
	return true;
}

/* The time of day of a moment of CLOCK_MONOTONIC. */
static void write_time(uint64_t time_ns, char buffer[TIME_SIZE])
{
	struct timespec real, monotonic;
	int64_t ns;
	struct tm local;
	time_t seconds;
	size_t length;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	ns = (int64_t)time_ns + (real.tv_sec - monotonic.tv_sec) * (int64_t)SPROF_NS_PER_S +
		(real.tv_nsec - monotonic.tv_nsec);
	seconds = (time_t)(ns / SPROF_NS_PER_S);
	localtime_r(&seconds, &local);
	length = strftime(buffer, TIME_SIZE, "%H:%M:%S", &local);
	snprintf(buffer + length, TIME_SIZE - length, ".%06d",
		(int)(ns % SPROF_NS_PER_S / SPROF_NS_PER_US));
}

static void write_field(const struct sprof_trace_field *field,
	const struct sprof_trace_event *event, struct sprof_out *out)
{
	for (uint8_t i = 0; i < field->count; i++) {
		const struct sprof_trace_value *value = &event->fields[field->index + i];

		if (field->kind == SPROF_TRACE_TEXT) {
			SPROF_AUTO_FREE char *text = sprof_clean_text(value->text, NULL);

			sprof_out_printf(out, " %s=%s", field->name, text ? text : "?");
		} else if (field->is_address) {
			sprof_out_printf(out, "%s%s%s0x%" PRIx64, i ? "," : " ",
				i ? "" : field->name, i ? "" : "=", (uint64_t)value->integer);
		} else {
			sprof_out_printf(out, " %s=%" PRId64, field->name, value->integer);
		}
	}
}

static void write_event(const struct sprof_owners *owners, struct sprof_trace_stacks *stacks,
	const struct sprof_trace_side *side, struct sprof_out *out)
{
	const struct sprof_trace_event *event = side->event;
	const struct sprof_trace_type_row *row =
		sprof_trace_type_row((enum sprof_trace_type)event->type);
	SPROF_AUTO_FREE char *comm =
		sprof_clean_text(name_of(owners, event->thread, event->tid), NULL);
	const unsigned stack = sprof_trace_stacks_number(stacks, (uint32_t)event->stack);
	char time[TIME_SIZE], name[NAME_SIZE];

	write_time(event->time_ns, time);
	sprof_trace_type_name(row, NULL, name, sizeof(name));
	sprof_out_printf(out, "%s %16s %6d %s:", time, comm ? comm : "?", (int)event->tid,
		row->per_name ? side->item->name : name);
	if (event->type == SPROF_TRACE_SYS_ENTER || event->type == SPROF_TRACE_SYS_EXIT) {
		sprof_syscall_name(event->fields[0].integer, name, sizeof(name));
		sprof_out_printf(out, " %s", name);
	}
	for (size_t i = 0; i < row->field_count; i++)
		write_field(&row->fields[i], event, out);
	if (stack)
		sprof_out_printf(out, " (stack %u)", stack);
	sprof_out_puts(out, "\n");
}

static double us_of(uint64_t ns)
{
	return (double)ns / SPROF_NS_PER_US;
}

void sprof_trace_report_line(const struct sprof_owners *owners, struct sprof_trace_stacks *stacks,
	const struct sprof_trace_instance *instance, const struct sprof_details_line *line,
	struct sprof_out *out)
{
	if (line->hidden)
		sprof_out_printf(out, "| %12" PRIu64 " hidden\n", line->hidden);
	switch (line->kind) {
	case SPROF_DETAILS_BEFORE:
		sprof_out_printf(out, "-%12.3f us ", us_of(line->distance_ns));
		break;
	case SPROF_DETAILS_EVENT1:
		if (line->incomplete)
			sprof_out_puts(out, "(older events had no room)\n");
		break;
	case SPROF_DETAILS_BETWEEN:
		sprof_out_printf(out, "| %12.3f us ", us_of(line->distance_ns));
		break;
	case SPROF_DETAILS_EVENT2:
		sprof_out_printf(out, "| %.3f us\n", us_of(instance->latency_ns));
		break;
	case SPROF_DETAILS_AFTER:
		sprof_out_printf(out, "`%12.3f us ", us_of(line->distance_ns));
		break;
	case SPROF_DETAILS_END:
		sprof_out_puts(out, "\n");
		return;
	}
	if (line->side)
		write_event(owners, stacks, line->side, out);
}
