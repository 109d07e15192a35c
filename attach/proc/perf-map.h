/*
 * The file in which a JIT compiler describes its code: /tmp/perf-PID.map.
 */
#pragma once

#include <sys/types.h>

#include "base/module.h"

/*
 * Opens the perf map for a module of anonymous memory without one: in the process's root folder,
 * with its pid in its own namespace; if the process is gone, in sprof's root folder. The file stays
 * open, so that additions can be read. A missing perf map is not an error: module->fd stays -1.
 */
void sprof_perf_map_open(struct sprof_module *module, pid_t pid);

/* Opens the perf maps of all such modules, each in its process. */
void sprof_perf_map_open_all(struct sprof_modules *modules);
