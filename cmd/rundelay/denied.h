/* Messages about sources of run-queue delays that are not permitted. */
#ifndef SPROF_CMD_RUNDELAY_DENIED_H
#define SPROF_CMD_RUNDELAY_DENIED_H

#include "base/attributes.h"
#include "base/error.h"
#include "events/sched/rundelay.h"

/*
 * Sets an error that explains why there is no perf source, with the remedy as hint. Returns false.
 */
SPROF_MUST_USE bool sprof_rundelay_explain(
	const struct sprof_rundelay *rundelay, struct sprof_error *err);

/* Prints a note about why a better source was not used. */
void sprof_rundelay_tell_denied(const struct sprof_rundelay *rundelay);

#endif
