/*
 * profile/waits-intern: the kernel's stacks of running threads, which come as addresses. The functions are
 * made up here: an address is the index of its name.
 */
#include <stdio.h>

#include "profile/model/index.h"
#include "tests/unit/check.h"

static const char *const functions[] = {"vfs_read", "ksys_read", "clear_page", "exc_page_fault",
	"tick", "sysvec_timer", "do_syscall_64"};

static void name_call(int64_t number, char *buffer, size_t size)
{
	snprintf(buffer, size, "%s", number == 0 ? "read" : "?");
}

static void name_function(const void *data, uint64_t address, char *buffer, size_t size)
{
	const char *const *names = data;

	snprintf(buffer, size, "%s", names[address]);
}

static uint32_t running_in(struct sprof_profile *profile, const struct sprof_wait *wait)
{
	uint32_t id;

	assert_true(sprof_profile_sink_wait(profile, wait, &id));
	return id;
}

/* The frames of a thread that runs in the kernel there, outermost first. */
static void check_running(struct sprof_profile *profile, int64_t call, const uint64_t addresses[2],
	const char *const expected[3])
{
	const struct sprof_wait running = {.system_call = call,
		.module = SPROF_RECORD_NONE,
		.kernel_addresses = addresses,
		.kernel_address_count = 2};
	const uint32_t id = running_in(profile, &running);
	const struct sprof_profile_wait *wait = &profile->waits[id];

	assert_int_equal(wait->frame_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const uint32_t location = profile->wait_frames[wait->first_frame + i];
		const struct sprof_profile_line *line =
			&profile->lines[profile->locations[location].first_line];

		assert_string_equal(profile->functions[line->function].name, expected[i]);
		assert_true(line->kernel);
	}
}

static void addresses_have_names(void **state)
{
	const struct sprof_profile_kernel kernel = {.syscall_name = name_call,
		.function_name = name_function,
		.data = functions,
		.frames = true};
	struct sprof_profile *profile = sprof_profile_create(NULL);

	sprof_profile_set_kernel(profile, &kernel);
	check_running(profile, 0, (const uint64_t[]){0, 1},
		(const char *const[]){"[read]", "ksys_read", "vfs_read"});
	check_running(profile, -1, (const uint64_t[]){2, 3},
		(const char *const[]){"[page fault]", "exc_page_fault", "clear_page"});
	check_running(profile, -1, (const uint64_t[]){4, 5},
		(const char *const[]){"[interrupt]", "sysvec_timer", "tick"});
	/* an unknown call, which has a page fault */
	check_running(profile, -1, (const uint64_t[]){3, 6},
		(const char *const[]){"[system call]", "do_syscall_64", "exc_page_fault"});
	sprof_profile_destroy(profile);
}

/* The same functions by other addresses are the same place. */
static void places_are_functions(void **state)
{
	static const char *const twins[] = {"vfs_read", "vfs_read"};
	const struct sprof_profile_kernel kernel = {
		.function_name = name_function, .data = twins, .frames = true};
	const uint64_t addresses[] = {0, 1};
	struct sprof_wait wait = {.module = SPROF_RECORD_NONE, .kernel_address_count = 1};
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t first;

	sprof_profile_set_kernel(profile, &kernel);
	wait.kernel_addresses = &addresses[0];
	first = running_in(profile, &wait);
	wait.kernel_addresses = &addresses[1];
	assert_int_equal(running_in(profile, &wait), first);
	sprof_profile_destroy(profile);
}

/* The system call is known all the same; outside of one, nothing is. */
static void hidden_functions_are_no_frames(void **state)
{
	const struct sprof_profile_kernel kernel = {.syscall_name = name_call, .frames = true};
	const uint64_t address = 1;
	struct sprof_wait wait = {.module = SPROF_RECORD_NONE,
		.kernel_addresses = &address,
		.kernel_address_count = 1};
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t id;

	sprof_profile_set_kernel(profile, &kernel);
	id = running_in(profile, &wait);
	assert_int_equal(profile->waits[id].frame_count, 1);
	wait.system_call = -1;
	assert_int_equal(running_in(profile, &wait), SPROF_WAIT_NONE);
	sprof_profile_destroy(profile);
}

TEST_MAIN("kernel-waits")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_have_names),
		cmocka_unit_test(places_are_functions),
		cmocka_unit_test(hidden_functions_are_no_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
