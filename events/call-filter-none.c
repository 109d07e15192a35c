/* Without libseccomp: no filters. Every call is traced, and sprof selects. */
#include "events/call-filter.h"

#include <linux/filter.h>

bool sprof_call_filter_is_possible(void)
{
	return false;
}

bool sprof_call_filter_create(
	const int64_t *numbers, size_t count, struct sock_fprog *ret, struct sprof_error *err)
{
	return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED, "sprof was built without libseccomp");
}

void sprof_call_filter_free(struct sock_fprog *filter)
{
}
