/*
 * The table of stacks in the Firefox Profiler's format: all rows' stacks, then the copies for
 * waiting threads.
 */
#include "output/formats/firefox.h"

#include <stdlib.h>

/* The waiting stacks, by number. Returns NULL if out of memory. */
static uint32_t *idle_stacks(const struct sprof_firefox *writer)
{
	uint32_t *stacks = calloc(writer->idle_count + 1, sizeof(*stacks));

	for (size_t i = 1; stacks && i < writer->profile->stack_count; i++) {
		if (writer->idle[i])
			stacks[writer->idle[i] - writer->stack_count] = (uint32_t)i;
	}
	return stacks;
}

static const struct sprof_profile_location *location_of(
	const struct sprof_firefox *writer, uint32_t stack)
{
	return &writer->profile->locations[writer->profile->stacks[stack].location];
}

static void write_frames(struct sprof_firefox *writer, const uint32_t *idle)
{
	bool first = true;

	sprof_json_text(&writer->json, "\"frame\":[");
	for (uint32_t i = 1; i < writer->profile->stack_count; i++) {
		const struct sprof_profile_location *location = location_of(writer, i);

		for (uint32_t k = location->line_count; k-- > 0;) {
			sprof_json_comma(&writer->json, &first);
			sprof_json_number(&writer->json, location->first_line + k);
		}
	}
	for (uint32_t i = 0; i < writer->idle_count; i++) {
		sprof_json_comma(&writer->json, &first);
		sprof_json_number(&writer->json,
			writer->profile->line_count + location_of(writer, idle[i])->first_line);
	}
	sprof_json_text(&writer->json, "]");
}

/* The distance back to the stack without its innermost frame; 0: there is none. */
static void write_offsets(struct sprof_firefox *writer, const uint32_t *idle)
{
	const struct sprof_profile *profile = writer->profile;
	bool first = true;

	sprof_json_text(&writer->json, ",\"prefixOffset\":[");
	for (uint32_t i = 1; i < profile->stack_count; i++) {
		uint32_t parent = profile->stacks[i].parent;
		uint32_t count = location_of(writer, i)->line_count;
		uint32_t outermost = writer->ends[i] + 1 - count;

		for (uint32_t k = 0; k < count; k++) {
			sprof_json_comma(&writer->json, &first);
			sprof_json_number(&writer->json,
				k ? 1
					: parent == SPROF_PROFILE_ROOT
					? 0
					: outermost - writer->ends[parent]);
		}
	}
	for (uint32_t i = 0; i < writer->idle_count; i++) {
		uint32_t own = writer->stack_count + i, parent = profile->stacks[idle[i]].parent;
		uint32_t back = location_of(writer, idle[i])->line_count > 1
			? own - (writer->ends[idle[i]] - 1)
			: parent == SPROF_PROFILE_ROOT ? 0
						       : own - writer->ends[parent];

		sprof_json_comma(&writer->json, &first);
		sprof_json_number(&writer->json, back);
	}
	sprof_json_text(&writer->json, "]");
}

void sprof_firefox_write_stacks(struct sprof_firefox *writer)
{
	uint32_t *idle = idle_stacks(writer);

	if (!idle) {
		writer->failed = true;
		return;
	}
	sprof_json_format(&writer->json, ",\"stackTable\":{\"length\":%u,",
		writer->stack_count + writer->idle_count);
	write_frames(writer, idle);
	write_offsets(writer, idle);
	sprof_json_text(&writer->json, "}");
	free(idle);
}
