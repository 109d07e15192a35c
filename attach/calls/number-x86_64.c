/*
 * The system call number on x86_64. The kernel keeps it where records don't show it (orig_rax), and
 * sets rax to -ENOSYS until the call returns (arch/x86/entry/entry_64.S). But nearly all code loads
 * a constant into eax shortly before the instruction, or, in glibc 2.41 and later, a variable from
 * the stack. Does not handle other variables, as in syscall(2), nor jumps between the load and the
 * instruction.
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
};

static const uint8_t system_call[] = {0x0f, 0x05};
static const uint8_t xor_eax[] = {0x31, 0xc0};
/* mov DISTANCE(%rsp),%rax and mov DISTANCE(%rbp),%rax, without their last byte */
static const uint8_t load_from_sp[] = {0x48, 0x8b, 0x44, 0x24};
static const uint8_t load_from_fp[] = {0x48, 0x8b, 0x45};
/* glibc's __syscall_cancel_arch(): mov %rdi,%r11; mov %rsi,%rax; mov %rdx,%rdi; mov %rcx,%rsi */
static const uint8_t cancellable[] = {
	0x49, 0x89, 0xfb, 0x48, 0x89, 0xf0, 0x48, 0x89, 0xd7, 0x48, 0x89, 0xce};

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

static bool begins(const uint8_t *code, size_t size, const uint8_t *wanted, size_t length)
{
	return size >= length && !memcmp(code, wanted, length);
}

/* Where on the stack an instruction at this place loads rax from. */
static int64_t loaded_from_stack(const uint8_t *code, size_t size)
{
	if (begins(code, size, cancellable, sizeof(cancellable)))
		return SPROF_CALL_NUMBER_OF_CALLER;
	if (size > sizeof(load_from_sp) && begins(code, size, load_from_sp, sizeof(load_from_sp)) &&
		code[sizeof(load_from_sp)] <= INT8_MAX)
		return SPROF_CALL_NUMBER_AT_SP - code[sizeof(load_from_sp)];
	if (size > sizeof(load_from_fp) && begins(code, size, load_from_fp, sizeof(load_from_fp)) &&
		code[sizeof(load_from_fp)] <= INT8_MAX)
		return SPROF_CALL_NUMBER_AT_FP - code[sizeof(load_from_fp)];
	return SPROF_CALL_NUMBER_UNKNOWN;
}

/*
 * The constant that an instruction at this place loads into eax; UNKNOWN: it does something else.
 */
static int64_t loaded_constant(const uint8_t *code, size_t at, size_t size)
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
	return number < SPROF_CALL_NUMBERS ? (int64_t)number : SPROF_CALL_NUMBER_UNKNOWN;
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
		number = loaded_constant(code, at, size);
		if (number == SPROF_CALL_NUMBER_UNKNOWN)
			number = loaded_from_stack(code + at, size - at);
	}
	return number;
}
