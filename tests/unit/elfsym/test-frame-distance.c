/*
 * elfsym/frame-distance: the sizes of instructions as an assembler and a disassembler have them, and what functions
 * of known shape do to sp.
 */
#include "elfsym/code/frame-distance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/elfsym/fixture.h"

static void expect_distance(const char *bytes, size_t size, uint64_t distance)
{
	uint64_t found = UINT64_MAX;

	assert_true(sprof_frame_distance_x86_64((const void *)bytes, size, &found));
	assert_int_equal(found, distance);
}

static void expect_none(const char *bytes, size_t size)
{
	uint64_t found;

	assert_false(sprof_frame_distance_x86_64((const void *)bytes, size, &found));
}

#define BYTES(literal) literal, sizeof(literal) - 1

/* push %rbp; mov %rsp, %rbp */
#define FRAME "\x55\x48\x89\xe5"
#define CALL "\xe8\x01\x02\x03\x04"
#define SYSCALL "\x0f\x05"

static void prologues(void **state)
{
	expect_distance(BYTES(FRAME), 0);
	expect_distance(BYTES("\xf3\x0f\x1e\xfa\x55\x48\x8b\xec" SYSCALL), 0);
	/* push %r15; push %rbx; sub $0x18, %rsp */
	expect_distance(BYTES(FRAME "\x41\x57\x53\x48\x83\xec\x18" SYSCALL), 0x28);
	/* mov %edi, %ebx and xor %eax, %eax in between; sub $0x12340, %rsp */
	expect_distance(
		BYTES(FRAME "\x53\x89\xfb\x31\xc0\x48\x81\xec\x40\x23\x01\x00" CALL), 0x12348);
	/* sub -0x80 */
	expect_distance(BYTES(FRAME "\x48\x83\xc4\x80" SYSCALL), 0x80);
	/* A test and a return ahead of the frame: test %edi, %edi; je; ret */
	expect_distance(BYTES("\x85\xff\x74\x01\xc3" FRAME "\x48\x83\xec\x10" CALL), 0x10);
}

static void bodies(void **state)
{
	/* An early way out: leave; ret; and the call behind it. */
	expect_distance(BYTES(FRAME "\x48\x83\xec\x20\x85\xff\x74\x02\xc9\xc3" CALL), 0x20);
	/* The same by lea -8(%rbp), %rsp; pop %rbx; pop %rbp; ret */
	expect_distance(
		BYTES(FRAME
			"\x53\x48\x83\xec\x18\x85\xff\x74\x07\x48\x8d\x65\xf8\x5b\x5d\xc3" CALL),
		0x20);
	/* Arguments on the stack: sub $8; push $1; call */
	expect_distance(BYTES(FRAME "\x48\x83\xec\x10" CALL "\x48\x83\xec\x08\x6a\x01" CALL), 0x20);
	/* And add $16 behind it. */
	expect_distance(BYTES(FRAME "\x48\x83\xec\x10" CALL "\x6a\x01\x6a\x02" CALL
				    "\x48\x83\xc4\x10" CALL),
		0x10);
}

static void what_is_not_known(void **state)
{
	expect_none(BYTES(""));
	expect_none(BYTES("\x48\x83\xec\x18" CALL));       /* no frame pointer */
	expect_none(BYTES(FRAME "\x48\x29\xc4" CALL));     /* sub %rax, %rsp */
	expect_none(BYTES(FRAME "\x48\x83\xe4\xe0" CALL)); /* and $-32, %rsp */
	expect_none(BYTES(FRAME "\x48\x8d\x24\x04" CALL)); /* lea (%rsp,%rax), %rsp */
	expect_none(BYTES(FRAME "\x48\x89\xc4" CALL));     /* mov %rax, %rsp */
	expect_none(BYTES(FRAME "\x06" CALL "\x48\x89"));  /* cut off inside an instruction */
}

/* One byte less is never an instruction, and nothing behind the end is read. */
#if defined(__x86_64__)
static void expect_size(const uint8_t *bytes, size_t size)
{
	uint8_t *exact = malloc(size);

	assert_non_null(exact);
	memcpy(exact, bytes, size);
	assert_int_equal(sprof_instruction_size_x86_64(exact, size), size);
	for (size_t i = 0; i < size; i++) {
		uint8_t *shorter = malloc(i + !i);

		assert_non_null(shorter);
		memcpy(shorter, exact, i);
		assert_int_equal(sprof_instruction_size_x86_64(shorter, i), 0);
		free(shorter);
	}
	free(exact);
}

/* "  401000:\t48 89 e5 \tmov ..." -> the bytes. */
static size_t parse_line(const char *line, uint8_t bytes[16])
{
	const char *at = strchr(line, '\t');
	size_t count = 0;
	int used;
	unsigned byte;

	while (at && count < 16 && sscanf(at, " %2x%n", &byte, &used) == 1 && at[used] == ' ') {
		bytes[count++] = (uint8_t)byte;
		at += used;
	}
	return at && strchr(at, '\t') && !strstr(at, "(bad)") ? count : 0;
}

/* Every instruction of a whole C library, which has AVX512 too. */
static void sizes_as_objdump_has_them(void **state)
{
	char command[4200], line[512];
	size_t count = 0;
	FILE *output;

	snprintf(command, sizeof(command), "objdump -d --insn-width=16 %s",
		subject_path("subject-static"));
	output = popen(command, "r");
	assert_non_null(output);
	while (fgets(line, sizeof(line), output)) {
		uint8_t bytes[16];
		size_t size = parse_line(line, bytes);

		if (!size)
			continue;
		if (sprof_instruction_size_x86_64(bytes, size) != size)
			print_error("%s", line);
		expect_size(bytes, size);
		count++;
	}
	assert_int_equal(pclose(output), 0);
	assert_true(count > 100000);
}
#endif

static void any_bytes(void **state)
{
	uint8_t bytes[64];
	uint64_t distance;

	srandom(1);
	for (int round = 0; round < 100000; round++) {
		size_t size = (size_t)random() % sizeof(bytes);
		uint8_t *exact = malloc(size + !size);

		assert_non_null(exact);
		for (size_t i = 0; i < size; i++)
			exact[i] = (uint8_t)random();
		sprof_frame_distance_x86_64(exact, size, &distance);
		assert_true(sprof_instruction_size_x86_64(exact, size) <= size);
		free(exact);
	}
}

static void expect_behind(const char *bytes, size_t size, uint64_t distance)
{
	uint64_t found = UINT64_MAX;

	assert_true(sprof_frame_distance_behind_x86_64((const void *)bytes, size, &found));
	assert_int_equal(found, distance);
}

static void expect_none_behind(const char *bytes, size_t size)
{
	uint64_t found;

	assert_false(sprof_frame_distance_behind_x86_64((const void *)bytes, size, &found));
}

#define PADDING "\xcc\xcc\xcc"

/* What lies before a place, from anywhere in another function on. */
static void where_the_start_is_unknown(void **state)
{
	/* The rest of an instruction; pop %rbp; ret; then sub $0x20, %rsp */
	expect_behind(BYTES("\x01\x02\x5d\xc3" PADDING FRAME "\x48\x83\xec\x20" SYSCALL), 0x20);
	expect_behind(BYTES(FRAME "\x41\x57\x5d\xc3" PADDING
				  "\x55\x48\x8b\xec\x41\x57\x53\x48\x83\xec\x18" CALL),
		0x28);
	/* An early way out does not end the function. */
	expect_behind(BYTES(FRAME "\x48\x83\xec\x20\x85\xff\x74\x02\xc9\xc3" CALL), 0x20);
	/* The place is in a function without a frame, behind one that has one: with int3, nop or nothing between. */
	expect_none_behind(BYTES(FRAME "\x5d\xc3" PADDING "\x48\x83\xec\x18" CALL));
	expect_none_behind(BYTES(FRAME "\x5d\xc3\x0f\x1f\x40\x00\x48\x83\xec\x18" CALL));
	expect_none_behind(BYTES(FRAME "\x5d\xc3\x66\x90\x41\x57" CALL));
	expect_none_behind(BYTES(FRAME "\x5d\xc3\xf3\x0f\x1e\xfa\x50" CALL));
	/* A loop that is aligned behind a jump is none. */
	expect_behind(BYTES(FRAME "\x48\x83\xec\x20\xeb\x04\x0f\x1f\x40\x00\x31\xc0" CALL), 0x20);
	/* One whose frame is set up in two steps (xor %eax, %eax in between) is not found, nor is the one before. */
	expect_none_behind(
		BYTES(FRAME "\x41\x57\x5d\xc3\x55\x31\xc0\x48\x89\xe5\x53\x48\x83\xec\x18" CALL));
	expect_none_behind(BYTES("\x48\x83\xec\x20" SYSCALL));
	expect_none_behind("", 0);
	/* Allocates on its stack: sub %rax, %rsp */
	expect_none_behind(BYTES(FRAME "\x48\x29\xc4" CALL));
}

TEST_MAIN("frame-distance")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prologues),
		cmocka_unit_test(bodies),
		cmocka_unit_test(what_is_not_known),
		cmocka_unit_test(where_the_start_is_unknown),
#if defined(__x86_64__)
		cmocka_unit_test(sizes_as_objdump_has_them),
#endif
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
