/* Adds values other than time, such as page faults or bytes, while recording. */
#include "profile/model/index.h"
#include "profile/model/kinds.h"

bool sprof_profile_add_values(struct sprof_profile *profile, uint32_t thread, uint32_t stack,
	const char *frame, const uint64_t *values)
{
	const struct sprof_profile_context context = {.state = SPROF_STATE_COUNT};
	struct sprof_profile_row row = {.stack = stack};
	uint32_t location, id;

	if (frame &&
		(!sprof_profile_name_location(profile, frame, &location) ||
			!sprof_profile_push(profile, SPROF_PROFILE_ROOT, location, &row.stack)))
		return false;
	return sprof_profile_find_thread(profile, thread, &row.thread) &&
		sprof_profile_intern_context(profile, &context, &row.context) &&
		sprof_profile_intern_row(profile, &row, &id) &&
		sprof_profile_add_further(profile, id, values);
}
