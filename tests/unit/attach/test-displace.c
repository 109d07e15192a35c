/*
 * attach/displace: what becomes of each form of instruction, the conditions against the CPU's own, and
 * copies that the CPU runs, beside their originals.
 */
#include "attach/breakpoints/displace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/unit/check.h"

enum { ADDRESS = 0x10000000 };

struct encoding {
	const char *name;
	uint8_t bytes[SPROF_CODE_MAX];
	size_t size;
	enum sprof_displacement kind;
	int64_t distance; /* from behind it: to the target, or to what it refers to; 0: none */
};

#define BYTES(...) {__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})

static const struct encoding encodings[] = {
	{"push %rbp", BYTES(0x55), SPROF_DISPLACE_COPY, 0},
	{"push %r12", BYTES(0x41, 0x54), SPROF_DISPLACE_COPY, 0},
	{"endbr64", BYTES(0xf3, 0x0f, 0x1e, 0xfa), SPROF_DISPLACE_COPY, 0},
	{"test %rdi,%rdi", BYTES(0x48, 0x85, 0xff), SPROF_DISPLACE_COPY, 0},
	{"mov 16(%rip),%rax", BYTES(0x48, 0x8b, 0x05, 0x10, 0, 0, 0), SPROF_DISPLACE_COPY, 16},
	{"mov -16(%rip),%rax", BYTES(0x48, 0x8b, 0x05, 0xf0, 0xff, 0xff, 0xff), SPROF_DISPLACE_COPY,
		-16},
	{"mov 16(%rbp),%rax", BYTES(0x48, 0x8b, 0x45, 0x10), SPROF_DISPLACE_COPY, 0},
	{"mov 16(%r13),%rax", BYTES(0x49, 0x8b, 0x45, 0x10), SPROF_DISPLACE_COPY, 0},
	{"mov 16,%eax", BYTES(0x8b, 0x04, 0x25, 0x10, 0, 0, 0), SPROF_DISPLACE_COPY, 0},
	{"mov 16(%eip),%rax", BYTES(0x67, 0x48, 0x8b, 0x05, 0x10, 0, 0, 0), SPROF_DISPLACE_NEVER,
		0},
	{"cmpl $1,16(%rip)", BYTES(0x81, 0x3d, 0x10, 0, 0, 0, 1, 0, 0, 0), SPROF_DISPLACE_COPY, 16},
	{"lock cmpxchg %rcx,16(%rip)", BYTES(0xf0, 0x48, 0x0f, 0xb1, 0x0d, 0x10, 0, 0, 0),
		SPROF_DISPLACE_COPY, 16},
	{"vmovdqu 16(%rip),%xmm0", BYTES(0xc5, 0xfa, 0x6f, 0x05, 0x10, 0, 0, 0),
		SPROF_DISPLACE_COPY, 16},
	{"vmovdqu64 16(%rip),%xmm0", BYTES(0x62, 0xf1, 0xfe, 0x08, 0x6f, 0x05, 0x10, 0, 0, 0),
		SPROF_DISPLACE_COPY, 16},
	{"vmovdqu64 256(%rax),%zmm0", BYTES(0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x40, 0x04),
		SPROF_DISPLACE_COPY, 0},
	{"jmp 16", BYTES(0xeb, 0x10), SPROF_DISPLACE_JUMP, 16},
	{"jmp -16, 32 bits", BYTES(0xe9, 0xf0, 0xff, 0xff, 0xff), SPROF_DISPLACE_JUMP, -16},
	{"bnd jmp 16", BYTES(0xf2, 0xe9, 0x10, 0, 0, 0), SPROF_DISPLACE_JUMP, 16},
	{"jne 16", BYTES(0x75, 0x10), SPROF_DISPLACE_BRANCH, 16},
	{"je -16, 32 bits", BYTES(0x0f, 0x84, 0xf0, 0xff, 0xff, 0xff), SPROF_DISPLACE_BRANCH, -16},
	{"call 16", BYTES(0xe8, 0x10, 0, 0, 0), SPROF_DISPLACE_CALL, 16},
	{"call 16, padded", BYTES(0x66, 0x48, 0xe8, 0x10, 0, 0, 0), SPROF_DISPLACE_CALL, 16},
	{"call *%rax", BYTES(0xff, 0xd0), SPROF_DISPLACE_NEVER, 0},
	{"call *16(%rip)", BYTES(0xff, 0x15, 0x10, 0, 0, 0), SPROF_DISPLACE_NEVER, 0},
	{"lcall *16(%rip)", BYTES(0xff, 0x1d, 0x10, 0, 0, 0), SPROF_DISPLACE_NEVER, 0},
	{"jmp *%rax", BYTES(0xff, 0xe0), SPROF_DISPLACE_COPY, 0},
	{"notrack jmp *%rax", BYTES(0x3e, 0xff, 0xe0), SPROF_DISPLACE_COPY, 0},
	{"jmp *16(%rip)", BYTES(0xff, 0x25, 0x10, 0, 0, 0), SPROF_DISPLACE_COPY, 16},
	{"ret", BYTES(0xc3), SPROF_DISPLACE_COPY, 0},
	{"syscall", BYTES(0x0f, 0x05), SPROF_DISPLACE_COPY, 0},
	{"int3", BYTES(0xcc), SPROF_DISPLACE_COPY, 0},
	{"loop 16", BYTES(0xe2, 0x10), SPROF_DISPLACE_NEVER, 0},
	{"jrcxz 16", BYTES(0xe3, 0x10), SPROF_DISPLACE_NEVER, 0},
	{"jecxz 16", BYTES(0x67, 0xe3, 0x10), SPROF_DISPLACE_NEVER, 0},
	{"xbegin 16", BYTES(0xc7, 0xf8, 0x10, 0, 0, 0), SPROF_DISPLACE_NEVER, 0},
	{"no instruction", BYTES(0x06), SPROF_DISPLACE_NEVER, 0},
};

enum { ENCODINGS = sizeof(encodings) / sizeof(encodings[0]) };

/* The order of sprof_displacement. */
static const char *const kinds[] = {"copy", "jump", "branch", "call", "never"};

static void expect_kind(
	const char *name, const struct sprof_displaced *displaced, enum sprof_displacement kind)
{
	if (displaced->kind != kind)
		fail_msg("%s: %s instead of %s", name, kinds[displaced->kind], kinds[kind]);
}

static void each_form_has_its_kind(void **state)
{
	for (size_t i = 0; i < ENCODINGS; i++) {
		const struct encoding *encoding = &encodings[i];
		struct sprof_displaced displaced;
		uint64_t end = ADDRESS + encoding->size;

		sprof_displace(encoding->bytes, SPROF_CODE_MAX, ADDRESS, &displaced);
		expect_kind(encoding->name, &displaced, encoding->kind);
		if (encoding->kind == SPROF_DISPLACE_NEVER)
			continue;
		assert_int_equal(displaced.next, end);
		if (encoding->kind == SPROF_DISPLACE_COPY)
			assert_int_equal(displaced.distance_at != 0, encoding->distance != 0);
		if (encoding->kind != SPROF_DISPLACE_COPY)
			assert_int_equal(displaced.target, end + (uint64_t)encoding->distance);
		else if (encoding->distance)
			assert_int_equal(displaced.refers_to, end + (uint64_t)encoding->distance);
	}
}

static void an_address_behind_a_call_is_known(void **state)
{
	for (size_t i = 0; i < ENCODINGS; i++) {
		const struct encoding *encoding = &encodings[i];
		uint8_t before[SPROF_CALL_MAX];

		if (encoding->size > sizeof(before))
			continue;
		memset(before, 0, sizeof(before));
		memcpy(before + sizeof(before) - encoding->size, encoding->bytes, encoding->size);
		if (sprof_displace_is_behind_call(before) !=
			(strstr(encoding->name, "call ") != NULL))
			fail_msg("%s", encoding->name);
	}
}

static void what_is_cut_off_stays(void **state)
{
	for (size_t i = 0; i < ENCODINGS; i++) {
		for (size_t size = 0; size < encodings[i].size; size++) {
			struct sprof_displaced displaced;

			sprof_displace(encodings[i].bytes, size, ADDRESS, &displaced);
			expect_kind(encodings[i].name, &displaced, SPROF_DISPLACE_NEVER);
		}
	}
}

static void a_copy_is_the_instruction_and_a_jump_behind_it(void **state)
{
	static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};

	for (size_t i = 0; i < ENCODINGS; i++) {
		struct sprof_displaced displaced;
		const size_t size = encodings[i].size;
		uint8_t slot[SPROF_DISPLACED_MAX];
		uint64_t next = ADDRESS + size;

		sprof_displace(encodings[i].bytes, SPROF_CODE_MAX, ADDRESS, &displaced);
		if (displaced.kind != SPROF_DISPLACE_COPY || displaced.distance_at)
			continue;
		assert_int_equal(sprof_displaced_write(&displaced, 0, slot),
			size + sizeof(jump) + sizeof(next));
		assert_memory_equal(slot, encodings[i].bytes, size);
		assert_memory_equal(slot + size, jump, sizeof(jump));
		assert_memory_equal(slot + size + sizeof(jump), &next, sizeof(next));
	}
}

/* The end of the slot's instruction is as far from what it refers to as 32 bits can say, or one more. */
static void a_distance_has_32_bits(void **state)
{
	static const uint8_t code[] = {0x48, 0x8b, 0x05, 0x10, 0, 0, 0};
	const uint64_t base = UINT64_C(0x500000000000), refers_to = base + sizeof(code) + 0x10;
	const uint64_t lowest = refers_to - INT32_MAX - sizeof(code),
		       highest = refers_to - (uint64_t)INT32_MIN - sizeof(code);
	struct sprof_displaced displaced;
	uint8_t slot[SPROF_DISPLACED_MAX];

	sprof_displace(code, sizeof(code), base, &displaced);
	assert_int_not_equal(sprof_displaced_write(&displaced, lowest, slot), 0);
	assert_int_not_equal(sprof_displaced_write(&displaced, highest, slot), 0);
	assert_int_equal(sprof_displaced_write(&displaced, lowest - 1, slot), 0);
	assert_int_equal(sprof_displaced_write(&displaced, highest + 1, slot), 0);
}

#if defined(__x86_64__)

enum {
	PAGE = 4096,
	STATUS_FLAGS = 0x8d5, /* CF PF AF ZF SF OF */
	FLAGS_ON = 0x202,     /* always 1, and IF */
};

/* What the code below is entered with, and what it has left. */
struct machine {
	uint64_t rax, rcx, rdx, rdi, rsi, flags;
	uint64_t xmm0[2];
	uint64_t rbp;
};

void run_code(const void *code, struct machine *machine);

__asm__(".pushsection .text\n"
	".globl run_code\n"
	".type run_code, @function\n"
	"run_code:\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	push %r12\n"
	"	mov %rsi, %rbx\n"
	"	mov %rdi, %r12\n"
	"	movdqu 48(%rbx), %xmm0\n"
	"	mov 64(%rbx), %rbp\n"
	"	mov 0(%rbx), %rax\n"
	"	mov 8(%rbx), %rcx\n"
	"	mov 16(%rbx), %rdx\n"
	"	mov 24(%rbx), %rdi\n"
	"	mov 32(%rbx), %rsi\n"
	"	pushq 40(%rbx)\n"
	"	popfq\n"
	"	call *%r12\n"
	"	pushfq\n"
	"	popq 40(%rbx)\n"
	"	mov %rax, 0(%rbx)\n"
	"	mov %rcx, 8(%rbx)\n"
	"	mov %rdx, 16(%rbx)\n"
	"	mov %rdi, 24(%rbx)\n"
	"	mov %rsi, 32(%rbx)\n"
	"	movdqu %xmm0, 48(%rbx)\n"
	"	mov %rbp, 64(%rbx)\n"
	"	pop %r12\n"
	"	pop %rbp\n"
	"	pop %rbx\n"
	"	ret\n"
	".size run_code, . - run_code\n"
	".popsection\n");

/* Three pages: originals, slots, and data. */
struct memory {
	uint8_t code[PAGE], slot[PAGE];
	uint64_t data[PAGE / sizeof(uint64_t)];
};

static struct memory *map_memory(void)
{
	void *memory = mmap(NULL, sizeof(struct memory), PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

static void each_condition_is_the_cpus(void **state)
{
	static const uint64_t bits[] = {1 << 0, 1 << 2, 1 << 4, 1 << 6, 1 << 7, 1 << 11};
	struct memory *memory = map_memory();

	for (unsigned condition = 0; condition < 16; condition++) {
		const uint8_t jump[] = {(uint8_t)(0x70 | condition), 0x10};
		const uint8_t set[] = {0x0f, (uint8_t)(0x90 | condition), 0xc0, 0xc3};
		struct sprof_displaced displaced;

		memcpy(memory->code, set, sizeof(set));
		sprof_displace(jump, sizeof(jump), ADDRESS, &displaced);
		for (unsigned mix = 0; mix < 1 << 6; mix++) {
			struct machine machine = {.flags = FLAGS_ON};

			for (int bit = 0; bit < 6; bit++)
				machine.flags |= mix >> bit & 1 ? bits[bit] : 0;
			const bool taken = sprof_displaced_is_taken(&displaced, machine.flags);

			run_code(memory->code, &machine);
			if (taken != machine.rax)
				fail_msg("condition %x, flags %x", condition, mix);
		}
	}
	munmap(memory, sizeof(*memory));
}

struct execution {
	const char *name;
	uint8_t bytes[SPROF_CODE_MAX]; /* the distance, if there is one, is that to the data */
	size_t size;
	uint8_t distance_at; /* 0: none */
	uint8_t tail[8];     /* what follows, to the return */
	const char *needs;   /* of the CPU; NULL: nothing */
};

#define TAIL(...) \
	{ \
		__VA_ARGS__, 0xc3 \
	}
#define RETURN \
	{ \
		0xc3 \
	}

static const struct execution executions[] = {
	{"push %rbp", BYTES(0x55), 0, TAIL(0x58), NULL},
	{"pushf", BYTES(0x9c), 0, TAIL(0x58), NULL},
	{"sub $8,%rsp", BYTES(0x48, 0x83, 0xec, 8), 0, TAIL(0x48, 0x83, 0xc4, 8), NULL},
	{"endbr64", BYTES(0xf3, 0x0f, 0x1e, 0xfa), 0, RETURN, NULL},
	{"test %rdi,%rdi", BYTES(0x48, 0x85, 0xff), 0, RETURN, NULL},
	{"adc %rcx,%rdx", BYTES(0x48, 0x11, 0xca), 0, RETURN, NULL},
	{"ret", BYTES(0xc3), 0, RETURN, NULL},
	{"mov data(%rip),%rax", BYTES(0x48, 0x8b, 0x05, 0, 0, 0, 0), 3, RETURN, NULL},
	{"mov %rax,data(%rip)", BYTES(0x48, 0x89, 0x05, 0, 0, 0, 0), 3, RETURN, NULL},
	{"lea data(%rip),%rax", BYTES(0x48, 0x8d, 0x05, 0, 0, 0, 0), 3, RETURN, NULL},
	{"push data(%rip)", BYTES(0xff, 0x35, 0, 0, 0, 0), 2, TAIL(0x58), NULL},
	{"addl $0x12345678,data(%rip)", BYTES(0x81, 0x05, 0, 0, 0, 0, 0x78, 0x56, 0x34, 0x12), 2,
		RETURN, NULL},
	{"lock cmpxchg %rcx,data(%rip)", BYTES(0xf0, 0x48, 0x0f, 0xb1, 0x0d, 0, 0, 0, 0), 5, RETURN,
		NULL},
	{"movdqu data(%rip),%xmm0", BYTES(0xf3, 0x0f, 0x6f, 0x05, 0, 0, 0, 0), 4, RETURN, NULL},
	{"vmovdqu data(%rip),%xmm0", BYTES(0xc5, 0xfa, 0x6f, 0x05, 0, 0, 0, 0), 4, RETURN, "avx"},
	{"vmovdqu64 data(%rip),%xmm0", BYTES(0x62, 0xf1, 0xfe, 0x08, 0x6f, 0x05, 0, 0, 0, 0), 6,
		RETURN, "avx512"},
};

/* The argument of the built-in function must be a constant. */
static bool cpu_has(const char *needs)
{
	if (!needs)
		return true;
	if (strcmp(needs, "avx") == 0)
		return __builtin_cpu_supports("avx");
	return __builtin_cpu_supports("avx512vl");
}

static void write_original(const struct execution *execution, struct memory *memory)
{
	const int32_t distance =
		(int32_t)((uint8_t *)memory->data - (memory->code + execution->size));

	memcpy(memory->code, execution->bytes, execution->size);
	memcpy(memory->code + execution->size, execution->tail, sizeof(execution->tail));
	if (execution->distance_at)
		memcpy(memory->code + execution->distance_at, &distance, sizeof(distance));
}

static void fill(struct memory *memory, struct machine *machine, unsigned seed)
{
	uint64_t *words = (uint64_t *)machine;

	srand(seed);
	for (size_t i = 0; i < sizeof(*machine) / sizeof(*words); i++)
		words[i] = (uint64_t)rand() << 32 ^ (uint64_t)rand();
	machine->flags = (machine->flags & STATUS_FLAGS) | FLAGS_ON;
	memory->data[0] = (uint64_t)rand() << 32 ^ (uint64_t)rand();
	memory->data[1] = (uint64_t)rand();
	if (seed & 1)
		memory->data[0] = machine->rax; /* what cmpxchg hopes for */
}

static void compare_runs(const struct execution *execution, struct memory *memory, unsigned seed)
{
	struct machine original, displaced;
	uint64_t data[2];

	fill(memory, &original, seed);
	run_code(memory->code, &original);
	memcpy(data, memory->data, sizeof(data));
	fill(memory, &displaced, seed);
	run_code(memory->slot, &displaced);
	if (memcmp(&original, &displaced, sizeof(original)) != 0 ||
		memcmp(data, memory->data, sizeof(data)) != 0)
		fail_msg("%s is another instruction in its slot", execution->name);
}

static void a_copy_does_what_its_original_does(void **state)
{
	struct memory *memory = map_memory();

	for (size_t i = 0; i < sizeof(executions) / sizeof(executions[0]); i++) {
		const struct execution *execution = &executions[i];
		struct sprof_displaced displaced;

		if (!cpu_has(execution->needs))
			continue;
		write_original(execution, memory);
		sprof_displace(memory->code, SPROF_CODE_MAX, (uintptr_t)memory->code, &displaced);
		expect_kind(execution->name, &displaced, SPROF_DISPLACE_COPY);
		assert_int_not_equal(
			sprof_displaced_write(&displaced, (uintptr_t)memory->slot, memory->slot),
			0);
		for (unsigned seed = 0; seed < 8; seed++)
			compare_runs(execution, memory, seed);
	}
	munmap(memory, sizeof(*memory));
}

/* The address of a return is among the data. */
static void an_indirect_jump_goes_where_it_went(void **state)
{
	static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
	struct memory *memory = map_memory();
	const uint32_t distance =
		(uint32_t)((uint8_t *)memory->data - (memory->code + sizeof(jump)));
	struct sprof_displaced displaced;
	struct machine machine = {.flags = FLAGS_ON};

	memcpy(memory->code, jump, sizeof(jump));
	memcpy(memory->code + 2, &distance, sizeof(distance));
	memory->code[64] = 0xc3;
	memory->data[0] = (uintptr_t)memory->code + 64;
	sprof_displace(memory->code, SPROF_CODE_MAX, (uintptr_t)memory->code, &displaced);
	assert_int_not_equal(
		sprof_displaced_write(&displaced, (uintptr_t)memory->slot, memory->slot), 0);
	run_code(memory->slot, &machine);
	munmap(memory, sizeof(*memory));
}

#endif

/* A function's jumps to its own begin: not those elsewhere, nor its calls; and none where data is. */
static void jumps_to_the_own_begin_are_found(void **state)
{
	static const uint8_t code[] = {
		0x48, 0x8b, 0x3f,                   /* mov (%rdi),%rdi */
		0x48, 0x85, 0xff,                   /* test %rdi,%rdi */
		0x75, 0xf8,                         /* jne to the begin */
		0xeb, 0x00,                         /* jmp to what follows */
		0xe8, 0xf1, 0xff, 0xff, 0xff,       /* call of the begin */
		0x0f, 0x84, 0xeb, 0xff, 0xff, 0xff, /* je to the begin, 32 bits */
		0xc3,                               /* ret */
		0x06,                               /* no instruction */
	};
	uint32_t found[2] = {0};

	assert_int_equal(sprof_displace_find_loops(code, sizeof(code) - 1, found, 2), 2);
	assert_int_equal(found[0], 6);
	assert_int_equal(found[1], 15);
	assert_int_equal(sprof_displace_find_loops(code, sizeof(code) - 1, found, 1), 1);
	assert_int_equal(sprof_displace_find_loops(code, sizeof(code), found, 2), 0);
}

TEST_MAIN("displace")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_has_its_kind),
		cmocka_unit_test(an_address_behind_a_call_is_known),
		cmocka_unit_test(what_is_cut_off_stays),
		cmocka_unit_test(a_copy_is_the_instruction_and_a_jump_behind_it),
		cmocka_unit_test(a_distance_has_32_bits),
		cmocka_unit_test(jumps_to_the_own_begin_are_found),
#if defined(__x86_64__)
		cmocka_unit_test(each_condition_is_the_cpus),
		cmocka_unit_test(a_copy_does_what_its_original_does),
		cmocka_unit_test(an_indirect_jump_goes_where_it_went),
#endif
	};

	if (!sprof_displace_has_decoder()) {
		puts("this build can't decode instructions: it lacks libZydis, or x86-64");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
