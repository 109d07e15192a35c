/* Writes frames with number, name and place. Does not resolve names. */
#include "output/frames.h"

#include "base/cleanup.h"
#include "output/clean.h"
#include "profile/model/stack-lines.h"

static bool write_line(const struct sprof_profile *profile, const struct sprof_profile_line *line,
	const struct sprof_briefs *briefs, struct sprof_out *out)
{
	const struct sprof_profile_function *function = &profile->functions[line->function];
	SPROF_AUTO_FREE char *name = sprof_briefs_fit(briefs, function->name, 0);
	const char *path = sprof_profile_line_file(profile, line);
	SPROF_AUTO_FREE char *file = sprof_clean_text(path ? path : "", NULL);

	if (!name || !file)
		return false;
	sprof_out_printf(out, "%s%s", name, sprof_mark_text(line->mark));
	if (path && line->line)
		sprof_out_printf(out, " at %s:%u", file, line->line);
	sprof_out_puts(out, "\n");
	return true;
}

bool sprof_frames_write(const struct sprof_profile *profile, uint32_t stack,
	const struct sprof_briefs *briefs, size_t max, struct sprof_out *out)
{
	struct sprof_stack_lines at = {.stack = stack};
	const struct sprof_profile_line *line;

	for (size_t i = 0; (!max || i < max) && (line = sprof_stack_lines_next(profile, &at));
		i++) {
		sprof_out_printf(out, "  #%-3zu ", i);
		if (!write_line(profile, line, briefs, out))
			return false;
	}
	return true;
}

void sprof_frames_json(const struct sprof_profile *profile, uint32_t stack, struct sprof_json *json)
{
	struct sprof_stack_lines at = {.stack = stack};
	const struct sprof_profile_line *line;
	bool first = true;

	while ((line = sprof_stack_lines_next(profile, &at))) {
		sprof_json_comma(json, &first);
		sprof_json_string(json, profile->functions[line->function].name);
	}
}
