/* Go's threads that have nothing to run, and where its packages end and the program begins. */
#include "profile/answer/idle.h"

#include "profile/answer/boundaries.h"
#include "tests/unit/check.h"

enum { FRAMES = 4 };

/* A profile with one stack of such functions, innermost first. */
struct scene {
	struct sprof_profile_function functions[FRAMES];
	struct sprof_profile_line lines[FRAMES];
	struct sprof_profile_location locations[FRAMES];
	struct sprof_profile_stack stacks[FRAMES + 1];
	struct sprof_profile profile;
};

static uint32_t set_up(struct scene *scene, const char *const names[FRAMES])
{
	*scene = (struct scene){0};
	scene->stacks[SPROF_PROFILE_ROOT].location = SPROF_PROFILE_NONE;
	for (uint32_t i = 0; i < FRAMES; i++) {
		scene->functions[i] = (struct sprof_profile_function){
			.name = names[i], .module = SPROF_PROFILE_NONE};
		scene->lines[i].function = i;
		scene->locations[i] =
			(struct sprof_profile_location){.first_line = i, .line_count = 1};
		scene->stacks[FRAMES - i] =
			(struct sprof_profile_stack){.parent = FRAMES - i - 1, .location = i};
	}
	scene->profile.functions = scene->functions;
	scene->profile.lines = scene->lines;
	scene->profile.locations = scene->locations;
	scene->profile.stacks = scene->stacks;
	return FRAMES;
}

static void a_scheduler_without_work_is_idle(void **state)
{
	static const char *const futex[] = {
		"runtime.futex", "runtime.notesleep", "runtime.stopm", "runtime.mcall"};
	static const char *const poll[] = {
		"runtime.epollwait", "runtime.netpoll", "runtime.findRunnable", "runtime.schedule"};
	static const char *const lock[] = {
		"runtime.futex", "runtime.lock2", "runtime.mallocgc", "main.main"};
	static const char *const other[] = {"read", "stopm", "runtime_stopm", "main"};
	static const char *const own_lock[] = {
		"runtime.futex", "runtime.lock2", "runtime.findRunnable", "runtime.schedule"};
	static const char *const stopped[] = {
		"runtime.futex", "runtime.stopm", "runtime.gcstopm", "runtime.findRunnable"};
	struct scene scene;

	assert_null(sprof_profile_idle_for(&scene.profile, set_up(&scene, own_lock)));
	assert_string_equal(sprof_profile_idle_for(&scene.profile, set_up(&scene, stopped)),
		"the end of a stop of the world");
	assert_string_equal(sprof_profile_idle_for(&scene.profile, set_up(&scene, futex)),
		"no goroutine to run");
	assert_string_equal(sprof_profile_idle_for(&scene.profile, set_up(&scene, poll)),
		"no goroutine to run");
	assert_null(sprof_profile_idle_for(&scene.profile, set_up(&scene, lock)));
	assert_null(sprof_profile_idle_for(&scene.profile, set_up(&scene, other)));
	assert_null(sprof_profile_idle_for(&scene.profile, SPROF_PROFILE_ROOT));
}

static void the_runtime_is_what_libc_is_elsewhere(void **state)
{
	static const char *const read[] = {
		"syscall.Syscall", "internal/poll.(*FD).Read", "os.(*File).Read", "main.main"};
	static const char *const lock[] = {
		"runtime.futex", "runtime.lock2", "runtime.mallocgc", "main.main"};
	struct scene scene;
	uint32_t stack = set_up(&scene, read);

	assert_int_equal(sprof_profile_outside_libc(&scene.profile, stack), 2);
	assert_int_equal(sprof_profile_lock_of(&scene.profile, stack), SPROF_LOCK_UNKNOWN);
	stack = set_up(&scene, lock);
	assert_int_equal(sprof_profile_outside_libc(&scene.profile, stack), 3);
	assert_int_equal(sprof_profile_lock_of(&scene.profile, stack), SPROF_LOCK_MUTEX);
}

TEST_MAIN("idle")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scheduler_without_work_is_idle),
		cmocka_unit_test(the_runtime_is_what_libc_is_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
