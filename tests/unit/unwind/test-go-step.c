/*
 * unwind/go-step: over each function of Go's runtime that changes stacks, before it has done so and behind that. The
 * thread's stack and the goroutine's are arrays here.
 */
#include "unwind/step.h"

#include "tests/unit/unwind/stack.h"

enum {
	HOME = 0x800000,
	HOME_WORDS = 64,
	G = 0xc000001000,
	SCHED_PC = 0x500123,
	SLOT = 40, /* where asmcgocall notes what it has left */
};

#define HOME_ADDRESS(index) (HOME + (uint64_t)(index)*WORD)
#define HOME_VALUE(index) (0x900000 + (uint64_t)(index))

/* The thread's stack, and that of its goroutine, which was left at the 8th word. */
struct stacks {
	struct stack thread;
	uint64_t home[HOME_WORDS];
};

static void stacks_init(struct stacks *stacks)
{
	stack_init(&stacks->thread);
	for (size_t i = 0; i < HOME_WORDS; i++)
		stacks->home[i] = HOME_VALUE(i);
	stacks->thread.snapshot.home = (struct sprof_stack_copy){
		.base = HOME,
		.floor = HOME,
		.limit = HOME_ADDRESS(HOME_WORDS),
		.size = sizeof(stacks->home),
		.bytes = (const uint8_t *)stacks->home,
	};
	stacks->thread.snapshot.goroutine = (struct sprof_goroutine){
		.is_known = true,
		.g = G,
		.low = HOME,
		.high = HOME_ADDRESS(HOME_WORDS),
		.sched_sp = HOME_ADDRESS(8),
		.sched_pc = SCHED_PC,
	};
}

/* In the middle of a walk, on the goroutine's stack. */
static struct sprof_cursor at_home(int index)
{
	struct sprof_cursor cursor = middle();

	cursor.sp = HOME_ADDRESS(index);
	return cursor;
}

static struct sprof_cursor innermost(struct sprof_cursor cursor)
{
	cursor.innermost = true;
	cursor.is_return = false;
	return cursor;
}

static void expect_at(const struct sprof_cursor *cursor, uint64_t sp, uint64_t pc)
{
	assert_true(cursor->sp == sp);
	assert_true(cursor->pc == pc);
	assert_false(cursor->lr_known);
}

/* The caller is on the same stack. */
static void expect_here(
	const struct stacks *stacks, const struct sprof_rule *rule, struct sprof_cursor cursor)
{
	uint64_t cfa = cursor.sp + (uint64_t)(int64_t)rule->cfa_offset;
	uint64_t pc =
		cfa >= HOME ? HOME_VALUE((cfa - HOME) / WORD - 1) : VALUE((cfa - BASE) / WORD - 1);

	cursor = step_from(&stacks->thread, rule, cursor);
	expect_at(&cursor, cfa, pc);
}

static void on_the_stack_they_were_called_on(void **state)
{
	static const enum sprof_cfa_rule rules[] = {SPROF_CFA_GO_SYSTEM_CALL,
		SPROF_CFA_GO_SYSTEM_LEFT, SPROF_CFA_GO_C_CALL, SPROF_CFA_GO_C_CALL_HERE,
		SPROF_CFA_GO_VDSO};
	struct stacks stacks;

	stacks_init(&stacks);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct sprof_rule entry = rule(rules[i], 8), frame = rule(rules[i], 32);

		expect_here(&stacks, &entry, innermost(at_home(20)));
		expect_here(&stacks, &frame, innermost(at_home(20)));
		expect_here(&stacks, &entry, innermost(middle()));
	}
}

/* What only the instructions before the switch call, as systemstack does to note where it is. */
static void calls_before_the_switch(void **state)
{
	struct sprof_rule call = rule(SPROF_CFA_GO_SYSTEM_CALL, 8);
	struct sprof_rule left = rule(SPROF_CFA_GO_SYSTEM_LEFT, 8);
	struct stacks stacks;

	stacks_init(&stacks);
	expect_here(&stacks, &call, at_home(20));
	expect_here(&stacks, &left, at_home(20));
}

/* [low, high): where another stack begins right behind it, that is not the goroutine's. */
static void the_ends_of_the_goroutines_stack(void **state)
{
	struct sprof_rule call = rule(SPROF_CFA_GO_SYSTEM_CALL, 8);
	struct sprof_cursor cursor;
	struct stacks stacks;

	stacks_init(&stacks);
	expect_here(&stacks, &call, at_home(0));
	expect_here(&stacks, &call, at_home(HOME_WORDS - 1));
	cursor = step_from(&stacks.thread, &call, at_home(HOME_WORDS));
	expect_at(&cursor, HOME_ADDRESS(9), HOME_VALUE(8));
}

static void systemstack(void **state)
{
	struct sprof_rule call = with_fp(rule(SPROF_CFA_GO_SYSTEM_CALL, 16), SPROF_REG_SAVED, -16);
	struct sprof_rule bare = rule(SPROF_CFA_GO_SYSTEM_CALL, 8);
	struct sprof_cursor cursor = middle();
	struct stacks stacks;

	stacks_init(&stacks);
	cursor.system_sp = 1;
	cursor = step_from(&stacks.thread, &call, cursor);
	expect_at(&cursor, HOME_ADDRESS(10), HOME_VALUE(9));
	assert_true(cursor.fp_known && cursor.fp == HOME_VALUE(8));
	assert_int_equal(cursor.system_sp, 1);
	cursor = step_from(&stacks.thread, &bare, middle());
	expect_at(&cursor, HOME_ADDRESS(9), HOME_VALUE(8));
	/* The register is another function's by now. */
	assert_false(cursor.fp_known);
}

static void systemstack_that_left_nowhere(void **state)
{
	struct sprof_rule call = rule(SPROF_CFA_GO_SYSTEM_CALL, 8);
	struct stacks stacks;

	stacks_init(&stacks);
	stacks.home[8] = 0;
	expect_failure(&stacks.thread, &call, middle(), SPROF_STEP_ROOT);
	stacks.thread.snapshot.goroutine.sched_sp = 0;
	expect_failure(&stacks.thread, &call, middle(), SPROF_STEP_BAD_MEMORY);
	stacks.thread.snapshot.goroutine.sched_sp = UINT64_MAX;
	expect_failure(&stacks.thread, &call, middle(), SPROF_STEP_BAD_MEMORY);
	/* More of the stack is there than was copied. */
	stacks_init(&stacks);
	stacks.thread.snapshot.home.size = 8 * WORD;
	expect_failure(&stacks.thread, &call, middle(), SPROF_STEP_STACK_COPY);
}

static void mcall_with_a_goroutine(void **state)
{
	struct sprof_rule left = with_fp(rule(SPROF_CFA_GO_SYSTEM_LEFT, 8), SPROF_REG_SAVED, -16);
	struct sprof_cursor cursor = middle();
	struct stacks stacks;

	stacks_init(&stacks);
	cursor.system_sp = 1;
	cursor = step_from(&stacks.thread, &left, cursor);
	expect_at(&cursor, HOME_ADDRESS(8), SCHED_PC);
	assert_false(cursor.fp_known);
	assert_int_equal(cursor.system_sp, 1);
}

/* The scheduler, when it has none, or none that has left its stack. */
static void mcall_without_a_goroutine(void **state)
{
	struct sprof_rule left = rule(SPROF_CFA_GO_SYSTEM_LEFT, 8);
	struct stacks stacks;

	stacks_init(&stacks);
	stacks.thread.snapshot.goroutine.sched_sp = 0;
	expect_failure(&stacks.thread, &left, middle(), SPROF_STEP_ROOT);
	stacks.thread.snapshot.goroutine = (struct sprof_goroutine){.is_known = true};
	expect_failure(&stacks.thread, &left, middle(), SPROF_STEP_ROOT);
}

/* Whatever goroutine the thread has by then, it is another one, and may not have run yet. */
static void the_scheduler_has_no_goroutine_below(void **state)
{
	struct sprof_rule scheduler = rule(SPROF_CFA_GO_SCHEDULER, 8);
	struct sprof_rule left = rule(SPROF_CFA_GO_SYSTEM_LEFT, 8);
	struct sprof_cursor cursor;
	struct stacks stacks;

	stacks_init(&stacks);
	cursor = step_from(&stacks.thread, &scheduler, middle());
	assert_true(cursor.is_scheduler);
	expect_failure(&stacks.thread, &left, cursor, SPROF_STEP_ROOT);
	stacks.thread.snapshot.goroutine = (struct sprof_goroutine){0};
	expect_failure(&stacks.thread, &left, cursor, SPROF_STEP_ROOT);
}

static void asmcgocall_on_another_stack(void **state)
{
	struct sprof_rule call = with_fp(rule(SPROF_CFA_GO_C_CALL, 8), SPROF_REG_UNDEFINED, SLOT);
	struct sprof_cursor cursor;
	struct stacks stacks;

	stacks_init(&stacks);
	stacks.thread.words[21] = 10 * WORD; /* below the end of the goroutine's stack */
	stacks.thread.words[22] = G;
	cursor = step_from(&stacks.thread, &call, middle());
	expect_at(&cursor, HOME_ADDRESS(HOME_WORDS - 9), HOME_VALUE(HOME_WORDS - 10));
	assert_false(cursor.fp_known);
	/* Another one has come to the thread since. */
	stacks.thread.words[22] = G + 1;
	expect_failure(&stacks.thread, &call, middle(), SPROF_STEP_REGISTER);
	stacks.thread.words[22] = G;
	stacks.thread.words[21] = UINT64_MAX / 2;
	expect_failure(&stacks.thread, &call, middle(), SPROF_STEP_BAD_MEMORY);
}

static void asmcgocall_without_a_switch(void **state)
{
	struct sprof_rule call =
		with_fp(rule(SPROF_CFA_GO_C_CALL_HERE, 8), SPROF_REG_UNDEFINED, SLOT);
	struct sprof_cursor cursor;
	struct stacks stacks;

	stacks_init(&stacks);
	stacks.thread.words[21] = ADDRESS(25);
	cursor = step_from(&stacks.thread, &call, middle());
	expect_at(&cursor, ADDRESS(26), VALUE(25));
	/* It needs no goroutine. */
	stacks.thread.snapshot.goroutine = (struct sprof_goroutine){0};
	cursor = step_from(&stacks.thread, &call, middle());
	expect_at(&cursor, ADDRESS(26), VALUE(25));
	stacks.thread.words[21] = 3;
	expect_failure(&stacks.thread, &call, middle(), SPROF_STEP_BAD_MEMORY);
}

static void asmcgocall_whose_slot_was_not_copied(void **state)
{
	struct sprof_rule call = with_fp(rule(SPROF_CFA_GO_C_CALL, 8), SPROF_REG_UNDEFINED, SLOT);
	struct sprof_rule here =
		with_fp(rule(SPROF_CFA_GO_C_CALL_HERE, 8), SPROF_REG_UNDEFINED, SLOT);
	struct stacks stacks;

	stacks_init(&stacks);
	stacks.thread.snapshot.stack.size = 20 * WORD;
	expect_failure(&stacks.thread, &call, middle(), SPROF_STEP_BAD_MEMORY);
	stacks.thread.snapshot.stack.limit = ADDRESS(WORDS);
	expect_failure(&stacks.thread, &call, middle(), SPROF_STEP_STACK_COPY);
	expect_failure(&stacks.thread, &here, middle(), SPROF_STEP_STACK_COPY);
	/* The depth is the copy's last word, the g is behind it. */
	stacks.thread.snapshot.stack.size = 22 * WORD;
	stacks.thread.words[21] = 10 * WORD;
	expect_failure(&stacks.thread, &call, middle(), SPROF_STEP_STACK_COPY);
	/* Without a switch no g is noted. */
	stacks.thread.words[21] = ADDRESS(20);
	step_from(&stacks.thread, &here, middle());
}

static void cgocallback(void **state)
{
	struct sprof_rule callback = with_fp(rule(SPROF_CFA_GO_CALLBACK, 40), SPROF_REG_SAVED, -16);
	struct sprof_cursor cursor = at_home(20);
	struct stacks stacks;

	stacks_init(&stacks);
	/* Still on the stack that C was on. */
	expect_here(&stacks, &callback, innermost(middle()));
	expect_here(&stacks, &callback, middle());
	cursor.system_sp = ADDRESS(40);
	stacks.thread.words[40] = 0;
	cursor = step_from(&stacks.thread, &callback, cursor);
	expect_at(&cursor, ADDRESS(45), VALUE(44));
	assert_true(cursor.fp_known && cursor.fp == VALUE(43));
	assert_int_equal(cursor.system_sp, 0);
}

/* The runtime says that the stack was left here, and here is noted where it was left before. */
static void cgocallback_that_has_noted_its_place(void **state)
{
	struct sprof_rule callback = rule(SPROF_CFA_GO_CALLBACK, 40);
	struct stacks stacks;

	stacks_init(&stacks);
	stacks.thread.snapshot.goroutine.has_system = true;
	for (int is_innermost = 0; is_innermost < 2; is_innermost++) {
		struct sprof_cursor cursor = is_innermost ? innermost(middle()) : middle();

		cursor.system_sp = cursor.sp;
		stacks.thread.words[(cursor.sp - BASE) / WORD] = ADDRESS(50);
		expect_here(&stacks, &callback, cursor);
		cursor = step_from(&stacks.thread, &callback, cursor);
		assert_true(cursor.system_sp == ADDRESS(50));
		/* Not yet noted: the place of the call before stays. */
		cursor = is_innermost ? innermost(middle()) : middle();
		cursor.system_sp = ADDRESS(60);
		cursor = step_from(&stacks.thread, &callback, cursor);
		assert_true(cursor.system_sp == ADDRESS(60));
	}
}

static void cgocallback_without_its_place(void **state)
{
	struct sprof_rule callback = rule(SPROF_CFA_GO_CALLBACK, 40);
	struct sprof_cursor cursor = at_home(20);
	struct stacks stacks;

	stacks_init(&stacks);
	/* It has not been looked for: a larger copy would have it. */
	expect_failure(&stacks.thread, &callback, at_home(20), SPROF_STEP_STACK_COPY);
	stacks.thread.snapshot.goroutine.has_system = true;
	expect_here(&stacks, &callback, at_home(20));
	cursor.system_sp = ADDRESS(WORDS);
	expect_failure(&stacks.thread, &callback, cursor, SPROF_STEP_BAD_MEMORY);
	/* The frame is where the copy ends. */
	cursor.system_sp = ADDRESS(WORDS - 2);
	expect_failure(&stacks.thread, &callback, cursor, SPROF_STEP_BAD_MEMORY);
	stacks.thread.snapshot.stack.limit = ADDRESS(2 * WORDS);
	expect_failure(&stacks.thread, &callback, cursor, SPROF_STEP_STACK_COPY);
}

/* Where the stack was left before lies above: what says otherwise is no such place. */
static void cgocallback_knows_the_one_before(void **state)
{
	static const struct {
		uint64_t noted, expected;
	} places[] = {
		{ADDRESS(60), ADDRESS(60)},
		{ADDRESS(41), ADDRESS(41)},
		{ADDRESS(40), 0},
		{ADDRESS(39), 0},
		{0, 0},
	};
	struct sprof_rule callback = rule(SPROF_CFA_GO_CALLBACK, 40);
	struct stacks stacks;

	stacks_init(&stacks);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct sprof_cursor cursor = at_home(20);

		cursor.system_sp = ADDRESS(40);
		stacks.thread.words[40] = places[i].noted;
		cursor = step_from(&stacks.thread, &callback, cursor);
		assert_true(cursor.system_sp == places[i].expected);
	}
}

/* Go calls C calls Go calls C calls Go, and C has called the first of them: five times from stack to stack. */
static void nested_callbacks(void **state)
{
	struct sprof_rule callback = rule(SPROF_CFA_GO_CALLBACK, 40);
	struct sprof_rule call = with_fp(rule(SPROF_CFA_GO_C_CALL, 8), SPROF_REG_UNDEFINED, SLOT);
	struct sprof_cursor cursor = at_home(4);
	struct stacks stacks;

	stacks_init(&stacks);
	cursor.system_sp = ADDRESS(20);
	for (int i = 0; i < 3; i++) {
		int left = 20 + i * 30;

		stacks.thread.words[left] = i < 2 ? ADDRESS(left + 30) : 0;
		/* C is called from a frame above, which notes where the goroutine's stack is. */
		stacks.thread.words[left + 5 + SLOT / WORD] =
			(uint64_t)(HOME_WORDS - 20 - i * 10) * WORD;
		stacks.thread.words[left + 6 + SLOT / WORD] = G;
		cursor = step_from(&stacks.thread, &callback, cursor);
		expect_at(&cursor, ADDRESS(left + 5), VALUE(left + 4));
		if (i == 2)
			break;
		cursor = step_from(&stacks.thread, &call, cursor);
		expect_at(&cursor, HOME_ADDRESS(21 + i * 10), HOME_VALUE(20 + i * 10));
	}
	assert_int_equal(cursor.system_sp, 0);
}

static void the_vdso_on_the_threads_stack(void **state)
{
	struct sprof_rule vdso = with_fp(rule(SPROF_CFA_GO_VDSO, 32), SPROF_REG_SAVED, -16);
	struct sprof_cursor cursor;
	struct stacks stacks;

	stacks_init(&stacks);
	stacks.thread.snapshot.goroutine.vdso_sp = HOME_ADDRESS(30);
	cursor = step_from(&stacks.thread, &vdso, middle());
	expect_at(&cursor, HOME_ADDRESS(30), HOME_VALUE(29));
	assert_true(cursor.fp_known && cursor.fp == HOME_VALUE(28));
	cursor = step_from(&stacks.thread, &vdso, innermost(middle()));
	expect_at(&cursor, HOME_ADDRESS(30), HOME_VALUE(29));
}

/* Asked for on the thread's own stack, only its alignment changes. */
static void the_vdso_on_the_same_stack(void **state)
{
	struct sprof_rule vdso = rule(SPROF_CFA_GO_VDSO, 32);
	struct sprof_cursor cursor;
	struct stacks stacks;

	stacks_init(&stacks);
	stacks.thread.snapshot.goroutine.vdso_sp = ADDRESS(24);
	cursor = step_from(&stacks.thread, &vdso, middle());
	expect_at(&cursor, ADDRESS(24), VALUE(23));
	/* That of a call that is over, or of none. */
	stacks.thread.snapshot.goroutine.vdso_sp = ADDRESS(16);
	expect_here(&stacks, &vdso, middle());
	stacks.thread.snapshot.goroutine.vdso_sp = 0;
	expect_here(&stacks, &vdso, middle());
	expect_here(&stacks, &vdso, at_home(20));
}

static void an_unknown_goroutine(void **state)
{
	struct sprof_rule call = rule(SPROF_CFA_GO_SYSTEM_CALL, 8);
	struct sprof_rule left = rule(SPROF_CFA_GO_SYSTEM_LEFT, 8);
	struct sprof_rule c_call = with_fp(rule(SPROF_CFA_GO_C_CALL, 8), SPROF_REG_UNDEFINED, SLOT);
	struct sprof_rule callback = rule(SPROF_CFA_GO_CALLBACK, 40);
	struct sprof_rule vdso = rule(SPROF_CFA_GO_VDSO, 32);
	struct stacks stacks;

	stacks_init(&stacks);
	stacks.thread.snapshot.goroutine = (struct sprof_goroutine){0};
	stacks.thread.words[22] = 0; /* as if its g were none */
	expect_failure(&stacks.thread, &call, middle(), SPROF_STEP_REGISTER);
	expect_failure(&stacks.thread, &left, middle(), SPROF_STEP_REGISTER);
	expect_failure(&stacks.thread, &c_call, middle(), SPROF_STEP_REGISTER);
	expect_failure(&stacks.thread, &vdso, middle(), SPROF_STEP_REGISTER);
	expect_failure(&stacks.thread, &callback, middle(), SPROF_STEP_REGISTER);
	expect_here(&stacks, &callback, innermost(middle()));
	expect_here(&stacks, &call, innermost(middle()));
	expect_here(&stacks, &left, innermost(middle()));
	expect_here(&stacks, &c_call, innermost(middle()));
	expect_here(&stacks, &vdso, innermost(middle()));
	/* A thread of C's, that is on its way into Go. */
	stacks.thread.snapshot.regs.thread_pointer = ADDRESS(0);
	expect_here(&stacks, &callback, middle());
}

static void roots_end_the_walk(void **state)
{
	struct stacks stacks;

	stacks_init(&stacks);
	for (int cfa = SPROF_CFA_GO_SYSTEM_CALL; cfa <= SPROF_CFA_GO_VDSO; cfa++) {
		struct sprof_rule root =
			with_ra(rule((enum sprof_cfa_rule)cfa, 8), SPROF_REG_UNDEFINED, 0);

		expect_failure(&stacks.thread, &root, middle(), SPROF_STEP_ROOT);
		expect_failure(&stacks.thread, &root, at_home(20), SPROF_STEP_ROOT);
	}
}

static void other_rules_are_not_for_it(void **state)
{
	for (int cfa = SPROF_CFA_NONE; cfa <= SPROF_CFA_OTHER; cfa++) {
		struct sprof_rule other = rule((enum sprof_cfa_rule)cfa, 8);
		struct sprof_cursor cursor = middle();
		struct stacks stacks;

		if (cfa >= SPROF_CFA_GO_SYSTEM_CALL && cfa <= SPROF_CFA_GO_VDSO)
			continue;
		stacks_init(&stacks);
		assert_int_equal(
			sprof_step_go(&stacks.thread.snapshot, &other, &cursor), SPROF_STEP_OTHER);
	}
}

TEST_MAIN("go-step")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_the_stack_they_were_called_on),
		cmocka_unit_test(calls_before_the_switch),
		cmocka_unit_test(the_ends_of_the_goroutines_stack),
		cmocka_unit_test(systemstack),
		cmocka_unit_test(systemstack_that_left_nowhere),
		cmocka_unit_test(mcall_with_a_goroutine),
		cmocka_unit_test(mcall_without_a_goroutine),
		cmocka_unit_test(the_scheduler_has_no_goroutine_below),
		cmocka_unit_test(asmcgocall_on_another_stack),
		cmocka_unit_test(asmcgocall_without_a_switch),
		cmocka_unit_test(asmcgocall_whose_slot_was_not_copied),
		cmocka_unit_test(cgocallback),
		cmocka_unit_test(cgocallback_that_has_noted_its_place),
		cmocka_unit_test(cgocallback_without_its_place),
		cmocka_unit_test(cgocallback_knows_the_one_before),
		cmocka_unit_test(nested_callbacks),
		cmocka_unit_test(the_vdso_on_the_threads_stack),
		cmocka_unit_test(the_vdso_on_the_same_stack),
		cmocka_unit_test(an_unknown_goroutine),
		cmocka_unit_test(roots_end_the_walk),
		cmocka_unit_test(other_rules_are_not_for_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
