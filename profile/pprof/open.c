/* Opens a pprof file from a descriptor. read.c parses it. */
#include "profile/pprof/pprof.h"

#include <stdlib.h>

#include "profile/pprof/gunzip.h"

bool sprof_pprof_read(int fd, const char *name, const struct sprof_pprof_options *options,
	struct sprof_profile **ret, struct sprof_error *err)
{
	struct sprof_bytes bytes;
	bool ok;

	if (!sprof_bytes_read(fd, name, &bytes, err))
		return false;
	ok = sprof_pprof_read_bytes(bytes.data, bytes.size, name, options, ret, err);
	free(bytes.data);
	return ok;
}
