/*
 * attach/rewinds: calls that begin anew, and handlers that come before or after that.
 */
#include "attach/calls/rewinds.h"

#include <errno.h>

#include "tests/unit/check.h"

enum { PC = 0x1000, SP = 0x8000, ARGUMENT = 3 };

static const uint64_t interrupted = (uint64_t)-EINTR;

static struct sprof_regs regs_at(uint64_t pc, uint64_t sp, uint64_t first)
{
	struct sprof_regs regs = {.system_call = 22, .coming_call = -1};

	for (unsigned i = 0; i < SPROF_REG_COUNT; i++)
		regs.values[i] = 100 + i;
	regs.values[SPROF_REG_PC] = pc;
	regs.values[SPROF_REG_SP] = sp;
	regs.values[0] = first;
	return regs;
}

/* Stopped in a call at PC, which is begun anew. */
static struct sprof_regs begin_anew(struct sprof_rewinds *rewinds)
{
	const struct sprof_regs before = regs_at(PC + SPROF_CALL_INSTRUCTION, SP, interrupted);

	assert_true(sprof_rewinds_allow(rewinds, &before));
	sprof_rewinds_note(rewinds, &before, &(struct sprof_regs_place){PC, ARGUMENT});
	return regs_at(PC, SP, ARGUMENT);
}

static void every_stop_begins_anew(void **state)
{
	struct sprof_rewinds rewinds = {0};

	begin_anew(&rewinds);
	begin_anew(&rewinds);
}

/* The signal came while the thread stood at our stop: the call ends with EINTR all the same. */
static void a_handler_after_it(void **state)
{
	struct sprof_rewinds rewinds = {0};
	struct sprof_regs now = begin_anew(&rewinds);
	struct sprof_regs_place place;

	assert_true(sprof_rewinds_handle(&rewinds, &now, &place));
	assert_int_equal(place.pc, PC + SPROF_CALL_INSTRUCTION);
	assert_int_equal(place.value, interrupted);
	/* It has returned, and the program must see that. */
	now = regs_at(place.pc, SP, place.value);
	assert_false(sprof_rewinds_allow(&rewinds, &now));
	begin_anew(&rewinds);
}

/* Begun anew at the stop behind the call, where a register shows what the kernel says of the stop. */
static void a_handler_after_the_stop_at_its_end(void **state)
{
	struct sprof_rewinds rewinds = {0};
	struct sprof_regs before = regs_at(PC + SPROF_CALL_INSTRUCTION, SP, interrupted);
	const struct sprof_regs now = regs_at(PC, SP, ARGUMENT);
	struct sprof_regs_place place;

	before.values[SPROF_REG_CALL_STOP] = 1;
	before.values[SPROF_REG_PC] = PC + SPROF_CALL_INSTRUCTION;
	sprof_rewinds_note(&rewinds, &before, &(struct sprof_regs_place){PC, ARGUMENT});
	assert_true(sprof_rewinds_handle(&rewinds, &now, &place));
	assert_int_equal(place.pc, PC + SPROF_CALL_INSTRUCTION);
	assert_int_equal(place.value, interrupted);
}

/* Another signal, for the same reason, at the place where the first has put it. */
static void two_handlers_after_it(void **state)
{
	struct sprof_rewinds rewinds = {0};
	struct sprof_regs now = begin_anew(&rewinds);
	struct sprof_regs_place place;

	assert_true(sprof_rewinds_handle(&rewinds, &now, &place));
	now = regs_at(place.pc, SP, place.value);
	assert_false(sprof_rewinds_handle(&rewinds, &now, &place));
	assert_false(sprof_rewinds_allow(&rewinds, &now));
	begin_anew(&rewinds);
}

static void the_thread_went_on(void **state)
{
	struct sprof_rewinds rewinds = {0};
	struct sprof_regs now = begin_anew(&rewinds);
	struct sprof_regs_place place;

	now.values[1]++; /* another call at the same place */
	assert_false(sprof_rewinds_handle(&rewinds, &now, &place));
}

/* It wakes the call, which the kernel lets end with EINTR, or begin anew where it ends so if a
 * handler runs. */
static void a_handler_in_the_call(void **state)
{
	struct sprof_rewinds rewinds = {0};
	struct sprof_regs behind = regs_at(PC + SPROF_CALL_INSTRUCTION, SP, interrupted),
			  before = regs_at(PC, SP, ARGUMENT);
	struct sprof_regs_place place;

	assert_false(sprof_rewinds_handle(&rewinds, &behind, &place));
	assert_false(sprof_rewinds_allow(&rewinds, &behind));
	assert_true(sprof_rewinds_allow(&rewinds, &behind));
	assert_false(sprof_rewinds_handle(&rewinds, &before, &place));
	assert_false(sprof_rewinds_allow(&rewinds, &behind));
	assert_true(sprof_rewinds_allow(&rewinds, &behind));
}

/* The call of a handler is another one: it has another sp. */
static void handlers_within_handlers(void **state)
{
	struct sprof_rewinds rewinds = {0};
	struct sprof_regs_place place;

	for (uint64_t depth = 0; depth < SPROF_REWINDS_HANDLED; depth++) {
		const struct sprof_regs now =
			regs_at(PC + SPROF_CALL_INSTRUCTION, SP - 512 * depth, interrupted);

		assert_true(sprof_rewinds_allow(&rewinds, &now));
		assert_false(sprof_rewinds_handle(&rewinds, &now, &place));
	}
	for (uint64_t depth = SPROF_REWINDS_HANDLED; depth-- > 0;) {
		const struct sprof_regs now =
			regs_at(PC + SPROF_CALL_INSTRUCTION, SP - 512 * depth, interrupted);

		assert_false(sprof_rewinds_allow(&rewinds, &now));
		assert_true(sprof_rewinds_allow(&rewinds, &now));
	}
}

TEST_MAIN("rewinds")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_stop_begins_anew),
		cmocka_unit_test(a_handler_after_it),
		cmocka_unit_test(a_handler_after_the_stop_at_its_end),
		cmocka_unit_test(two_handlers_after_it),
		cmocka_unit_test(the_thread_went_on),
		cmocka_unit_test(a_handler_in_the_call),
		cmocka_unit_test(handlers_within_handlers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
