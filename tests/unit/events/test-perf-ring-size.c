/*
 * Who may lock any amount of memory: a capability decides that, not the user's id.
 */
#include "events/perf/rings.h"

#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/check.h"

static struct __user_cap_header_struct header(void)
{
	return (struct __user_cap_header_struct){.version = _LINUX_CAPABILITY_VERSION_3};
}

static void set(const struct __user_cap_data_struct *data)
{
	struct __user_cap_header_struct asked = header();

	assert_int_equal(syscall(SYS_capset, &asked, data), 0);
}

static void root_without_the_capability_may_not(void **state)
{
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3], less[2];
	struct __user_cap_header_struct asked = header();
	const uint32_t bit = CAP_TO_MASK(CAP_IPC_LOCK);

	assert_int_equal(syscall(SYS_capget, &asked, data), 0);
	assert_int_equal(sprof_perf_may_lock_all(), !!(data[0].effective & bit));
	memcpy(less, data, sizeof(less));
	less[0].effective &= ~bit;
	set(less);
	assert_false(sprof_perf_may_lock_all());
	set(data);
}

TEST_MAIN("perf-ring-size")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(root_without_the_capability_may_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
