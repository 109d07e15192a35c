/* One run of sprof top: creates, connects and ends tracing, name resolution and screen. */
#ifndef SPROF_CMD_TOP_WATCH_H
#define SPROF_CMD_TOP_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/cli/command.h"
#include "cmd/record/tracing.h"
#include "cmd/saved/naming.h"

struct sprof_top_options {
	struct sprof_common_options common;
	struct sprof_naming naming;
	bool short_names;
	pid_t pid;
	bool children, no_children;
	double rate_hz, max_overhead;
	uint64_t interval_ns;
};

/* *ret_exit: the program's exit code; 0 for an attached process. */
SPROF_MUST_USE bool sprof_top_watch(const struct sprof_top_options *options,
	struct sprof_subject *subject, int *ret_exit, struct sprof_error *err);

#endif
