/*
 * What is left of a file in the memory of a process that has it mapped.
 */
#ifndef SPROF_ATTACH_MODULE_MEMORY_H
#define SPROF_ATTACH_MODULE_MEMORY_H

#include <sys/types.h>

#include "base/module.h"

/*
 * Puts together what the process has mapped of a file that can't be opened, into module->image; maps
 * is the text of its /proc/PID/maps. The image stays NULL when there is too much or too little.
 */
void sprof_module_memory_read(struct sprof_module *module, pid_t pid, const char *maps);

#endif
