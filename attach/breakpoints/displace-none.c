/* For aarch64, and builds without libZydis: every instruction can run only at its own address. */
#include "attach/breakpoints/displace.h"

bool sprof_displace_has_decoder(void)
{
	return false;
}

size_t sprof_displace_find_loops(const uint8_t *code, size_t size, uint32_t *ret, size_t most)
{
	return 0;
}

bool sprof_displace_is_behind_call(const uint8_t before[SPROF_CALL_MAX])
{
	return false;
}

void sprof_displace(const uint8_t *code, size_t size, uint64_t address, struct sprof_displaced *ret)
{
	*ret = (struct sprof_displaced){.kind = SPROF_DISPLACE_NEVER};
}

size_t sprof_displaced_write(
	const struct sprof_displaced *displaced, uint64_t slot, uint8_t ret[SPROF_DISPLACED_MAX])
{
	return 0;
}

bool sprof_displaced_is_taken(const struct sprof_displaced *displaced, uint64_t flags)
{
	return false;
}
