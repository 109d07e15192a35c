/* Opens the file behind a mapping, and checks that it is the mapped one. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/module.h"

/*
 * Sets module->fd or module->image, using the process that maps the module at [start, end). Never
 * fails: if the module can't be read, fd stays -1 and open_errno has the reason (ESTALE: the path
 * now leads to another file).
 */
void sprof_module_file_open(struct sprof_module *module, pid_t pid, uint64_t start, uint64_t end);
