/* Closes descriptors that take long to close. */
#pragma once

#include <stddef.h>

/*
 * Closes them. The kernel takes some ms for each uprobe, so a process forked for this keeps them
 * open and closes them at its exit, while the caller continues. Sorts `fds`; negative ones are
 * skipped.
 */
void sprof_close_behind(int *fds, size_t count);
