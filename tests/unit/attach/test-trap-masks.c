/*
 * attach/trap-masks: what a mask was before a trap has unblocked SIGTRAP.
 */
#include "attach/breakpoints/masks.h"

#include <signal.h>

#include "tests/unit/check.h"

static const uint64_t all = UINT64_MAX;

static uint64_t bit(int signal)
{
	return sprof_trap_mask_bit(signal);
}

static uint64_t behind(uint64_t mask)
{
	return mask & ~bit(SIGTRAP);
}

static void expect(const struct sprof_trap_masks *masks, uint64_t mask)
{
	assert_int_equal(sprof_trap_masks_before(masks, behind(mask)), mask);
}

static void a_known_mask_is_exact(void **state)
{
	const uint64_t alone = bit(SIGTRAP), all_but = all & ~bit(SIGTRAP);
	struct sprof_trap_masks masks = {0};

	sprof_trap_masks_note(&masks, alone);
	expect(&masks, alone);
	sprof_trap_masks_note(&masks, all_but);
	expect(&masks, all_but);
	sprof_trap_masks_note(&masks, 0);
	expect(&masks, 0);
}

/* After a handler it has the mask of before. */
static void an_earlier_mask_is_exact_too(void **state)
{
	const uint64_t before = bit(SIGTRAP) | bit(SIGINT);
	struct sprof_trap_masks masks = {0};

	sprof_trap_masks_note(&masks, before);
	sprof_trap_masks_note(&masks, bit(SIGINT) | bit(SIGUSR1));
	expect(&masks, before);
	for (int signal = SIGRTMIN; signal < SIGRTMIN + SPROF_TRAP_MASKS; signal++)
		sprof_trap_masks_note(&masks, bit(signal));
	assert_int_equal(sprof_trap_masks_before(&masks, behind(before)), behind(before));
}

static void a_mask_that_is_not_known(void **state)
{
	struct sprof_trap_masks masks = {0};

	expect(&masks, 0);
	expect(&masks, all);
	expect(&masks, bit(SIGINT) | bit(SIGSEGV));
	sprof_trap_masks_note(&masks, bit(SIGTRAP) | bit(SIGINT));
	expect(&masks, bit(SIGTRAP) | bit(SIGINT) | bit(SIGTERM));
	expect(&masks, bit(SIGTERM));
}

static void calls_change_it(void **state)
{
	struct sprof_trap_masks masks = {0};

	sprof_trap_masks_change(&masks, SIG_BLOCK, bit(SIGTRAP));
	assert_int_equal(masks.count, 0);
	sprof_trap_masks_change(&masks, SIG_SETMASK, all);
	assert_int_equal(masks.known[0], all & ~bit(SIGKILL) & ~bit(SIGSTOP));
	sprof_trap_masks_change(&masks, SIG_UNBLOCK, ~bit(SIGINT));
	assert_int_equal(masks.known[0], bit(SIGINT));
	sprof_trap_masks_change(&masks, SIG_BLOCK, bit(SIGTRAP) | bit(SIGKILL));
	assert_int_equal(masks.known[0], bit(SIGINT) | bit(SIGTRAP));
	sprof_trap_masks_change(&masks, 99, all);
	assert_int_equal(masks.known[0], bit(SIGINT) | bit(SIGTRAP));
}

TEST_MAIN("trap-masks")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_known_mask_is_exact),
		cmocka_unit_test(an_earlier_mask_is_exact_too),
		cmocka_unit_test(a_mask_that_is_not_known),
		cmocka_unit_test(calls_change_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
