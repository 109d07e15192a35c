/*
 * Profiles made by hand, of functions that are names only.
 */
#include "tests/unit/profile/example.h"

#include "profile/model/build.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "tests/unit/check.h"

uint32_t example_thread(struct sprof_profile *profile, const char *name)
{
	struct sprof_sink sink = sprof_profile_sink(profile);
	uint32_t id = (uint32_t)profile->thread_count;
	struct sprof_thread_record record = {
		.id = id,
		.pid = 100,
		.tid = 101 + (pid_t)id,
		.name = name,
		.process_name = "example",
	};

	assert_true(sink.thread(sink.data, &record));
	return id;
}

uint32_t example_stack(struct sprof_profile *profile, const char *folded)
{
	SPROF_AUTO_FREE char *copy = strdup(folded);
	uint32_t stack = SPROF_PROFILE_ROOT, location;
	char *rest = copy, *name;

	while ((name = strsep(&rest, ";"))) {
		assert_true(sprof_profile_name_location(profile, name, &location));
		assert_true(sprof_profile_push(profile, stack, location, &stack));
	}
	return stack;
}

uint32_t example_stack_in(struct sprof_profile *profile, const struct example_function *functions)
{
	uint32_t stack = SPROF_PROFILE_ROOT, location;

	for (uint32_t i = 0; functions[i].name; i++) {
		struct sprof_profile_function function = {
			.name = functions[i].name, .file = functions[i].file, .line = 1};
		struct sprof_profile_line line = {.line = functions[i].line,
			.kernel = !strcmp(functions[i].module, SPROF_MODULE_KERNEL)};
		struct sprof_frame frame = {.offset = 16 * (i + 1) + 4096 * functions[i].line};

		assert_true(
			sprof_build_module(profile, functions[i].module, NULL, &function.module));
		frame.module = function.module;
		assert_true(sprof_build_function(profile, &function, &line.function));
		/* Two functions of one place in the table would be one location. */
		frame.offset += (uint64_t)line.function << 32;
		assert_true(sprof_build_location(profile, &frame, &line, 1, &location));
		assert_true(sprof_profile_push(profile, stack, location, &stack));
	}
	return stack;
}

void example_add_row(struct sprof_profile *profile, uint32_t thread, uint32_t stack,
	const struct sprof_metrics *metrics)
{
	const struct sprof_profile_context context = {.state = SPROF_STATE_COUNT};
	struct sprof_profile_row row = {.thread = thread, .stack = stack, .metrics = *metrics};

	assert_true(sprof_build_context(profile, &context, &row.context));
	assert_true(sprof_build_row(profile, &row, NULL));
}

void example_add(struct sprof_profile *profile, uint32_t thread, const char *folded,
	const struct sprof_metrics *metrics)
{
	example_add_row(profile, thread, example_stack(profile, folded), metrics);
}

struct sprof_profile *example_worked(void)
{
	static const struct {
		const char *folded;
		uint64_t samples;
	} stacks[] = {
		{"main", 1}, {"main;a", 2}, {"main;a;b", 4}, {"main;a;b;c", 8}, {"main;a;c", 2}};
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread;

	assert_non_null(profile);
	thread = example_thread(profile, "example");
	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
		struct sprof_metrics metrics = {
			.samples = stacks[i].samples,
			.times.ns[SPROF_TIME_USER] = stacks[i].samples * SPROF_NS_PER_MS,
		};

		example_add(profile, thread, stacks[i].folded, &metrics);
	}
	assert_true(sprof_profile_describe(profile, "./example", 0));
	return profile;
}
