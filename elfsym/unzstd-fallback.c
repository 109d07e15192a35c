/*
 * Without libzstd, sections compressed with it are left to libelf, and files to their command.
 */
#include "elfsym/unzstd.h"

#include <errno.h>

bool sprof_unzstd_is_built_in(void)
{
	return false;
}

bool sprof_unzstd(const uint8_t *bytes, size_t size, uint8_t *ret, size_t ret_size)
{
	return false;
}

bool sprof_unzstd_file(int from, int to)
{
	errno = ENOTSUP;
	return false;
}
