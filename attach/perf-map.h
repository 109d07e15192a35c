/*
 * The file in which a JIT compiler tells where its code is: /tmp/perf-PID.map.
 */
#ifndef SPROF_ATTACH_PERF_MAP_H
#define SPROF_ATTACH_PERF_MAP_H

#include <sys/types.h>

#include "base/module.h"

/*
 * Opens the perf map of the process for a module of anonymous memory that has none yet: under the
 * process's own root and with the pid that it has there; of a process that is gone, under ours. The
 * file stays open, so what is added later can be read. No perf map is no error: module->fd stays -1.
 */
void sprof_perf_map_open(struct sprof_module *module, pid_t pid);

/* The same for all such modules of the table, each with the process it belongs to. */
void sprof_perf_map_open_all(struct sprof_modules *modules);

#endif
