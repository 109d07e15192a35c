/*
 * elfsym/call-decode: calls by their end and jumps by their beginning. On x86_64 every form as the assembler
 * writes it; for both machines also byte by byte, and what is neither.
 */
#include "elfsym/code/call-decode.h"

#include <string.h>

#include "tests/unit/check.h"

enum { ADDRESS = 0x401000 };

/* The bytes as the end of what is before ADDRESS; what comes before them is `filler`. */
static enum sprof_call decode(enum sprof_machine machine, const void *bytes, size_t size,
	uint8_t filler, uint64_t *ret_target)
{
	uint8_t before[SPROF_CALL_LONGEST];

	assert_true(size <= sizeof(before));
	memset(before, filler, sizeof(before));
	memcpy(before + sizeof(before) - size, bytes, size);
	return sprof_call_decode(machine, before, ADDRESS, ret_target);
}

static void x86_direct(void **state)
{
	static const uint8_t forwards[] = {0xe8, 0x10, 0x20, 0, 0};
	static const uint8_t backwards[] = {0xe8, 0xfb, 0xff, 0xff, 0xff};
	static const uint8_t far_back[] = {0xe8, 0, 0, 0, 0x80};
	uint64_t target;

	for (unsigned filler = 0; filler < 0x100; filler++) {
		target = 0;
		assert_int_equal(
			decode(SPROF_MACHINE_X86_64, forwards, 5, (uint8_t)filler, &target),
			SPROF_CALL_DIRECT);
		assert_int_equal(target, ADDRESS + 0x2010);
	}
	assert_int_equal(
		decode(SPROF_MACHINE_X86_64, backwards, 5, 0x90, &target), SPROF_CALL_DIRECT);
	assert_int_equal(target, ADDRESS - 5);
	assert_int_equal(
		decode(SPROF_MACHINE_X86_64, far_back, 5, 0x90, &target), SPROF_CALL_DIRECT);
	assert_true(target == ADDRESS - (uint64_t)0x80000000);
}

/* Opcode, ModRM and SIB by the manual's tables, written without looking at the decoder. */
static size_t put_indirect(uint8_t *bytes, unsigned modrm, unsigned sib)
{
	unsigned mode = modrm >> 6, rm = modrm & 7;
	size_t size = 2;

	bytes[0] = 0xff;
	bytes[1] = (uint8_t)modrm;
	if (mode == 3)
		return size;
	if (rm == 4)
		bytes[size++] = (uint8_t)sib;
	if (mode == 1)
		bytes[size++] = 0x72;
	if (mode == 2 || (mode == 0 && (rm == 5 || (rm == 4 && (sib & 7) == 5)))) {
		memcpy(bytes + size, "\x78\x56\x34\x12", 4);
		size += 4;
	}
	return size;
}

/* All 256 operand bytes and all 256 SIB bytes: /2 is a call, the seven others are not. */
static void x86_every_operand(void **state)
{
	uint8_t bytes[16];
	uint64_t target;

	for (unsigned modrm = 0; modrm < 0x100; modrm++) {
		for (unsigned sib = 0; sib < 0x100; sib++) {
			size_t size = put_indirect(bytes, modrm, sib);
			/* E8 as the SIB byte before four others is also what a direct call looks like. */
			bool is_ambiguous = size == 7 && sib == 0xe8;
			enum sprof_call call =
				decode(SPROF_MACHINE_X86_64, bytes, size, 0x90, &target);

			if ((modrm >> 3 & 7) == 2)
				assert_int_equal(call, SPROF_CALL_INDIRECT);
			else if (!is_ambiguous)
				assert_int_equal(call, SPROF_CALL_NONE);
		}
	}
}

static void x86_none(void **state)
{
	static const struct {
		uint8_t bytes[8];
		size_t size;
	} others[] = {
		{{0x0f, 0x05}, 2},                /* syscall */
		{{0xff, 0xe0}, 2},                /* jmp *%rax */
		{{0xff, 0x25, 0x10, 0, 0, 0}, 6}, /* jmp *0x10(%rip) */
		{{0xff, 0x35, 0x10, 0, 0, 0}, 6}, /* push 0x10(%rip) */
		{{0xff, 0x18}, 2},                /* lcall *(%rax) */
		{{0xe9, 0x10, 0, 0, 0}, 5},       /* jmp */
		{{0x48, 0x89, 0xe5}, 3},          /* mov %rsp, %rbp */
		{{0xff, 0xd0, 0x90}, 3},          /* a call, but one byte further in */
		{{0xe8, 0x10, 0, 0, 0, 0x90}, 6},
		{{0xff, 0x50, 0x12, 0x90}, 4},
	};
	uint64_t target;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(decode(SPROF_MACHINE_X86_64, others[i].bytes, others[i].size, 0x90,
					 &target),
			SPROF_CALL_NONE);
}

/* Written by aarch64-linux-gnu-as. */
static void arm_calls(void **state)
{
	static const uint32_t indirect[] = {
		0xd63f0060, /* blr x3 */
		0xd63f03c0, /* blr x30 */
		0xd63f087f, /* blraaz x3 */
		0xd63f0c7f, /* blrabz x3 */
		0xd73f0864, /* blraa x3, x4 */
		0xd73f0c7f, /* blrab x3, sp */
	};
	static const uint32_t none[] = {
		0xd61f0060, /* br x3 */
		0xd71f0864, /* braa x3, x4 */
		0xd65f03c0, /* ret */
		0xd65f0bff, /* retaa */
		0x14000010, /* b */
		0x54fffea0, /* b.eq */
		0xb4fffe60, /* cbz x0 */
		0xd4000001, /* svc 0 */
		0,
		0xffffffff,
	};
	static const uint32_t forwards = 0x94000010, backwards = 0x97ffffff, furthest = 0x96000000;
	uint64_t target = 0;

	for (size_t i = 0; i < sizeof(indirect) / sizeof(indirect[0]); i++)
		assert_int_equal(decode(SPROF_MACHINE_AARCH64, &indirect[i], 4, 0, &target),
			SPROF_CALL_INDIRECT);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(
			decode(SPROF_MACHINE_AARCH64, &none[i], 4, 0, &target), SPROF_CALL_NONE);
	assert_int_equal(
		decode(SPROF_MACHINE_AARCH64, &forwards, 4, 0, &target), SPROF_CALL_DIRECT);
	assert_int_equal(target, ADDRESS - 4 + 0x40);
	assert_int_equal(
		decode(SPROF_MACHINE_AARCH64, &backwards, 4, 0, &target), SPROF_CALL_DIRECT);
	assert_int_equal(target, ADDRESS - 8);
	assert_int_equal(
		decode(SPROF_MACHINE_AARCH64, &furthest, 4, 0, &target), SPROF_CALL_DIRECT);
	assert_true(target == (uint64_t)ADDRESS - 4 - (1 << 27));
}

/* A jump that is there as a whole, and is none where the code ends before it does. */
static uint64_t expect_jump(enum sprof_machine machine, const void *bytes, size_t size)
{
	uint64_t target = 0, ignored;

	for (size_t i = 0; i < size; i++)
		assert_int_equal(sprof_call_decode_jump(machine, bytes, i, ADDRESS, &ignored),
			SPROF_CALL_NONE);
	assert_int_equal(
		sprof_call_decode_jump(machine, bytes, size, ADDRESS, &target), SPROF_CALL_DIRECT);
	return target;
}

static void x86_jumps(void **state)
{
	static const uint8_t near[] = {0xe9, 0x10, 0x20, 0, 0},
			     back[] = {0xe9, 0xfb, 0xff, 0xff, 0xff};
	static const uint8_t short_one[] = {0xeb, 0x10}, short_back[] = {0xeb, 0xfe};
	static const uint8_t through_register[] = {0xff, 0xe0}, tracked[] = {0x3e, 0xff, 0xe0};
	static const uint8_t through_memory[] = {0xff, 0x25, 0x10, 0, 0, 0};
	static const uint8_t call[] = {0xe8, 0, 0, 0, 0}, call_register[] = {0xff, 0xd0};
	const enum sprof_machine machine = SPROF_MACHINE_X86_64;
	uint64_t target;

	assert_int_equal(expect_jump(machine, near, 5), ADDRESS + 5 + 0x2010);
	assert_int_equal(expect_jump(machine, back, 5), ADDRESS);
	assert_int_equal(expect_jump(machine, short_one, 2), ADDRESS + 2 + 0x10);
	assert_int_equal(expect_jump(machine, short_back, 2), ADDRESS);
	for (unsigned condition = 0; condition < 16; condition++) {
		const uint8_t with_byte[] = {(uint8_t)(0x70 | condition), 0x80};
		const uint8_t with_four[] = {0x0f, (uint8_t)(0x80 | condition), 0x10, 0, 0, 0};

		assert_int_equal(expect_jump(machine, with_byte, 2), ADDRESS + 2 - 0x80);
		assert_int_equal(expect_jump(machine, with_four, 6), ADDRESS + 6 + 0x10);
	}
	assert_int_equal(sprof_call_decode_jump(machine, through_register, 2, ADDRESS, &target),
		SPROF_CALL_INDIRECT);
	assert_int_equal(sprof_call_decode_jump(machine, through_memory, 6, ADDRESS, &target),
		SPROF_CALL_INDIRECT);
	assert_int_equal(sprof_call_decode_jump(machine, tracked + 1, 2, ADDRESS, &target),
		SPROF_CALL_INDIRECT);
	assert_int_equal(sprof_call_decode_jump(machine, through_register, 1, ADDRESS, &target),
		SPROF_CALL_NONE);
	assert_int_equal(
		sprof_call_decode_jump(machine, call, 5, ADDRESS, &target), SPROF_CALL_NONE);
	assert_int_equal(sprof_call_decode_jump(machine, call_register, 2, ADDRESS, &target),
		SPROF_CALL_NONE);
}

static void arm_jumps(void **state)
{
	static const uint32_t forwards = 0x14000010, backwards = 0x17fffff6;
	static const uint32_t indirect[] = {0xd61f0060, 0xd71f0864};
	static const uint32_t none[] = {0x94000010, 0xd63f0060, 0xd65f03c0, 0x54fffea0, 0xb4fffe60};
	const enum sprof_machine machine = SPROF_MACHINE_AARCH64;
	uint64_t target;

	assert_int_equal(expect_jump(machine, &forwards, 4), ADDRESS + 0x40);
	assert_int_equal(expect_jump(machine, &backwards, 4), ADDRESS - 0x28);
	for (size_t i = 0; i < sizeof(indirect) / sizeof(indirect[0]); i++)
		assert_int_equal(sprof_call_decode_jump(
					 machine, (const void *)&indirect[i], 4, ADDRESS, &target),
			SPROF_CALL_INDIRECT);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(sprof_call_decode_jump(
					 machine, (const void *)&none[i], 4, ADDRESS, &target),
			SPROF_CALL_NONE);
}

#if defined(__x86_64__)

/* What the assembler made: where an instruction begins and ends, what it is, and where it leads. */
struct written {
	const uint8_t *begin, *end, *target;
	uint64_t kind; /* of a call: enum sprof_call; of a jump: that and JUMP */
};

enum { JUMP = 16 };

/* Eight one-byte instructions before each, which begin no call. Nothing of it is ever run. */
__asm__(".macro written kind, target, instruction:vararg\n"
	".skip 8, 0x90\n"
	"771: \\instruction\n"
	"772:\n"
	".pushsection .data.rel.ro.calls, \"aw\"\n.balign 8\n"
	".quad 771b, 772b, \\target, \\kind\n"
	".popsection\n"
	".endm\n"
	".pushsection .data.rel.ro.calls, \"aw\"\n.balign 8\nwritten_begin:\n.popsection\n"
	".text\n"
	"behind_all: .skip 300, 0x90\n"
	"written 1, ahead_of_all, call ahead_of_all\n"
	"written 1, behind_all, call behind_all\n"
	".irp r, rax,rcx,rdx,rbx,rsp,rbp,rsi,rdi,r8,r9,r10,r11,r12,r13,r14,r15\n"
	"written 2, 0, call *%\\r\n"
	"written 2, 0, call *(%\\r)\n"
	"written 2, 0, call *8(%\\r)\n"
	"written 2, 0, call *-0x12345678(%\\r)\n"
	"written 2, 0, call *(%\\r,%rbp,8)\n"
	"written 2, 0, call *8(%\\r,%r15,4)\n"
	"written 2, 0, call *0x12345678(%\\r,%rbp,8)\n"
	"written 2, 0, call *0x12345678(,%rbp,2)\n"
	"written 2, 0, notrack call *%\\r\n"
	"written 0, 0, push (%\\r)\n"
	"written 0, 0, mov %\\r, 8(%\\r)\n"
	"written 0, 0, jmp *8(%\\r)\n"
	"written 18, 0, jmp *%\\r\n"
	"written 18, 0, jmp *-0x12345678(%\\r)\n"
	".endr\n"
	"written 2, 0, call *behind_all(%rip)\n"
	"written 2, 0, call *%fs:(%rax)\n"
	"written 0, 0, syscall\n"
	"written 18, 0, jmp *behind_all(%rip)\n"
	"written 17, ahead_of_all, jmp ahead_of_all\n"
	"written 17, behind_all, jne behind_all\n"
	"written 17, 773f, jmp 773f\n"
	"written 17, 773f, ja 773f\n"
	"773:\n"
	".skip 300, 0x90\n"
	"ahead_of_all:\n"
	".pushsection .data.rel.ro.calls, \"aw\"\nwritten_end:\n.popsection\n");

extern const struct written written_begin[], written_end[];

static void as_the_assembler_writes_them(void **state)
{
	size_t calls = 0, jumps = 0;

	for (const struct written *written = written_begin; written < written_end; written++) {
		bool is_jump = written->kind & JUMP;
		uint64_t target = 0, at = (uint64_t)(is_jump ? written->begin : written->end);
		enum sprof_call found = is_jump
			? sprof_call_decode_jump(SPROF_MACHINE_X86_64, written->begin,
				  (size_t)(written->end - written->begin), at, &target)
			: sprof_call_decode(SPROF_MACHINE_X86_64, written->end - SPROF_CALL_LONGEST,
				  at, &target);
		/* A prefix of a jump is an instruction of its own to who looks at each byte. */
		if (is_jump && found == SPROF_CALL_NONE)
			found = sprof_call_decode_jump(SPROF_MACHINE_X86_64, written->begin + 1,
				(size_t)(written->end - written->begin) - 1, at + 1, &target);
		assert_int_equal(found, written->kind & ~(uint64_t)JUMP);
		if (found == SPROF_CALL_DIRECT)
			assert_int_equal(target, (uint64_t)written->target);
		calls += !is_jump;
		jumps += is_jump;
	}
	assert_true(calls > 100 && jumps > 30);
}

#endif

TEST_MAIN("call-decode")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_direct),
		cmocka_unit_test(x86_every_operand),
		cmocka_unit_test(x86_none),
		cmocka_unit_test(arm_calls),
		cmocka_unit_test(x86_jumps),
		cmocka_unit_test(arm_jumps),
#if defined(__x86_64__)
		cmocka_unit_test(as_the_assembler_writes_them),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
