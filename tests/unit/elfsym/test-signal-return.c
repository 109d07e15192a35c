/*
 * elfsym/cfi: signal trampolines by their bytes of each form, one changed at a time.
 */
#include "elfsym/cfi/cfi.h"

#include <string.h>

#include "tests/unit/check.h"

static const struct form {
	enum sprof_machine machine;
	size_t size;
	uint8_t bytes[SPROF_SIGNAL_RETURN_LONGEST];
} forms[] = {
	/* mov $15, %eax; syscall */
	{SPROF_MACHINE_X86_64, 7, {0xb8, 15, 0, 0, 0, 0x0f, 0x05}},
	/* mov $15, %rax; syscall */
	{SPROF_MACHINE_X86_64, 9, {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}},
	/* mov x8, #139; svc #0 */
	{SPROF_MACHINE_AARCH64, 8, {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4}},
};

static void each_form(void **state)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const struct form *form = &forms[i];
		const enum sprof_machine other = form->machine == SPROF_MACHINE_X86_64
			? SPROF_MACHINE_AARCH64
			: SPROF_MACHINE_X86_64;

		assert_true(sprof_signal_return_decode(form->machine, form->bytes));
		assert_false(sprof_signal_return_decode(other, form->bytes));
	}
}

static void no_other_bytes(void **state)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		uint8_t bytes[SPROF_SIGNAL_RETURN_LONGEST];

		memcpy(bytes, forms[i].bytes, sizeof(bytes));
		for (size_t at = 0; at < sizeof(bytes); at++) {
			bytes[at] ^= 1;
			assert_int_equal(sprof_signal_return_decode(forms[i].machine, bytes),
				at >= forms[i].size);
			bytes[at] ^= 1;
		}
	}
}

TEST_MAIN("signal-return")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form),
		cmocka_unit_test(no_other_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
