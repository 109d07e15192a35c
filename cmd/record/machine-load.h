/* CPU time of the whole machine during a recording, to find what other programs used. */
#ifndef SPROF_CMD_RECORD_MACHINE_LOAD_H
#define SPROF_CMD_RECORD_MACHINE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/record.h"

struct sprof_machine_load {
	uint64_t worked_ticks;
	bool is_known;
};

/* Call it at the begin of the recording. */
struct sprof_machine_load sprof_machine_load_begin(void);
/*
 * Call it at the end. Sets the machine's figures if the recording covers all the time since the
 * begin.
 */
void sprof_machine_load_end(const struct sprof_machine_load *begin, struct sprof_quality *quality);

#endif
