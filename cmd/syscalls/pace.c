/* Messages after 2, 4, 8 seconds and so on: a run of a day prints 16. */
#include "cmd/syscalls/pace.h"

#include <inttypes.h>

#include "base/clock.h"
#include "cmd/ui.h"

enum {
	FIRST_NS = 2 * SPROF_NS_PER_S,
	/* calls per second from which their stops dominate the time */
	MANY_PER_S = 2000,
};

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

/*
 * A program of many short calls takes many times longer than alone, and prints nothing meanwhile.
 */
void sprof_pace_note(const struct sprof_pace *so_far, uint64_t counted, bool stops, uint64_t now_ns)
{
	const double seconds = (double)(now_ns - so_far->begin_ns) / SPROF_NS_PER_S;

	if (so_far->said > 1)
		sprof_ui_progress("%" PRIu64 " calls in %.0f s", counted, seconds);
	else if (!stops || (double)counted < MANY_PER_S * seconds)
		sprof_ui_progress("%" PRIu64 " calls in %.0f s; Ctrl-C ends it, and shows them",
			counted, seconds);
	else
		sprof_ui_progress("%" PRIu64 " calls in %.0f s, and each stops the program twice; "
				  "Ctrl-C ends it, and shows them; -d TIME or -e LIST limits it",
			counted, seconds);
}
