/*
 * How much CPU time the whole machine used during a recording: what others took from the target.
 */
#ifndef SPROF_CMD_MACHINE_LOAD_H
#define SPROF_CMD_MACHINE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/record.h"

struct sprof_machine_load {
	uint64_t worked_ticks;
	bool is_known;
};

/* At the begin of the recording. */
struct sprof_machine_load sprof_machine_load_begin(void);
/* At its end, if the recording has all time since the begin: fills in what the machine did. */
void sprof_machine_load_end(const struct sprof_machine_load *begin, struct sprof_quality *quality);

#endif
