/* Reconstructs a file from the memory of a process that maps it. */
#pragma once

#include <sys/types.h>

#include "base/module.h"

/*
 * Copies the mapped parts of a file that can't be opened to module->image. `maps` is the text of
 * /proc/PID/maps. The image stays NULL if there is too much or too little.
 */
void sprof_module_memory_read(struct sprof_module *module, pid_t pid, const char *maps);
