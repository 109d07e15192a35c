/* Predicts a sleeping thread's frame pointer from the code of its function. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "unwind/recover.h"

struct sprof_prediction {
	uint64_t distance; /* from sp, in bytes */
	bool is_sure;      /* the function's bounds are known */
};

/* Returns false if the code is inconclusive. */
bool sprof_predict(const struct sprof_recovery *recovery, const struct sprof_pc *known,
	struct sprof_prediction *ret);
