/*
 * Reads the stack pointer that setjmp(3) has saved. glibc saves it xored with a secret of the
 * thread and rotated (sysdeps/unix/sysv/linux/x86_64/pointer_guard.h); musl saves it as it is.
 * There are no breakpoints on 64-bit ARM.
 */
#include "events/functions/jumps.h"

enum {
	SAVED_SP = 6 * 8, /* in jmp_buf; sysdeps/x86_64/jmpbuf-offsets.h, and musl's setjmp.s */
	SECRET = 0x30,    /* offset from the thread pointer; sysdeps/x86_64/nptl/tls.h */
	ROTATION = 0x11,
	HIGHEST_BIT = 47, /* of the addresses of programs */
};

static uint64_t uncover(uint64_t saved, uint64_t secret)
{
	return (saved >> ROTATION | saved << (64 - ROTATION)) ^ secret;
}

static bool is_stack_pointer(uint64_t value)
{
	return value && !(value >> HIGHEST_BIT) && !(value & 7);
}

bool sprof_jump_read(
	const struct sprof_thread *thread, const struct sprof_regs *regs, struct sprof_jump *ret)
{
	uint64_t arguments[6], saved, secret;

	sprof_regs_parameters(regs, arguments);
	if (!sprof_regs_read_word(thread->tid, arguments[0] + SAVED_SP, &saved))
		return false;
	if (!is_stack_pointer(saved)) {
		if (!sprof_regs_read_word(thread->tid, regs->thread_pointer + SECRET, &secret))
			return false;
		saved = uncover(saved, secret);
	}
	*ret = (struct sprof_jump){regs->values[SPROF_REG_SP], saved};
	return is_stack_pointer(saved);
}
