/*
 * A timer's record is read some ms after it was made, and its system call's descriptor may be
 * another file by then. A descriptor that was the same before the record is assumed to have been
 * the same throughout. Does not notice one that was another file between two looks.
 */
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "sampler/account/waits.h"

enum { FRESH_NS = 2 * SPROF_NS_PER_MS };

bool sprof_descriptors_were_same(
	struct descriptors *descriptors, const struct descriptor_look *look, uint64_t moment_ns)
{
	const unsigned sum = (unsigned)look->pid * 31 + (unsigned)look->number;
	struct known_descriptor *item = &descriptors->items[sum % KNOWN_DESCRIPTORS];
	const uint64_t text = sprof_hash_bytes(look->text, strlen(look->text), SPROF_HASH_BASIS);

	if (item->pid != look->pid || item->number != look->number || item->text != text)
		*item = (struct known_descriptor){look->pid, look->number, text, look->now_ns};
	return moment_ns >= item->since_ns || moment_ns + FRESH_NS > look->now_ns;
}
