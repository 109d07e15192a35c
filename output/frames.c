/* Writes frames with number, name and place. Does not resolve names. */
#include "output/frames.h"

#include "base/cleanup.h"
#include "output/clean.h"

/* A place in a stack: one line after the other, innermost first. */
struct place {
	const struct sprof_profile *profile;
	uint32_t stack;
	uint32_t next; /* of its innermost location's lines */
};

/* NULL: the stack's end. */
static const struct sprof_profile_line *next_line(struct place *place)
{
	const struct sprof_profile *profile = place->profile;

	while (place->stack != SPROF_PROFILE_ROOT) {
		const struct sprof_profile_stack *stack = &profile->stacks[place->stack];
		const struct sprof_profile_location *location =
			&profile->locations[stack->location];

		if (place->next < location->line_count)
			return &profile->lines[location->first_line + place->next++];
		place->stack = stack->parent;
		place->next = 0;
	}
	return NULL;
}

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
	struct place place = {profile, stack, 0};
	const struct sprof_profile_line *line;

	for (size_t i = 0; (!max || i < max) && (line = next_line(&place)); i++) {
		sprof_out_printf(out, "  #%-3zu ", i);
		if (!write_line(profile, line, briefs, out))
			return false;
	}
	return true;
}

void sprof_frames_json(const struct sprof_profile *profile, uint32_t stack, struct sprof_json *json)
{
	struct place place = {profile, stack, 0};
	const struct sprof_profile_line *line;
	bool first = true;

	while ((line = next_line(&place))) {
		sprof_json_comma(json, &first);
		sprof_json_string(json, profile->functions[line->function].name);
	}
}
