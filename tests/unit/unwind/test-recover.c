/*
 * unwind/recover: this process's own stacks in many shapes, walked with all registers and then with pc and sp
 * only, as a peek knows them. Both must give the same frames. Then stacks on which there is nothing to find.
 *
 * Built twice: as it is, where only functions with alloca find their CFA by the frame pointer, and with frame
 * pointers everywhere, as whole distributions are built.
 */
#include "unwind/unwind.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "attach/module/read-maps.h"
#include "tests/unit/check.h"
#include "tests/unit/unwind/shapes.h"

#if defined(__x86_64__)

enum { FRAMES = 256, SEED = 3, ROUNDS = 200 };

struct world {
	struct sprof_modules *modules;
	struct sprof_maps maps;
	struct sprof_unwinder *sighted, *fresh, *learned;
	struct place place;
	struct sprof_frame frames[FRAMES]; /* with all registers */
	size_t count;
};

static struct sprof_unwinder *create_unwinder(struct world *world)
{
	const struct sprof_unwinder_options options = {.max_depth = FRAMES};
	struct sprof_unwinder *unwinder;
	struct sprof_error err;

	assert_true(sprof_unwinder_create(world->modules, &options, &unwinder, &err));
	return unwinder;
}

static int world_create(void **state)
{
	struct world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	world->modules = sprof_modules_create();
	assert_true(sprof_maps_read(&world->maps, getpid(), world->modules));
	world->sighted = create_unwinder(world);
	world->learned = create_unwinder(world);
	place_to_fill = &world->place;
	*state = world;
	return 0;
}

static int world_destroy(void **state)
{
	struct world *world = *state;

	sprof_unwinder_destroy(world->sighted);
	sprof_unwinder_destroy(world->learned);
	sprof_maps_finish(&world->maps);
	sprof_modules_destroy(world->modules);
	free(world);
	return 0;
}

/* The walks. */

static struct sprof_stack_view walk_blindly(struct world *world, struct sprof_unwinder *unwinder)
{
	struct sprof_snapshot snapshot = world->place.snapshot;

	snapshot.regs.known &= ~((uint64_t)1 << SPROF_REG_FP);
	snapshot.regs.values[SPROF_REG_FP] = 0;
	return sprof_unwinder_walk(unwinder, &snapshot, &world->maps);
}

static bool is_same(const struct world *world, const struct sprof_stack_view *stack)
{
	for (size_t i = 0; i < stack->count && i < world->count; i++) {
		if (world->frames[i].offset != stack->frames[i].offset ||
			world->frames[i].module != stack->frames[i].module ||
			world->frames[i].is_return != stack->frames[i].is_return)
			return false;
	}
	return stack->count == world->count;
}

/* How well a shape can be known by pc and sp only. */
enum certainty {
	CERTAIN,
	/* old frames are in sight that nothing tells from the real ones: no frames are made up */
	OR_REFUSED,
};

static void expect_frames(
	const struct world *world, const struct sprof_stack_view *stack, enum certainty certainty)
{
	if (certainty == OR_REFUSED && stack->end == SPROF_END_REGISTER) {
		assert_true(stack->count < world->count);
		assert_memory_equal(
			stack->frames, world->frames, stack->count * sizeof(*stack->frames));
		return;
	}
	/* What is wrong is seen side by side. */
	for (size_t i = 0; !is_same(world, stack) && i < stack->count + world->count; i++)
		print_error("%zu: %#lx %#lx\n", i,
			i < world->count ? (long)world->frames[i].offset : 0,
			i < stack->count ? (long)stack->frames[i].offset : 0);
	assert_string_equal(sprof_end_name(stack->end), sprof_end_name(SPROF_END_ROOT));
	assert_true(is_same(world, stack));
}

/* First blindly by one that has seen nothing, then by one that learns from each place that it is shown. */
static void expect_the_same(struct world *world, enum certainty certainty)
{
	struct sprof_stack_view stack =
		sprof_unwinder_walk(world->sighted, &world->place.snapshot, &world->maps);

	assert_int_equal(stack.end, SPROF_END_ROOT);
	assert_true(stack.count < FRAMES);
	world->count = stack.count;
	memcpy(world->frames, stack.frames, stack.count * sizeof(*stack.frames));
	world->fresh = create_unwinder(world);
	for (int i = 0; i < 2; i++) {
		stack = walk_blindly(world, world->fresh);
		expect_frames(world, &stack, certainty);
	}
	sprof_unwinder_destroy(world->fresh);
	/* As left by the shapes before this one, and then with this one seen. */
	stack = walk_blindly(world, world->learned);
	expect_frames(world, &stack, certainty);
	sprof_unwinder_walk(world->learned, &world->place.snapshot, &world->maps);
	stack = walk_blindly(world, world->learned);
	expect_frames(world, &stack, certainty);
}

/* The innermost frames, at least: the walk can't have been right by chance. */
static void expect_depth(const struct world *world, size_t least)
{
	assert_true(world->count >= least);
}

static void look_at(struct world *world, step *shape, unsigned more, enum certainty certainty)
{
	static const unsigned litters[] = {0, 8, 64, 500};

	for (size_t i = 0; i < sizeof(litters) / sizeof(litters[0]); i++) {
		if (litters[i] && i % 2)
			litter(litters[i]);
		else if (litters[i])
			litter_by_alloca(litters[i]);
		shape(more);
		expect_the_same(world, certainty);
	}
}

static void every_shape(struct world *world)
{
	look_at(world, leaf, 1, OR_REFUSED);
	look_at(world, plain_leaf, 1, CERTAIN);
	look_at(world, middle, 1, CERTAIN);
	look_at(world, above_plain, 1, OR_REFUSED);
	look_at(world, through_pointer, 1, CERTAIN);
	look_at(world, jumps_on, 1, OR_REFUSED);
	look_at(world, to_what_jumps, 1, CERTAIN);
	look_at(world, to_what_jumps_twice, 1, OR_REFUSED);
	look_at(world, to_what_jumps_through_pointer, 1, OR_REFUSED);
	look_at(world, above_a_large_frame, 1, CERTAIN);
	look_at(world, from_qsort, 1, CERTAIN);
	look_at(world, from_qsort_by_alloca, 1, OR_REFUSED);
	look_at(world, from_bsearch, 1, CERTAIN);
	look_at(world, from_a_handler, 1, CERTAIN);
}

static void this_thread(void **state)
{
	every_shape(*state);
}

static void *run(void *world)
{
	every_shape(world);
	return NULL;
}

/* Another root: the stack is its own mapping, which the maps must have. */
static void *read_maps_and_run(void *data)
{
	struct world *world = data;

	assert_true(sprof_maps_read(&world->maps, getpid(), world->modules));
	return run(world);
}

static void another_thread(void **state)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, read_maps_and_run, *state), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* Each visit has another distance. */
static void frames_of_another_size_each_time(void **state)
{
	struct world *world = *state;

	for (unsigned size = 16; size < 4096; size = size * 5 / 4) {
		litter(64);
		by_alloca(leaf, size);
		expect_the_same(world, OR_REFUSED);
		by_alloca(plain_leaf, size);
		expect_the_same(world, OR_REFUSED);
	}
}

static void the_innermost_activations(void **state)
{
	struct world *world = *state;

	for (unsigned depth = 0; depth < 40; depth += 3) {
		look_at(world, recursion, depth, CERTAIN);
		expect_depth(world, depth + 3);
		look_at(world, recursion_to_itself, depth, OR_REFUSED);
		expect_depth(world, depth + 2);
		look_at(world, plain_recursion, depth, CERTAIN);
		expect_depth(world, depth + 2);
	}
}

/* Stacks on which there is nothing to find. */

static uint64_t *word_at(struct place *place, size_t index)
{
	return (uint64_t *)(void *)(place->bytes + index * sizeof(uint64_t));
}

static size_t words_of(const struct place *place)
{
	return place->snapshot.stack.size / sizeof(uint64_t);
}

static void expect_refusal(struct world *world)
{
	struct sprof_stack_view stack;

	world->fresh = create_unwinder(world);
	stack = walk_blindly(world, world->fresh);
	assert_string_equal(sprof_end_name(stack.end), sprof_end_name(SPROF_END_REGISTER));
	assert_int_equal(stack.count, 1);
	sprof_unwinder_destroy(world->fresh);
	stack = walk_blindly(world, world->learned);
	assert_string_equal(sprof_end_name(stack.end), sprof_end_name(SPROF_END_REGISTER));
}

static void a_stack_of_zeros(void **state)
{
	struct world *world = *state;

	middle(1);
	expect_the_same(world, OR_REFUSED);
	memset(world->place.bytes, 0, PLACE_COPY);
	expect_refusal(world);
}

static void random_words(void **state)
{
	struct world *world = *state;

	srandom(SEED);
	middle(1);
	expect_the_same(world, OR_REFUSED);
	world->place.snapshot.stack.size = world->place.snapshot.stack.size / 8 * 8;
	for (int round = 0; round < 20; round++) {
		for (size_t i = 0; i < words_of(&world->place); i++)
			*word_at(&world->place, i) = (uint64_t)random() << 32 ^ (uint64_t)random();
		expect_refusal(world);
	}
}

/* The real frames, but what is further out than some of them is gone: no chain reaches the root. */
static void frames_without_a_root(void **state)
{
	struct world *world = *state;
	uint64_t outermost;

	recursion(20);
	expect_the_same(world, OR_REFUSED);
	outermost = sprof_unwinder_walk(world->sighted, &world->place.snapshot, &world->maps)
			    .outermost_sp -
		world->place.snapshot.stack.base;
	memset(world->place.bytes + outermost / 8 * 4, 0, PLACE_COPY - outermost / 8 * 4);
	expect_refusal(world);
}

/* Words of a real stack, all over: return addresses and addresses of the stack in no order. */
static void old_words_in_no_order(void **state)
{
	struct world *world = *state;
	size_t count, refused = 0;

	srandom(SEED);
	recursion(20);
	expect_the_same(world, OR_REFUSED);
	for (int round = 0; round < ROUNDS; round++) {
		struct sprof_stack_view stack;

		count = words_of(&world->place);
		for (size_t i = count - 1; i > 0; i--) {
			size_t other = (size_t)random() % i;
			uint64_t word = *word_at(&world->place, i);

			*word_at(&world->place, i) = *word_at(&world->place, other);
			*word_at(&world->place, other) = word;
		}
		/*
		 * Most are refused. By chance one leads to the root, or into code whose rows lead
		 * nowhere: the words depend on where the kernel has put the stack. All must end, with
		 * frames that are code.
		 */
		stack = walk_blindly(world, world->learned);
		assert_in_range(stack.count, 1, FRAMES);
		for (size_t i = 0; i < stack.count; i++)
			assert_true(stack.frames[i].module < sprof_modules_count(world->modules));
		refused += stack.end == SPROF_END_REGISTER;
	}
	assert_true(refused > ROUNDS / 2);
}

static void a_copy_that_is_too_short(void **state)
{
	struct world *world = *state;
	struct sprof_stack_copy *stack = &world->place.snapshot.stack;
	struct sprof_stack_view seen;

	recursion(20);
	expect_the_same(world, OR_REFUSED);
	for (size_t size = SPROF_RED_ZONE + 8; size < 1024; size += 8) {
		stack->size = size;
		world->fresh = create_unwinder(world);
		seen = walk_blindly(world, world->fresh);
		assert_int_equal(seen.end, SPROF_END_STACK_COPY);
		assert_int_equal(seen.count, 1);
		sprof_unwinder_destroy(world->fresh);
		assert_int_equal(walk_blindly(world, world->learned).end, SPROF_END_STACK_COPY);
	}
}

#define in_a_world(test) cmocka_unit_test_setup_teardown(test, world_create, world_destroy)

TEST_MAIN("recover")
{
	const struct CMUnitTest tests[] = {
		in_a_world(this_thread),
		in_a_world(another_thread),
		in_a_world(frames_of_another_size_each_time),
		in_a_world(the_innermost_activations),
		in_a_world(a_stack_of_zeros),
		in_a_world(random_words),
		in_a_world(frames_without_a_root),
		in_a_world(old_words_in_no_order),
		in_a_world(a_copy_that_is_too_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

/* The places are made of this machine's registers. */
TEST_MAIN("recover")
{
	puts("the stacks are made with the registers of x86-64");
	return 77;
}

#endif
