/* All that happens while a thread is stopped for a sample. */
#ifndef SPROF_SAMPLER_STOP_STANDSTILL_H
#define SPROF_SAMPLER_STOP_STANDSTILL_H

#include "sampler/loop/run.h"
#include "sampler/stop/hop.h"
#include "sampler/stop/pauses.h"
#include "sampler/stop/slots.h"

/* Copies the slot's stopped thread, lets it go on, and reads its figures if wanted. */
void sprof_standstill_copy(const struct run *run, const struct sprof_hop *hop,
	struct sprof_pauses *pauses, struct slot *slot);
/* Ends a stop that is not needed any more: the thread notices only the pause. */
void sprof_standstill_end(
	const struct run *run, const struct sprof_hop *hop, struct sprof_thread *thread);

#endif
