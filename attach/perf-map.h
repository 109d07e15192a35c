/*
 * The file in which a JIT compiler describes its code: /tmp/perf-PID.map.
 */
#ifndef SPROF_ATTACH_PERF_MAP_H
#define SPROF_ATTACH_PERF_MAP_H

#include <sys/types.h>

#include "base/module.h"

/*
 * Opens the perf map for a module of anonymous memory that has none yet: under the process's own
 * root, with its pid in its own namespace. If the process is gone, looks under our root. The file
 * stays open, so that later additions can be read. A missing perf map is not an error: module->fd
 * stays -1.
 */
void sprof_perf_map_open(struct sprof_module *module, pid_t pid);

/* Opens the perf maps of all such modules of the table, each in its own process. */
void sprof_perf_map_open_all(struct sprof_modules *modules);

#endif
