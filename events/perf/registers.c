/*
 * Maps the kernel's register numbers (arch/.../include/uapi/asm/perf_regs.h) to DWARF's. Does not
 * handle vector registers or arguments on the stack.
 */
#include "events/perf/registers.h"

#include <asm/perf_regs.h>
#include <string.h>

#if defined(__x86_64__)
/* By DWARF's number. */
static const uint8_t kernel_numbers[SPROF_REG_COUNT] = {PERF_REG_X86_AX, PERF_REG_X86_DX,
	PERF_REG_X86_CX, PERF_REG_X86_BX, PERF_REG_X86_SI, PERF_REG_X86_DI, PERF_REG_X86_BP,
	PERF_REG_X86_SP, PERF_REG_X86_R8, PERF_REG_X86_R9, PERF_REG_X86_R10, PERF_REG_X86_R11,
	PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14, PERF_REG_X86_R15, PERF_REG_X86_IP};
/* System V ABI, AMD64 supplement, 3.2.3: rdi, rsi, rdx, rcx, r8, r9; the result is in rax. */
static const uint8_t arguments[SPROF_PERF_ARGUMENTS] = {5, 4, 1, 2, 8, 9};
#elif defined(__aarch64__)
static const uint8_t kernel_numbers[SPROF_REG_COUNT] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
	13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, PERF_REG_ARM64_LR,
	PERF_REG_ARM64_SP, PERF_REG_ARM64_PC};
/* Procedure Call Standard for the Arm 64-bit Architecture, 6.8.2: x0 to x5; the result is in x0. */
static const uint8_t arguments[SPROF_PERF_ARGUMENTS] = {0, 1, 2, 3, 4, 5};
#endif

enum { KERNEL_REGISTERS = 64 };

void sprof_perf_ask_registers(struct perf_event_attr *attributes)
{
	attributes->sample_type |= PERF_SAMPLE_REGS_USER;
	for (size_t i = 0; i < SPROF_REG_COUNT; i++)
		attributes->sample_regs_user |= UINT64_C(1) << kernel_numbers[i];
}

void sprof_perf_ask_stack(struct perf_event_attr *attributes)
{
	sprof_perf_ask_registers(attributes);
	attributes->sample_type |= PERF_SAMPLE_STACK_USER;
	attributes->sample_stack_user = SPROF_PERF_STACK_SIZE;
}

/* The unread rest of the record. */
struct cursor {
	const uint8_t *at;
	size_t left;
};

static bool take_64(struct cursor *cursor, uint64_t *ret)
{
	if (cursor->left < sizeof(*ret))
		return false;
	memcpy(ret, cursor->at, sizeof(*ret));
	cursor->at += sizeof(*ret);
	cursor->left -= sizeof(*ret);
	return true;
}

/* They come in the order of the kernel's numbers. */
static bool take_registers(struct cursor *cursor, struct sprof_regs *ret)
{
	uint64_t abi, values[KERNEL_REGISTERS] = {0};
	struct perf_event_attr asked = {0};

	sprof_perf_ask_registers(&asked);
	if (!take_64(cursor, &abi) || abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (size_t i = 0; i < KERNEL_REGISTERS; i++) {
		if (asked.sample_regs_user >> i & 1 && !take_64(cursor, &values[i]))
			return false;
	}
	*ret = (struct sprof_regs){.system_call = -1, .coming_call = -1};
	for (unsigned i = 0; i < SPROF_REG_COUNT; i++)
		sprof_regs_set(ret, i, values[kernel_numbers[i]]);
	return true;
}

/* Its place, then its bytes, then how many of them could be read. */
static bool take_stack(struct cursor *cursor, struct sprof_perf_user *ret)
{
	uint64_t room, size;

	if (!take_64(cursor, &room) || room > cursor->left)
		return false;
	if (!room)
		return true;
	ret->stack = cursor->at;
	cursor->at += room;
	cursor->left -= room;
	if (!take_64(cursor, &size) || size > room)
		return false;
	ret->stack_size = size;
	return true;
}

bool sprof_perf_user_read(
	const struct sprof_perf_record *record, bool has_stack, struct sprof_perf_user *ret)
{
	struct cursor cursor = {record->rest, record->rest_size};

	*ret = (struct sprof_perf_user){0};
	return take_registers(&cursor, &ret->regs) && (!has_stack || take_stack(&cursor, ret));
}

int64_t sprof_perf_argument(const struct sprof_regs *regs, size_t index)
{
	return (int64_t)regs->values[arguments[index]];
}
