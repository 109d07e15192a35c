/*
 * sampler/timer/call-places: the number of a system call by the code before the pc, and by the stack
 * where the code takes it from there. On AArch64 a register has it.
 */
#include <errno.h>
#include <string.h>

#include "attach/calls/number.h"
#include "sampler/timer/kernel.h"
#include "tests/unit/check.h"

enum { PC = 0x40001000, STACK = 0x70000000, WORDS = 8 };

static const uint8_t *code;
static size_t code_size, code_reads;
static uint64_t callers_sp;

static size_t read_code(
	struct sprof_process *process, pid_t tid, uint64_t address, void *buffer, size_t size)
{
	if (address < PC - code_size)
		return 0;
	code_reads++;
	memcpy(buffer, code + (address - (PC - code_size)), size);
	return size;
}

static uint64_t find_caller_sp(struct sprof_unwinder *unwinder,
	const struct sprof_snapshot *snapshot, const struct sprof_maps *maps, size_t depth)
{
	assert_int_equal(depth, 2);
	return callers_sp;
}

static int64_t find(struct call_places *places, const uint64_t words[WORDS])
{
	static const struct sprof_world world = {
		.read_memory = read_code, .find_caller_sp = find_caller_sp};
	const struct run run = {.world = &world};
	struct sprof_process process = {.id = 1};
	const struct sprof_thread thread = {.process = &process};
	struct sprof_snapshot snapshot = {.stack = {.base = STACK,
						  .size = WORDS * sizeof(*words),
						  .bytes = (const uint8_t *)words}};

	snapshot.regs.values[0] = (uint64_t)-ENOSYS;
	snapshot.regs.values[SPROF_REG_PC] = PC;
	snapshot.regs.values[SPROF_REG_SP] = STACK + 8;
	return sprof_call_places_find(places, &run, &thread, &snapshot, NULL);
}

static void set_code(const char *text, size_t size)
{
	code = (const uint8_t *)text;
	code_size = size;
	code_reads = 0;
}

/* The place is looked at once; the number may be another one each time. */
static void from_the_sp(void **state)
{
	/* mov 0x10(%rsp),%rax; syscall */
	static const char text[] = "\x90\x90\x90\x90\x90\x48\x8b\x44\x24\x10\x0f\x05";
	uint64_t words[WORDS] = {[3] = 35};
	struct call_places places = {0};

	set_code(text, sizeof(text) - 1);
	assert_int_equal(find(&places, words), 35);
	words[3] = 0;
	assert_int_equal(find(&places, words), 0);
	assert_int_equal(code_reads, 1);
	words[3] = SPROF_CALL_NUMBERS;
	assert_int_equal(find(&places, words), SPROF_CALL_NUMBER_UNKNOWN);
}

static void beyond_the_copy(void **state)
{
	/* mov 0x78(%rsp),%rax; syscall */
	static const char text[] = "\x90\x90\x90\x90\x90\x48\x8b\x44\x24\x78\x0f\x05";
	const uint64_t words[WORDS] = {0};
	struct call_places places = {0};

	set_code(text, sizeof(text) - 1);
	assert_int_equal(find(&places, words), SPROF_CALL_NUMBER_UNKNOWN);
}

static void an_argument_of_the_caller(void **state)
{
	/* mov %rdi,%r11; mov %rsi,%rax; mov %rdx,%rdi; mov %rcx,%rsi; nop...; syscall */
	static const char text[] = "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
				   "\x49\x89\xfb\x48\x89\xf0\x48\x89\xd7\x48\x89\xce\x0f\x05";
	const uint64_t words[WORDS] = {[5] = 230};
	struct call_places places = {0};

	set_code(text, sizeof(text) - 1);
	callers_sp = STACK + 5 * 8;
	assert_int_equal(find(&places, words), 230);
	callers_sp = 0; /* no walk leads there */
	assert_int_equal(find(&places, words), SPROF_CALL_NUMBER_UNKNOWN);
}

TEST_MAIN("call-places")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_the_sp),
		cmocka_unit_test(beyond_the_copy),
		cmocka_unit_test(an_argument_of_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
