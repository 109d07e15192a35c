/*
 * events/perf-ring: rings that are made up, with records at and across their end.
 */
#include "events/perf/ring.h"

#include "tests/unit/check.h"
#include "tests/unit/events/records.h"

enum { RING_SIZE = 128 };

/* A ring, and the side of it that the kernel has. */
struct world {
	struct perf_event_mmap_page page;
	unsigned char data[RING_SIZE];
	unsigned char scratch[SPROF_PERF_RECORD_MAX];
	struct sprof_perf_ring ring;
};

static struct world *begin(uint64_t position)
{
	struct world *world = test_calloc(1, sizeof(*world));

	world->page.data_head = world->page.data_tail = position;
	world->ring = (struct sprof_perf_ring){
		.page = &world->page,
		.data = world->data,
		.size = RING_SIZE,
		.position = position,
	};
	return world;
}

static void write_record(struct world *world, const struct made *made)
{
	assert_true(world->page.data_head - world->page.data_tail + made->size <= RING_SIZE);
	for (size_t i = 0; i < made->size; i++)
		world->data[(world->page.data_head + i) % RING_SIZE] = made->bytes[i];
	world->page.data_head += made->size;
}

static void takes_in_order(void **state)
{
	struct world *world = begin(0);
	struct made first = made_switch(0, 10), second = made_switch(0, 20);
	struct sprof_perf_record record;

	assert_false(sprof_perf_ring_take(&world->ring, world->scratch, &record));
	write_record(world, &first);
	write_record(world, &second);
	assert_true(sprof_perf_ring_take(&world->ring, world->scratch, &record));
	assert_int_equal(record.time_ns, 10);
	assert_true(sprof_perf_ring_take(&world->ring, world->scratch, &record));
	assert_int_equal(record.time_ns, 20);
	assert_false(sprof_perf_ring_take(&world->ring, world->scratch, &record));
	assert_int_equal(world->page.data_tail, 0);
	sprof_perf_ring_release(&world->ring);
	assert_int_equal(world->page.data_tail, 80);
	test_free(world);
}

/* At every distance from the ring's end, and where the kernel's count of bytes is large. */
static void takes_across_the_end(void **state)
{
	for (uint64_t position = 0; position < 2 * RING_SIZE; position += 8) {
		struct world *world = begin(position + (UINT64_C(5) << 33));

		for (uint64_t time = 1; time < 20; time++) {
			struct made made = made_switch(0, time);
			struct sprof_perf_record record;

			write_record(world, &made);
			assert_true(sprof_perf_ring_take(&world->ring, world->scratch, &record));
			assert_int_equal(record.kind, SPROF_PERF_SWITCH);
			assert_int_equal(record.time_ns, time);
			assert_int_equal(record.cpu, MADE_CPU);
			sprof_perf_ring_release(&world->ring);
		}
		test_free(world);
	}
}

static void a_loss_begins_at_the_record_before(void **state)
{
	struct world *world = begin(0);
	struct made before = made_switch(0, 10), lost = made_lost(3, 50);
	struct sprof_perf_record record;

	write_record(world, &before);
	write_record(world, &lost);
	assert_true(sprof_perf_ring_take(&world->ring, world->scratch, &record));
	assert_true(sprof_perf_ring_take(&world->ring, world->scratch, &record));
	assert_int_equal(record.kind, SPROF_PERF_LOST);
	assert_int_equal(record.lost, 3);
	assert_int_equal(record.since_ns, 10);
	assert_int_equal(record.time_ns, 50);
	test_free(world);
}

static void a_ring_without_room_is_full(void **state)
{
	static unsigned char data[4096];
	struct perf_event_mmap_page page = {0};
	struct sprof_perf_ring ring = {.page = &page, .data = data, .size = sizeof(data)};

	assert_false(sprof_perf_ring_is_full(&ring, 512));
	page.data_head = sizeof(data) - 1024;
	assert_false(sprof_perf_ring_is_full(&ring, 512));
	page.data_head = sizeof(data) - 32;
	assert_true(sprof_perf_ring_is_full(&ring, 512));
	ring.position = 2048;
	assert_false(sprof_perf_ring_is_full(&ring, 512));
}

static void drops_what_is_no_record(void **state)
{
	static const uint16_t sizes[] = {0, 4, 33, 1000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct world *world = begin(0);
		struct made good = made_switch(0, 10), bad = made_switch(0, 20);
		struct sprof_perf_record record;

		memcpy(bad.bytes + offsetof(struct perf_event_header, size), &sizes[i], 2);
		write_record(world, &good);
		write_record(world, &bad);
		assert_true(sprof_perf_ring_take(&world->ring, world->scratch, &record));
		assert_true(sprof_perf_ring_take(&world->ring, world->scratch, &record));
		assert_int_equal(record.kind, SPROF_PERF_LOST);
		assert_int_equal(record.time_ns, 10);
		assert_false(sprof_perf_ring_take(&world->ring, world->scratch, &record));
		sprof_perf_ring_release(&world->ring);
		assert_int_equal(world->page.data_tail, world->page.data_head);
		test_free(world);
	}
}

TEST_MAIN("perf-ring")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_in_order),
		cmocka_unit_test(takes_across_the_end),
		cmocka_unit_test(a_loss_begins_at_the_record_before),
		cmocka_unit_test(a_ring_without_room_is_full),
		cmocka_unit_test(drops_what_is_no_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
