/*
 * The zstd format, decompressed.
 */
#ifndef SPROF_ELFSYM_UNZSTD_H
#define SPROF_ELFSYM_UNZSTD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/* Whether this build has libzstd. Without it, the functions below always fail. */
bool sprof_unzstd_is_built_in(void);

/* False unless exactly `ret_size` bytes come out. */
bool sprof_unzstd(const uint8_t *bytes, size_t size, uint8_t *ret, size_t ret_size);

/*
 * Decompresses a file, from its start, into an empty one, with holes in place of zeros. False: errno
 * says why; EBADMSG: it is damaged, or ends early.
 */
SPROF_MUST_USE bool sprof_unzstd_file(int from, int to);

#endif
