/* Without libzstd: sections compressed with it are left to libelf. */
#include "elfsym/unzstd.h"

bool sprof_unzstd(const uint8_t *bytes, size_t size, uint8_t *ret, size_t ret_size)
{
	return false;
}
