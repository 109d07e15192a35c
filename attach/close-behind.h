/*
 * Closing descriptors that take long to close.
 */
#ifndef SPROF_ATTACH_CLOSE_BEHIND_H
#define SPROF_ATTACH_CLOSE_BEHIND_H

#include <stddef.h>

/*
 * Closes them. The kernel takes some ms for each probe of a function, during which nobody should wait: a
 * process that is forked for this has them for so long, and nothing else. It ends by itself. Sorts
 * `fds`; those below 0 are left out.
 */
void sprof_close_behind(int *fds, size_t count);

#endif
