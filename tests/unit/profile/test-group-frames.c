/*
 * profile/group-frames: two programs' worth of frames by object, file, line, and by the functions
 * that match. Self times are those of innermost frames; a total has each sample once.
 */
#include "profile/views/group-frames.h"

#include <string.h>

#include "profile/model/build.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

struct subject {
	struct sprof_profile *profile;
	uint32_t thread;
};

static struct sprof_profile_line line_of(struct subject *subject, const char *path,
	const char *name, const char *file, uint32_t number)
{
	struct sprof_profile_function function = {
		.name = name, .file = file, .module = SPROF_PROFILE_NONE};
	struct sprof_profile_line line = {.line = number};

	if (path)
		assert_true(sprof_build_module(subject->profile, path, NULL, &function.module));
	assert_true(sprof_build_function(subject->profile, &function, &line.function));
	return line;
}

static uint32_t push(struct subject *subject, uint32_t parent,
	const struct sprof_profile_line *lines, size_t count)
{
	const struct sprof_profile_function *owner =
		&subject->profile->functions[lines[count - 1].function];
	const struct sprof_frame frame = {.module = owner->module, .offset = lines[0].line};
	uint32_t location, stack;

	assert_true(sprof_build_location(subject->profile, &frame, lines, count, &location));
	assert_true(sprof_profile_push(subject->profile, parent, location, &stack));
	return stack;
}

static void add(struct subject *subject, uint32_t stack, uint64_t samples)
{
	example_add_row(subject->profile, subject->thread, stack,
		&(struct sprof_metrics){.samples = samples});
}

/*
 * main (app.c:1) 1; main > work (app.c:7), with step (app.h:3) inlined, 2; main > work > copy of the
 * library, without a file, 4; main > work > copy > work 8; a mere name 16.
 */
static struct subject make(void)
{
	struct subject subject = {.profile = sprof_build_create()};
	const struct sprof_build_thread thread = {.pid = 1, .tid = 1, .name = "t"};
	struct sprof_profile_line lines[2];
	uint32_t root, work, copy;

	assert_non_null(subject.profile);
	assert_true(sprof_build_thread(subject.profile, &thread, &subject.thread));
	lines[0] = line_of(&subject, "/bin/app", "main", "app.c", 1);
	root = push(&subject, SPROF_PROFILE_ROOT, lines, 1);
	lines[0] = line_of(&subject, "/bin/app", "step", "app.h", 3);
	lines[0].mark = SPROF_MARK_INLINED;
	lines[1] = line_of(&subject, "/bin/app", "work", "app.c", 7);
	work = push(&subject, root, lines, 2);
	lines[0] = line_of(&subject, "/lib/libx.so", "copy", NULL, 0);
	copy = push(&subject, work, lines, 1);
	lines[0] = line_of(&subject, "/bin/app", "work", "app.c", 7);
	add(&subject, root, 1);
	add(&subject, work, 2);
	add(&subject, copy, 4);
	add(&subject, push(&subject, copy, lines, 1), 8);
	lines[0] = line_of(&subject, NULL, "[unsampled]", NULL, 0);
	add(&subject, push(&subject, SPROF_PROFILE_ROOT, lines, 1), 16);
	return subject;
}

static void check_group(
	const struct sprof_groups *groups, const char *name, uint64_t self, uint64_t total)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct sprof_group *group = &groups->items[i];

		if ((name && group->name) ? strcmp(name, group->name) : name != group->name)
			continue;
		assert_int_equal(group->sum.samples, self);
		assert_int_equal(group->total.samples, total);
		return;
	}
	fail_msg("no group %s", name ? name : "of the rest");
}

static struct sprof_groups build(const struct subject *subject, const char *name)
{
	struct sprof_groups groups;
	struct sprof_error err;
	uint64_t sum = 0;

	assert_true(sprof_groups_build_frames(
		subject->profile, name, SPROF_WEIGHT_SAMPLES, &groups, &err));
	assert_true(groups.of_frames);
	assert_string_equal(groups.label, name);
	for (size_t i = 0; i < groups.count; i++) {
		sum += groups.items[i].sum.samples;
		assert_true(groups.items[i].total.samples >= groups.items[i].sum.samples);
		assert_true(groups.items[i].total.samples <= 31);
	}
	assert_int_equal(sum, 31);
	return groups;
}

static void end(struct subject *subject, struct sprof_groups *groups)
{
	sprof_groups_finish(groups);
	sprof_profile_destroy(subject->profile);
}

static void objects(void **state)
{
	struct subject subject = make();
	struct sprof_groups groups = build(&subject, "dso");

	assert_int_equal(groups.count, 3);
	check_group(&groups, "/bin/app", 11, 15);
	check_group(&groups, "/lib/libx.so", 4, 12);
	check_group(&groups, NULL, 16, 16);
	assert_null(groups.items[2].name);
	end(&subject, &groups);
}

/* Inlined code is of the file that it was written in. */
static void files(void **state)
{
	struct subject subject = make();
	struct sprof_groups groups = build(&subject, "file");

	assert_int_equal(groups.count, 3);
	check_group(&groups, "app.c", 9, 15);
	check_group(&groups, "app.h", 2, 14);
	check_group(&groups, NULL, 20, 28);
	end(&subject, &groups);
}

static void source_lines(void **state)
{
	struct subject subject = make();
	struct sprof_groups groups = build(&subject, "srcline");

	assert_int_equal(groups.count, 4);
	check_group(&groups, "app.c:1", 1, 15);
	check_group(&groups, "app.c:7", 8, 14);
	check_group(&groups, "app.h:3", 2, 14);
	check_group(&groups, NULL, 20, 28);
	end(&subject, &groups);
}

/* As the file has them, as the process had them, or the offset; inlined functions have one. */
static void addresses(void **state)
{
	struct subject subject = make();
	struct sprof_profile_module *facts = subject.profile->module_facts;
	struct sprof_segment segment = {.offset = 0, .file_size = 0x100, .address = 0x400000};
	struct sprof_groups groups = build(&subject, "address");

	assert_int_equal(groups.count, 5);
	check_group(&groups, "app offset 0x1 main", 1, 15);
	check_group(&groups, "app offset 0x3 step", 2, 14);
	check_group(&groups, "app offset 0x7 work", 8, 8);
	check_group(&groups, "libx.so offset 0x0 copy", 4, 12);
	check_group(&groups, NULL, 16, 16);
	sprof_groups_finish(&groups);
	facts[0].segments = &segment;
	facts[0].segment_count = 1;
	facts[0].mapped_at = 0x7f0000;
	facts[1].mapped_at = 0x8f0000;
	groups = build(&subject, "address");
	check_group(&groups, "app 0x400001 (was 0x7f0001) main", 1, 15);
	check_group(&groups, "libx.so 0x8f0000 copy", 4, 12);
	facts[0].segments = NULL;
	facts[0].segment_count = 0;
	end(&subject, &groups);
}

static void only_these_are_of_frames(void **state)
{
	assert_true(sprof_frames_have("dso"));
	assert_true(sprof_frames_have("file"));
	assert_true(sprof_frames_have("srcline"));
	assert_true(sprof_frames_have("address"));
	assert_false(sprof_frames_have("comm"));
	assert_false(sprof_frames_have(""));
}

/* Names without modules, files and lines; and no rows at all, which is no error. */
static void what_no_frame_has(void **state)
{
	static const char *const names[] = {"dso", "file", "srcline"};
	struct sprof_profile *profile = example_worked(), *empty = sprof_build_create();
	struct sprof_groups groups;
	struct sprof_error err;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_false(sprof_groups_build_frames(
			profile, names[i], SPROF_WEIGHT_SAMPLES, &groups, &err));
		assert_int_equal(err.kind, SPROF_ERROR_NOT_FOUND);
		assert_non_null(strstr(err.message, names[i]));
		assert_true(sprof_groups_build_frames(
			empty, names[i], SPROF_WEIGHT_SAMPLES, &groups, &err));
		assert_int_equal(groups.count, 0);
		sprof_groups_finish(&groups);
	}
	sprof_profile_destroy(empty);
	sprof_profile_destroy(profile);
}

static struct sprof_groups build_parents(const struct sprof_profile *profile, const char *pattern)
{
	struct sprof_groups groups;
	struct sprof_error err;

	assert_true(
		sprof_groups_build_parents(profile, pattern, SPROF_WEIGHT_SAMPLES, &groups, &err));
	assert_false(groups.of_frames);
	return groups;
}

/* The innermost match decides: the function itself before its callers. */
static void parents(void **state)
{
	struct sprof_profile *profile = example_worked();
	struct sprof_groups groups = build_parents(profile, "^[ab]$");

	assert_int_equal(groups.count, 3);
	check_group(&groups, "b", 12, 0);
	check_group(&groups, "a", 4, 0);
	check_group(&groups, NULL, 1, 0);
	sprof_groups_finish(&groups);
	groups = build_parents(profile, "main");
	assert_int_equal(groups.count, 1);
	check_group(&groups, "main", 17, 0);
	sprof_groups_finish(&groups);
	sprof_profile_destroy(profile);
}

/* Of an inline chain, the innermost. */
static void inlined_parents(void **state)
{
	struct subject subject = make();
	struct sprof_groups groups = build_parents(subject.profile, "step|work");

	check_group(&groups, "step", 6, 0);
	check_group(&groups, "work", 8, 0);
	check_group(&groups, NULL, 17, 0);
	end(&subject, &groups);
}

static void no_parent(void **state)
{
	struct sprof_profile *profile = example_worked();
	struct sprof_groups groups;
	struct sprof_error err;

	assert_false(
		sprof_groups_build_parents(profile, "nobody", SPROF_WEIGHT_SAMPLES, &groups, &err));
	assert_int_equal(err.kind, SPROF_ERROR_NOT_FOUND);
	assert_false(sprof_groups_build_parents(profile, "(", SPROF_WEIGHT_SAMPLES, &groups, &err));
	assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	sprof_profile_destroy(profile);
}

TEST_MAIN("group-frames")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects),
		cmocka_unit_test(files),
		cmocka_unit_test(source_lines),
		cmocka_unit_test(addresses),
		cmocka_unit_test(only_these_are_of_frames),
		cmocka_unit_test(what_no_frame_has),
		cmocka_unit_test(parents),
		cmocka_unit_test(inlined_parents),
		cmocka_unit_test(no_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
