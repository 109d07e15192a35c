/*
 * unwind/unwind: whole walks without a process, through code of our making, of which there is no
 * CFI.
 */
#include "unwind/unwind.h"

#include <stdlib.h>

#include "tests/unit/check.h"

enum { STACK = 0x70000000, CODE = 0x40000000, CODE_SIZE = 0x1000, WORDS = 64, DEPTH = 32 };

/* The bits that an arm64 machine signs return addresses with; none of them is in an address here. */
#define SIGNATURE ((uint64_t)0x7f << 48)

#define ADDRESS(index) (STACK + (uint64_t)(index)*8)

/* A process of one piece of generated code and one stack, and the unwinder that walks it. */
struct world {
	struct sprof_modules *modules;
	struct sprof_mapping mappings[2];
	struct sprof_maps maps;
	uint64_t words[WORDS];
	struct sprof_snapshot snapshot;
	struct sprof_unwinder *unwinder;
};

static void create_unwinder(struct world *world, size_t depth)
{
	const struct sprof_unwinder_options options = {
		.max_depth = depth, .signature_mask = SIGNATURE};
	struct sprof_error err;

	assert_true(sprof_unwinder_create(world->modules, &options, &world->unwinder, &err));
}

static int world_create(void **state)
{
	const struct sprof_module_key key = {.kind = SPROF_MODULE_ANONYMOUS, .path = "[anon]"};
	struct world *world = calloc(1, sizeof(*world));
	bool is_new;

	assert_non_null(world);
	world->modules = sprof_modules_create();
	assert_non_null(sprof_modules_intern(world->modules, &key, &is_new));
	world->mappings[0] = (struct sprof_mapping){
		.start = CODE, .end = CODE + CODE_SIZE, .executable = 1, .module = 0};
	world->mappings[1] = (struct sprof_mapping){
		.start = STACK, .end = ADDRESS(WORDS), .module = SPROF_MAPPING_NO_MODULE};
	world->maps = (struct sprof_maps){.items = world->mappings, .count = 2, .generation = 1};
	world->snapshot = (struct sprof_snapshot){.stack.base = STACK,
		.stack.size = sizeof(world->words),
		.stack.bytes = (const uint8_t *)world->words};
	create_unwinder(world, DEPTH);
	*state = world;
	return 0;
}

static int world_destroy(void **state)
{
	struct world *world = *state;

	sprof_unwinder_destroy(world->unwinder);
	sprof_modules_destroy(world->modules);
	free(world);
	return 0;
}

/* The thread stands at pc, its stack pointer at the first word, its frame pointer at the index-th.
 */
static void stand(struct world *world, uint64_t pc, int fp_index)
{
	world->snapshot.regs.known = 0;
	sprof_regs_set(&world->snapshot.regs, SPROF_REG_PC, pc);
	sprof_regs_set(&world->snapshot.regs, SPROF_REG_SP, STACK);
	sprof_regs_set(&world->snapshot.regs, SPROF_REG_FP, ADDRESS(fp_index));
}

/* A frame that starts at the index-th word: who called, and where its own frame pointer leads. */
static void put_frame(struct world *world, int index, uint64_t next_fp, uint64_t return_address)
{
	world->words[index] = next_fp;
	world->words[index + 1] = return_address;
}

static struct sprof_stack_view walk(struct world *world)
{
	return sprof_unwinder_walk(world->unwinder, &world->snapshot, &world->maps);
}

static void expect_frame(const struct sprof_stack_view *stack, size_t index, uint64_t offset)
{
	assert_true(index < stack->count);
	assert_true(stack->frames[index].offset == offset);
	assert_int_equal(stack->frames[index].module, 0);
	assert_int_equal(stack->frames[index].is_return, index > 0);
}

static void a_chain_of_frame_pointers_to_its_end(void **state)
{
	struct world *world = *state;
	struct sprof_stack_view stack;

	stand(world, CODE + 1, 4);
	put_frame(world, 4, ADDRESS(8), CODE + 2);
	put_frame(world, 8, 0, CODE + 3);
	stack = walk(world);
	assert_int_equal(stack.end, SPROF_END_ROOT);
	assert_int_equal(stack.count, 3);
	for (size_t i = 0; i < 3; i++)
		expect_frame(&stack, i, CODE + 1 + i);
}

static uint64_t caller_sp(struct world *world, size_t depth)
{
	return sprof_unwinder_find_caller_sp(
		world->unwinder, &world->snapshot, &world->maps, depth);
}

static void the_stack_pointers_of_callers(void **state)
{
	struct world *world = *state;

	stand(world, CODE + 1, 4);
	put_frame(world, 4, ADDRESS(8), CODE + 2);
	put_frame(world, 8, 0, CODE + 3);
	assert_true(caller_sp(world, 1) == ADDRESS(6));
	assert_true(caller_sp(world, 2) == ADDRESS(10));
	assert_true(caller_sp(world, 3) == 0);
	assert_true(caller_sp(world, DEPTH + 1) == 0);
	assert_int_equal(walk(world).count, 3);
}

static void signed_return_addresses(void **state)
{
	struct world *world = *state;
	struct sprof_stack_view stack;

	stand(world, CODE + 1, 4);
	put_frame(world, 4, ADDRESS(8), (CODE + 2) | (uint64_t)0x15 << 48);
	put_frame(world, 8, 0, (CODE + 3) | SIGNATURE);
	stack = walk(world);
	assert_int_equal(stack.end, SPROF_END_ROOT);
	assert_int_equal(stack.count, 3);
	for (size_t i = 0; i < 3; i++)
		expect_frame(&stack, i, CODE + 1 + i);
}

static void as_deep_as_allowed(void **state)
{
	struct world *world = *state;
	struct sprof_stack_view stack;

	sprof_unwinder_destroy(world->unwinder);
	create_unwinder(world, 5);
	stand(world, CODE + 1, 2);
	for (int i = 2; i < 40; i += 2)
		put_frame(world, i, ADDRESS(i + 2), CODE + (uint64_t)i);
	stack = walk(world);
	assert_int_equal(stack.end, SPROF_END_DEPTH);
	assert_int_equal(stack.count, 5);
	expect_frame(&stack, 4, CODE + 8);
}

static void a_pc_in_no_module(void **state)
{
	static const uint64_t places[] = {0, 1, CODE - 1, CODE + CODE_SIZE, STACK + 8, UINT64_MAX};
	struct world *world = *state;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct sprof_stack_view stack;

		stand(world, places[i], 4);
		stack = walk(world);
		assert_int_equal(stack.end, SPROF_END_NO_MODULE);
		assert_int_equal(stack.count, 0);
	}
}

/* A call of data or of nothing: the return address is on top of the stack, or in the link register. */
static void a_pc_in_no_code_after_a_call(void **state)
{
	struct world *world = *state;
	struct sprof_stack_view stack;

	stand(world, STACK + 8, 4);
	world->words[0] = CODE + 2;
#if defined(__aarch64__)
	sprof_regs_set(&world->snapshot.regs, SPROF_REG_LR, CODE + 2);
#endif
	put_frame(world, 4, 0, CODE + 3);
	stack = walk(world);
	assert_int_equal(stack.end, SPROF_END_ROOT);
	assert_int_equal(stack.count, 2);
	assert_true(stack.lost_pc == STACK + 8);
	for (size_t i = 0; i < 2; i++) {
		assert_true(stack.frames[i].offset == CODE + 2 + i);
		assert_true(stack.frames[i].is_return);
	}
}

#if defined(__x86_64__)
static void a_pc_in_no_code_on_a_stack_that_is_not_copied(void **state)
{
	struct world *world = *state;

	stand(world, 0, 4);
	sprof_regs_set(&world->snapshot.regs, SPROF_REG_SP, STACK - 8);
	assert_int_equal(walk(world).end, SPROF_END_BAD_MEMORY);
	world->snapshot.stack.floor = STACK - 8;
	world->snapshot.stack.limit = STACK;
	assert_int_equal(walk(world).end, SPROF_END_STACK_COPY);
	assert_int_equal(walk(world).count, 0);
}
#endif

/* As of a process whose maps could not be read. */
static void no_maps_at_all(void **state)
{
	struct world *world = *state;
	struct sprof_stack_view stack;

	world->maps = (struct sprof_maps){0};
	stand(world, 0, 4);
	stack = walk(world);
	assert_int_equal(stack.end, SPROF_END_NO_MODULE);
	assert_int_equal(stack.count, 0);
}

static void a_return_address_in_no_module(void **state)
{
	struct world *world = *state;
	struct sprof_stack_view stack;

	stand(world, CODE + 1, 4);
	put_frame(world, 4, ADDRESS(8), CODE + CODE_SIZE + 1);
	stack = walk(world);
	assert_int_equal(stack.end, SPROF_END_NO_MODULE);
	assert_int_equal(stack.count, 1);
}

/* There is nobody yet who called it. What is inside the call has callers, and so has what did not get a thread. */
static void a_thread_that_has_just_begun(void **state)
{
	struct world *world = *state;
	struct sprof_regs *regs = &world->snapshot.regs;
	struct sprof_stack_view stack;

	stand(world, CODE + 1, 4);
	put_frame(world, 4, ADDRESS(8), CODE + CODE_SIZE + 1);
	regs->system_call = SYS_clone3;
	assert_int_equal(walk(world).end, SPROF_END_NO_MODULE); /* the result is not known */
	sprof_regs_set(regs, SPROF_REG_RESULT, 4711);
	assert_int_equal(walk(world).end, SPROF_END_NO_MODULE);
	sprof_regs_set(regs, SPROF_REG_RESULT, 0);
	stack = walk(world);
	assert_int_equal(stack.end, SPROF_END_ROOT);
	assert_int_equal(stack.count, 1);
	regs->system_call = SYS_read;
	assert_int_equal(walk(world).end, SPROF_END_NO_MODULE);
	/* The child of fork(2) has its parent's stack. */
	regs->system_call = SYS_clone;
	put_frame(world, 4, 0, CODE + 9);
	stack = walk(world);
	assert_int_equal(stack.end, SPROF_END_ROOT);
	assert_int_equal(stack.count, 2);
}

/* A call that never returns may be the last of its page: it is looked up before its return address.
 */
static void a_return_address_behind_the_last_byte(void **state)
{
	struct world *world = *state;
	struct sprof_stack_view stack;

	stand(world, CODE + 1, 4);
	put_frame(world, 4, 0, CODE + CODE_SIZE);
	stack = walk(world);
	assert_int_equal(stack.end, SPROF_END_ROOT);
	assert_int_equal(stack.count, 2);
	expect_frame(&stack, 1, CODE + CODE_SIZE);
}

static void no_cfi_and_no_frame_pointer(void **state)
{
	struct world *world = *state;
	struct sprof_stack_view stack;

	stand(world, CODE + 1, 4);
	sprof_regs_set(&world->snapshot.regs, SPROF_REG_FP, ADDRESS(4) + 1);
	stack = walk(world);
	assert_int_equal(stack.end, SPROF_END_NO_CFI);
	assert_int_equal(stack.count, 1);
}

#if defined(__x86_64__)
static void a_leaf_without_a_frame_of_its_own(void **state)
{
	struct world *world = *state;
	struct sprof_stack_view stack;

	stand(world, CODE + 1, 4);
	world->words[0] = CODE + 2;
	put_frame(world, 4, 0, CODE + 3);
	stack = walk(world);
	assert_int_equal(stack.end, SPROF_END_ROOT);
	assert_int_equal(stack.count, 3);
	expect_frame(&stack, 1, CODE + 2);
	expect_frame(&stack, 2, CODE + 3);
}
#endif

static void a_chain_that_goes_in_circles(void **state)
{
	struct world *world = *state;
	struct sprof_stack_view stack;

	stand(world, CODE + 1, 4);
	put_frame(world, 4, ADDRESS(8), CODE + 2);
	put_frame(world, 8, ADDRESS(4), CODE + 3);
	stack = walk(world);
	assert_int_equal(stack.end, SPROF_END_NO_CFI);
	assert_int_equal(stack.count, 3);
}

static void a_chain_beyond_the_copy(void **state)
{
	struct world *world = *state;
	struct sprof_stack_view stack;

	world->snapshot.stack.limit = UINT64_MAX;
	stand(world, CODE + 1, 4);
	put_frame(world, 4, ADDRESS(WORDS), CODE + 2);
	stack = walk(world);
	assert_int_equal(stack.end, SPROF_END_STACK_COPY);
	assert_int_equal(stack.count, 2);
}

static void a_frame_pointer_that_a_peek_does_not_know(void **state)
{
	struct world *world = *state;
	struct sprof_stack_view stack;

	stand(world, CODE + 1, 4);
	world->snapshot.regs.known &= ~((uint64_t)1 << SPROF_REG_FP);
	stack = walk(world);
	assert_int_equal(stack.end, SPROF_END_REGISTER);
	assert_int_equal(stack.count, 1);
}

/* What is kept of a pc is good for one state of the maps. */
static void maps_that_change(void **state)
{
	struct world *world = *state;

	stand(world, CODE + 1, 4);
	put_frame(world, 4, 0, CODE + 2);
	assert_int_equal(walk(world).count, 2);
	world->mappings[0].start = CODE + 0x800;
	world->maps.generation = 2;
	assert_int_equal(walk(world).end, SPROF_END_NO_MODULE);
	world->mappings[0].start = CODE;
	world->maps.generation = 3;
	assert_int_equal(walk(world).count, 2);
}

static void what_is_known_is_what_is_executable(void **state)
{
	struct world *world = *state;

	assert_true(sprof_unwinder_knows(&world->maps, CODE));
	assert_true(sprof_unwinder_knows(&world->maps, CODE + CODE_SIZE - 1));
	assert_false(sprof_unwinder_knows(&world->maps, CODE + CODE_SIZE));
	assert_false(sprof_unwinder_knows(&world->maps, STACK));
	assert_false(sprof_unwinder_knows(&world->maps, UINT64_MAX));
}

#define in_a_world(test) cmocka_unit_test_setup_teardown(test, world_create, world_destroy)

TEST_MAIN("unwind")
{
	const struct CMUnitTest tests[] = {
		in_a_world(a_chain_of_frame_pointers_to_its_end),
		in_a_world(the_stack_pointers_of_callers),
		in_a_world(signed_return_addresses),
		in_a_world(as_deep_as_allowed),
		in_a_world(a_pc_in_no_module),
		in_a_world(a_pc_in_no_code_after_a_call),
		in_a_world(no_maps_at_all),
		in_a_world(a_return_address_in_no_module),
		in_a_world(a_thread_that_has_just_begun),
		in_a_world(a_return_address_behind_the_last_byte),
		in_a_world(no_cfi_and_no_frame_pointer),
		in_a_world(a_chain_that_goes_in_circles),
		in_a_world(a_chain_beyond_the_copy),
		in_a_world(a_frame_pointer_that_a_peek_does_not_know),
		in_a_world(maps_that_change),
		in_a_world(what_is_known_is_what_is_executable),
#if defined(__x86_64__)
		in_a_world(a_pc_in_no_code_on_a_stack_that_is_not_copied),
		in_a_world(a_leaf_without_a_frame_of_its_own),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
