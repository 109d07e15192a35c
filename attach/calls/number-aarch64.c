/* The system call number on aarch64: in a register that keeps it (AAPCS64; svc #0). */
#include "attach/calls/number.h"

#include <string.h>

enum { NUMBER = 8 };

static const uint8_t svc[] = {0x01, 0x00, 0x00, 0xd4};

bool sprof_call_is_possible(const struct sprof_regs *regs)
{
	return regs->values[NUMBER] < SPROF_CALL_NUMBERS;
}

int64_t sprof_call_number_again(const struct sprof_regs *regs, int64_t known)
{
	return known < 0 ? known : (int64_t)regs->values[NUMBER];
}

int64_t sprof_call_number(const struct sprof_regs *regs, const uint8_t *code, size_t size)
{
	if (size < sizeof(svc) || memcmp(code + size - sizeof(svc), svc, sizeof(svc)) != 0)
		return SPROF_CALL_NUMBER_NONE;
	return (int64_t)regs->values[NUMBER];
}
