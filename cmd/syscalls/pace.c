/*
 * Each interval is as long as the whole time before it, so a day has 16 lines. Does not print them.
 */
#include "cmd/syscalls/pace.h"

#include "base/clock.h"

enum { FIRST_NS = 2 * SPROF_NS_PER_S };

void sprof_pace_begin(struct sprof_pace *so_far, bool reads, uint64_t now_ns)
{
	*so_far = (struct sprof_pace){
		.begin_ns = now_ns, .next_ns = reads ? now_ns + FIRST_NS : UINT64_MAX};
}

bool sprof_pace_is_due(struct sprof_pace *so_far, uint64_t now_ns)
{
	if (now_ns < so_far->next_ns)
		return false;
	while (so_far->next_ns <= now_ns)
		so_far->next_ns += so_far->next_ns - so_far->begin_ns;
	so_far->said++;
	return true;
}
