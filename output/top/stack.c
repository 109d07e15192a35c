/* The stack of one thread of sprof top at its last sample, innermost function first. */
#include "base/strings.h"
#include "output/top/views.h"
#include "profile/model/stack-lines.h"

enum { NUMBER, PLACE, FUNCTION };

static const struct sprof_top_column columns[] = {
	[NUMBER] = {"#", SPROF_TOP_COUNT, 0, 1},
	[PLACE] = {"AT", SPROF_TOP_TEXT, 28, 2},
	[FUNCTION] = {"FUNCTION", SPROF_TOP_FUNCTION, 0, 0},
};

/* "server.c:120", or the name of the module. */
static const char *place_of(const struct sprof_profile *profile,
	const struct sprof_profile_line *line, struct sprof_top_table *table)
{
	const struct sprof_profile_function *function = &profile->functions[line->function];
	const char *file = sprof_profile_line_file(profile, line);

	if (file && line->line)
		return sprof_top_table_text(
			table, "%s:%u", sprof_string_file_name(file), line->line);
	if (function->module == SPROF_PROFILE_NONE)
		return "";
	return sprof_module_name(sprof_modules_get(profile->modules, function->module));
}

static bool add_line(const struct sprof_profile *profile, const struct sprof_profile_line *line,
	struct sprof_top_table *table)
{
	struct sprof_top_row *row = sprof_top_table_add(table);

	if (!row)
		return false;
	row->id = table->count;
	row->cells[NUMBER].number = (double)(table->count - 1);
	row->cells[PLACE].text = place_of(profile, line, table);
	row->cells[FUNCTION].text = profile->functions[line->function].name;
	return true;
}

bool sprof_top_stack(
	const struct sprof_top_shown *shown, struct sprof_top_table *table, struct sprof_error *err)
{
	const struct sprof_profile *latest = shown->latest;
	const uint32_t thread = sprof_top_find_thread(latest, shown->thread);
	const struct sprof_profile_row *last =
		thread == SPROF_PROFILE_NONE ? NULL : sprof_top_last_row(latest, thread);
	struct sprof_stack_lines at = {.stack = last ? last->stack : SPROF_PROFILE_ROOT};
	const struct sprof_profile_line *line;

	table->columns = columns;
	table->column_count = sizeof(columns) / sizeof(columns[0]);
	table->keeps_order = true;
	while ((line = sprof_stack_lines_next(latest, &at))) {
		if (!add_line(latest, line, table))
			return sprof_error_no_memory(err);
	}
	return !table->out_of_memory || sprof_error_no_memory(err);
}
