/* .gnu_debuglink: a name that is found must be a file name inside of the section. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/debug-files/debuglink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sprof_debuglink link;

	if (!sprof_debuglink_parse(data, size, &link))
		return 0;
	assert((const uint8_t *)link.name == data);
	assert(strlen(link.name) > 0 && strlen(link.name) + 4 < size);
	assert(!strchr(link.name, '/'));
	return 0;
}
