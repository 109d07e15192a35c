/*
 * The system call number on x86_64. The kernel keeps it where records don't show it (orig_rax), and
 * sets rax to -ENOSYS until the call returns (arch/x86/entry/entry_64.S). But nearly all code loads
 * a constant into eax shortly before the instruction. Does not handle variable numbers, as in
 * syscall(2), nor jumps between the load and the instruction.
 */
#include "attach/calls/number.h"

#include <errno.h>
#include <string.h>

enum {
	RAX = 0,
	RCX = 2,
	REX_FIRST = 0x40,
	REX_LAST = 0x4f,
	MOV_EAX = 0xb8, /* and four bytes */
	MOV_SIZE = 5,
	MOST_CALLS = 1024,
};

static const uint8_t system_call[] = {0x0f, 0x05};
static const uint8_t xor_eax[] = {0x31, 0xc0};

bool sprof_call_is_possible(const struct sprof_regs *regs)
{
	/* On its way out it has the result; the instruction has left the next pc in rcx. */
	return regs->values[RAX] == (uint64_t)-ENOSYS ||
		regs->values[RCX] == regs->values[SPROF_REG_PC];
}

int64_t sprof_call_number_again(const struct sprof_regs *regs, int64_t known)
{
	return known;
}

static bool is_rex(uint8_t byte)
{
	return byte >= REX_FIRST && byte <= REX_LAST;
}

/*
 * The constant that an instruction at this place loads into eax; UNKNOWN: it does something else.
 */
static int64_t loaded(const uint8_t *code, size_t at, size_t size)
{
	uint32_t number;

	/* With such a byte before, it is another register. */
	if (at && is_rex(code[at - 1]))
		return SPROF_CALL_NUMBER_UNKNOWN;
	if (size - at >= sizeof(xor_eax) && !memcmp(code + at, xor_eax, sizeof(xor_eax)))
		return 0;
	if (size - at < MOV_SIZE || code[at] != MOV_EAX)
		return SPROF_CALL_NUMBER_UNKNOWN;
	memcpy(&number, code + at + 1, sizeof(number));
	return number < MOST_CALLS ? (int64_t)number : SPROF_CALL_NUMBER_UNKNOWN;
}

int64_t sprof_call_number(const struct sprof_regs *regs, const uint8_t *code, size_t size)
{
	int64_t number = SPROF_CALL_NUMBER_UNKNOWN;

	if (size < sizeof(system_call) ||
		memcmp(code + size - sizeof(system_call), system_call, sizeof(system_call)) != 0)
		return SPROF_CALL_NUMBER_NONE;
	size -= sizeof(system_call);
	for (size_t at = size; at-- && number == SPROF_CALL_NUMBER_UNKNOWN;) {
		if (!memcmp(code + at, system_call, sizeof(system_call)))
			break;
		number = loaded(code, at, size);
	}
	return number;
}
