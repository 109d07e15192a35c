/* For aarch64, and builds without libZydis: decodes no instruction. */
#include "unwind/code/instruction.h"

bool sprof_instruction_has_decoder(void)
{
	return false;
}

bool sprof_instruction_decode(
	const uint8_t *code, size_t size, uint64_t address, struct sprof_instruction *ret)
{
	return false;
}
