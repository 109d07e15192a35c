/*
 * Recognises a signal trampoline by its bytes, as debuggers do (sigreturn(2)). On x86_64 it is in
 * libc, with or without unwind tables. On aarch64 it is in the vDSO, which has no table there on
 * purpose (arch/arm64/kernel/vdso/sigreturn.S). Does not handle the layout of signal frames.
 */
#include "elfsym/cfi/signal-return.h"

#include <string.h>

bool sprof_signal_return_decode(
	enum sprof_machine machine, const uint8_t code[SPROF_SIGNAL_RETURN_LONGEST])
{
	static const uint8_t with_eax[] = {0xb8, 15, 0, 0, 0, 0x0f, 0x05};
	static const uint8_t with_rax[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
	/* mov x8, #139; svc #0 */
	static const uint8_t with_x8[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};

	if (machine == SPROF_MACHINE_AARCH64)
		return !memcmp(code, with_x8, sizeof(with_x8));
	return !memcmp(code, with_eax, sizeof(with_eax)) ||
		!memcmp(code, with_rax, sizeof(with_rax));
}
