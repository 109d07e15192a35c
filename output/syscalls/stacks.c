/* The stacks of system calls: one line per call and place. Does not find or name stacks. */
#include "base/syscall-name.h"
#include "output/frames.h"
#include "output/syscalls/report.h"
#include "output/units.h"

enum { NAME_SIZE = 64, STACKS_SHOWN = 10 };

static bool has_stack(const struct sprof_call_row *row)
{
	return row->stack != SPROF_PROFILE_ROOT;
}

static size_t count_stacks(const struct sprof_call_table *table)
{
	size_t count = 0;

	for (size_t i = 0; i < table->count; i++)
		count += has_stack(&table->rows[i]);
	return count;
}

static void write_figures(const struct sprof_call_row *row, struct sprof_out *out)
{
	const struct sprof_histogram *latency = &row->latency;
	char name[NAME_SIZE];

	sprof_syscall_name_on(row->arch, row->number, name, sizeof(name));
	sprof_out_printf(out, "\n%s: ", name);
	if (latency->count)
		sprof_out_printf(out, "%llu %s, %s in all, longest %s%s",
			(unsigned long long)latency->count, latency->count == 1 ? "call" : "calls",
			sprof_figure_time(latency->total).text,
			sprof_figure_time(latency->max).text, row->cut_off ? "; " : "");
	if (row->cut_off)
		sprof_out_printf(out, "%llu not whole, %s seen", (unsigned long long)row->cut_off,
			sprof_figure_time(row->cut_off_ns).text);
	sprof_out_puts(out, "\n");
}

bool sprof_call_stacks_text(const struct sprof_call_report *report, struct sprof_out *out)
{
	const struct sprof_call_table *table = report->stacks;
	const size_t count = count_stacks(table);
	struct sprof_briefs *briefs;
	size_t shown = 0;
	bool ok = sprof_briefs_create(report->profile, report->short_names, &briefs);

	sprof_out_printf(out, "\nwhere %s come from:%s\n",
		table->threshold_ns ? "the calls beyond --than" : "the calls",
		count ? "" : " no stack was seen");
	for (size_t i = 0; ok && i < table->count && shown < STACKS_SHOWN; i++) {
		const struct sprof_call_row *row = &table->rows[i];

		if (!has_stack(row))
			continue;
		write_figures(row, out);
		ok = sprof_frames_write(report->profile, row->stack, briefs, 0, out);
		shown++;
	}
	if (ok && count > shown)
		sprof_out_printf(out, "\n%zu more stacks: --json prints them, -o FILE keeps them\n",
			count - shown);
	sprof_briefs_destroy(briefs);
	return ok;
}

static void json_stack(const struct sprof_call_report *report, const struct sprof_call_row *row,
	struct sprof_json *json)
{
	char name[NAME_SIZE];

	sprof_syscall_name_on(row->arch, row->number, name, sizeof(name));
	sprof_json_member_string(json, "{\"syscall\":", name);
	sprof_json_format(json,
		",\"calls\":%llu,\"total_ns\":%llu,\"max_ns\":%llu,\"errors\":%llu,"
		"\"partial\":%llu,\"partial_ns\":%llu,\"frames\":[",
		(unsigned long long)row->latency.count, (unsigned long long)row->latency.total,
		(unsigned long long)row->latency.max, (unsigned long long)row->errors,
		(unsigned long long)row->cut_off, (unsigned long long)row->cut_off_ns);
	sprof_frames_json(report->profile, row->stack, json);
	sprof_json_text(json, "]}");
}

void sprof_call_stacks_json(const struct sprof_call_report *report, struct sprof_json *json)
{
	bool first = true;

	sprof_json_text(json, "[");
	for (size_t i = 0; i < report->stacks->count; i++) {
		if (!has_stack(&report->stacks->rows[i]))
			continue;
		sprof_json_comma(json, &first);
		json_stack(report, &report->stacks->rows[i], json);
	}
	sprof_json_text(json, "]");
}
