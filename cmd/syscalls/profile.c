/* Adds system calls to a profile. Does not handle calls that were seen only in part. */
#include "cmd/syscalls/profile.h"

#include <stddef.h>
#include <stdio.h>

#include "base/syscall-name.h"
#include "cmd/cli/option-values.h"
#include "cmd/saved/report-options.h"
#include "profile/model/build.h"

static const struct sprof_kind kinds[] = {
	{"latency", "nanoseconds", SPROF_FOLD_SUM},
	{"calls", "count", SPROF_FOLD_SUM},
	{"errors", "count", SPROF_FOLD_SUM},
	{"longest", "nanoseconds", SPROF_FOLD_MAX},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

const struct sprof_option sprof_call_profile_weight_table[] = {
	{"weight", NULL, "KIND",
		"latency, calls, errors or longest (latency); with --sample also\n"
		"wall, user, sys, ... (wall)",
		sprof_value_text, offsetof(struct sprof_report_options, weight)},
	{0},
};

void sprof_call_profile_begin(struct sprof_profile *profile)
{
	for (size_t i = 0; i < KINDS; i++)
		profile->kinds.further[i] = kinds[i];
	profile->kinds.further_count = KINDS;
	if (!profile->kinds.has_times)
		profile->kinds.shown = SPROF_WEIGHT_FURTHER;
}

static bool add_row(struct sprof_profile *profile, const struct sprof_call_row *call)
{
	const uint64_t values[KINDS] = {
		call->latency.total, call->latency.count, call->errors, call->latency.max};
	struct sprof_profile_context context = {.state = SPROF_STATE_COUNT};
	struct sprof_profile_row row = {.thread = sprof_profile_thread_of(profile, call->thread)};
	char name[64], frame[sizeof(name) + 2];
	uint32_t location;

	sprof_syscall_name_on(call->arch, call->number, name, sizeof(name));
	snprintf(frame, sizeof(frame), "[%s]", name);
	context.syscall = name;
	return sprof_profile_kernel_location(profile, frame, &location) &&
		sprof_profile_push(profile, call->stack, location, &row.stack) &&
		sprof_build_context(profile, &context, &row.context) &&
		sprof_build_row(profile, &row, values);
}

/* Threads that the profile has not heard of can't have calls. */
static bool is_known(const struct sprof_profile *profile, const struct sprof_call_row *call)
{
	return sprof_profile_thread_of(profile, call->thread) != SPROF_PROFILE_NONE &&
		call->stack < profile->stack_count;
}

bool sprof_call_profile_add(struct sprof_profile *profile, const struct sprof_call_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct sprof_call_row *row = &table->rows[i];

		if (row->latency.count && is_known(profile, row) && !add_row(profile, row))
			return false;
	}
	return true;
}
