/*
 * Opens the file behind a mapping, and checks that the file is the mapped one.
 */
#ifndef SPROF_ATTACH_MODULE_FILE_H
#define SPROF_ATTACH_MODULE_FILE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/module.h"

/*
 * Fills module->fd or module->image from the process that maps it at [start, end). Never fails: a
 * module that can't be read keeps fd -1 and says why in open_errno (ESTALE: the path now leads to
 * another file).
 */
void sprof_module_file_open(struct sprof_module *module, pid_t pid, uint64_t start, uint64_t end);

#endif
