/*
 * events/allocations: random streams of several threads and stacks against a plain list of blocks, whose
 * peak is a copy of all sums.
 */
#include "events/heap/allocations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/unit/check.h"
#include "tests/unit/events/heap-stream.h"

enum { BLOCKS = 300, THREADS = 4, STACKS = 5, STEPS = 30000, PLACES = THREADS * STACKS };

struct model {
	struct model_block {
		uint64_t address, size;
		int place; /* thread and stack */
		uint64_t serial;
	} blocks[BLOCKS];
	size_t count;
	uint64_t serial, last[THREADS];
	struct sprof_heap_sum live, peak, at[PLACES], at_peak[PLACES], freed, temporary;
};

static struct heap_stream stream;
static struct heap_thread threads[THREADS];
static struct model model;
static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (random_state >> 33) % limit;
}

static uint64_t random_address(void)
{
	for (;;) {
		const uint64_t address = 0x1000 + 16 * random_below(2 * BLOCKS);
		bool is_used = false;

		for (size_t i = 0; i < model.count; i++)
			is_used |= model.blocks[i].address == address;
		if (!is_used)
			return address;
	}
}

static void change(int place, uint64_t size, int sign)
{
	model.live.bytes += (uint64_t)sign * size;
	model.live.objects += (uint64_t)sign;
	model.at[place].bytes += (uint64_t)sign * size;
	model.at[place].objects += (uint64_t)sign;
}

static void look_for_peak(void)
{
	if (model.live.bytes <= model.peak.bytes)
		return;
	model.peak = model.live;
	memcpy(model.at_peak, model.at, sizeof(model.at));
}

static void model_take(size_t index)
{
	const struct model_block block = model.blocks[index];

	change(block.place, block.size, -1);
	model.freed.bytes += block.size;
	model.freed.objects++;
	model.blocks[index] = model.blocks[--model.count];
}

static void model_put(int thread, int place, uint64_t address, uint64_t size)
{
	change(place, size, 1);
	model.last[thread] = ++model.serial;
	model.blocks[model.count++] =
		(struct model_block){address, size, place, model.last[thread]};
	look_for_peak();
}

/* With an inner call now and then, at a depth of its own. */
static void call(
	int thread, int stack, const char *name, const uint64_t arguments[2], uint64_t result)
{
	const uint64_t sp = HEAP_SP - 16 * random_below(1000);
	struct heap_entry entry = {name, sp, {arguments[0], arguments[1]}, (uint32_t)stack + 1};

	heap_enter(&threads[thread], &entry);
	if (random_below(4) == 0) {
		entry.sp = sp - 16 * random_below(50);
		heap_enter(&threads[thread], &entry);
		heap_leave(&threads[thread], name, entry.sp, result);
	}
	heap_leave(&threads[thread], name, sp, result);
}

static void random_malloc(int thread, int stack)
{
	const uint64_t size = random_below(1000), address = random_address();

	if (model.count == BLOCKS)
		return;
	call(thread, stack, "malloc", (const uint64_t[]){size, 0}, address);
	model_put(thread, thread * STACKS + stack, address, size);
}

static void random_free(int thread, int stack)
{
	const size_t index = random_below(model.count + 1);
	struct model_block block;

	if (index == model.count) {
		call(thread, stack, "free", (const uint64_t[]){0, 0}, 0);
		return;
	}
	block = model.blocks[index];
	call(thread, stack, "free", (const uint64_t[]){block.address, 0}, 0);
	if (block.serial == model.last[thread]) {
		model.temporary.bytes += block.size;
		model.temporary.objects++;
	}
	model_take(index);
}

static void random_realloc(int thread, int stack)
{
	const uint64_t size = 1 + random_below(1000), moved = random_address();
	uint64_t address;
	size_t index;

	if (!model.count)
		return;
	index = random_below(model.count);
	address = model.blocks[index].address;
	switch (random_below(3)) {
	case 0:
		call(thread, stack, "realloc", (const uint64_t[]){address, size}, 0);
		return;
	case 1:
		call(thread, stack, "realloc", (const uint64_t[]){address, size}, address);
		break;
	default:
		call(thread, stack, "realloc", (const uint64_t[]){address, size}, moved);
		address = moved;
	}
	model_take(index);
	model_put(thread, thread * STACKS + stack, address, size);
}

static void check_sites(void)
{
	const struct sprof_heap_books *books = sprof_allocations_books(stream.allocations);

	for (size_t i = 0; i < books->site_count; i++) {
		const struct sprof_heap_site *site = &books->sites[i];
		const size_t place = site->thread * STACKS + site->stack - 1;
		const struct sprof_heap_sum peak = sprof_heap_at_peak(books, site);

		assert_int_equal(site->sums[SPROF_HEAP_LIVE].bytes, model.at[place].bytes);
		assert_int_equal(site->sums[SPROF_HEAP_LIVE].objects, model.at[place].objects);
		assert_int_equal(peak.bytes, model.at_peak[place].bytes);
		assert_int_equal(peak.objects, model.at_peak[place].objects);
	}
}

static void check_all(void)
{
	heap_check(&stream, SPROF_HEAP_LIVE, model.live.bytes, model.live.objects);
	heap_check(&stream, SPROF_HEAP_FREED, model.freed.bytes, model.freed.objects);
	heap_check(&stream, SPROF_HEAP_TEMPORARY, model.temporary.bytes, model.temporary.objects);
	heap_check_peak(&stream, model.peak.bytes, model.peak.objects);
	check_sites();
}

static void step(void)
{
	const int thread = (int)random_below(THREADS), stack = (int)random_below(STACKS);

	switch (random_below(5)) {
	case 0:
	case 1:
		random_malloc(thread, stack);
		break;
	case 2:
		random_realloc(thread, stack);
		break;
	default:
		random_free(thread, stack);
	}
}

static void begin_random(void)
{
	const char *given = getenv("SPROF_TEST_SEED");
	const uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);

	print_message("SPROF_TEST_SEED=%llu\n", (unsigned long long)seed);
	random_state = seed;
	model = (struct model){0};
	heap_stream_begin(&stream, true, true);
	for (uint32_t i = 0; i < THREADS; i++)
		threads[i] = heap_thread(&stream, i);
}

static void as_a_plain_list(void **state)
{
	begin_random();
	for (int i = 0; i < STEPS; i++) {
		step();
		if (i % 100 == 0)
			check_all();
	}
	check_all();
	assert_int_equal(sprof_allocations_counts(stream.allocations)->unknown_frees, 0);
	assert_int_equal(sprof_allocations_counts(stream.allocations)->unpaired_returns, 0);
	assert_int_equal(sprof_allocations_counts(stream.allocations)->left, 0);
	heap_stream_end(&stream);
}

TEST_MAIN("allocations-random")
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_a_plain_list)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
