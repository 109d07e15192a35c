/*
 * .gnu_debugdata without liblzma: it is not read, and what it would have named stays nameless.
 */
#include "elfsym/minidebug.h"

#include <stddef.h>

struct sprof_image *sprof_minidebug_open(const struct sprof_image *image)
{
	return NULL;
}

bool sprof_minidebug_supported(void)
{
	return false;
}
