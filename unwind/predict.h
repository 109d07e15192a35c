/*
 * Where the frame pointer of a sleeper is, by the code of its function.
 */
#ifndef SPROF_UNWIND_PREDICT_H
#define SPROF_UNWIND_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/recover.h"

struct sprof_prediction {
	uint64_t distance; /* from sp, in bytes */
	bool is_sure;      /* the function's bounds are known, so it is its own code */
};

/* False: the code does not tell. */
bool sprof_predict(const struct sprof_recovery *recovery, const struct sprof_pc *known,
	struct sprof_prediction *ret);

#endif
