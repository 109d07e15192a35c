/*
 * Any bytes as the ring of a perf event: every record is taken or dropped, nothing is read beyond the
 * ring, and reading comes to an end.
 */
#include "events/perf/registers.h"
#include "events/perf/ring.h"
#include "tests/fuzz/fuzz.h"

enum { RING_SIZE = 1024 };

/* Registers and stack behind the raw bytes. */
static void check_user(const struct sprof_perf_record *record, bool has_stack)
{
	struct sprof_perf_user user;

	if (!sprof_perf_user_read(record, has_stack, &user) || !user.stack_size)
		return;
	fuzz_require(has_stack && user.stack[0] + user.stack[user.stack_size - 1] >= 0);
}

static void check_record(const struct sprof_perf_record *record)
{
	const unsigned char *raw = record->raw, *chain = record->chain;

	fuzz_require(memchr(record->name, '\0', sizeof(record->name)) != NULL);
	if (record->kind != SPROF_PERF_SAMPLE)
		return;
	if (record->chain_count)
		fuzz_require(chain[0] + chain[record->chain_count * sizeof(uint64_t) - 1] >= 0);
	fuzz_require(record->raw_size >= 2);
	fuzz_require(raw[0] + raw[record->raw_size - 1] >= 0);
	check_user(record, false);
	check_user(record, true);
}

/*
 * The first two bytes say where the kernel's count of bytes begins; if that is in the upper half, samples have the
 * kernel's stack.
 */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct perf_event_mmap_page page = {0};
	unsigned char *data = calloc(1, RING_SIZE), *scratch = malloc(SPROF_PERF_RECORD_MAX);
	struct sprof_perf_ring ring = {.page = &page, .data = data, .size = RING_SIZE};
	struct sprof_perf_record record;
	size_t taken = 0;

	fuzz_require(data && scratch);
	if (size >= 2) {
		ring.position = (uint64_t)bytes[0] << 8 | bytes[1];
		ring.has_chains = bytes[0] >> 7;
		for (size_t i = 0; i < size - 2 && i < RING_SIZE; i++)
			data[(ring.position + i) % RING_SIZE] = bytes[2 + i];
		page.data_head = ring.position + (size - 2);
	}
	while (sprof_perf_ring_take(&ring, scratch, &record)) {
		check_record(&record);
		taken++;
	}
	sprof_perf_ring_release(&ring);
	fuzz_require(taken <= RING_SIZE / 8 + 1 && page.data_tail == ring.position);
	free(data);
	free(scratch);
	return 0;
}
