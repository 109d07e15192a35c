/*
 * No debuginfod in a static sprof: its library is loaded at run time, which a static program can do
 * only with the C library that it was linked with.
 */
#include "elfsym/debug-files/debuginfod.h"

bool sprof_debuginfod_create(const struct sprof_debuginfod_options *options,
	struct sprof_debuginfod **ret, struct sprof_error *err)
{
	sprof_error_set(err, SPROF_ERROR_UNSUPPORTED, "a static sprof has no debuginfod");
	return sprof_error_hint(err,
		"save the profile (-o profile.pb.gz), and name it where another sprof is: "
		"sprof report profile.pb.gz --debuginfod");
}

void sprof_debuginfod_destroy(struct sprof_debuginfod *client)
{
}

bool sprof_debuginfod_find(struct sprof_debuginfod *client, const char *build_id,
	const char *module, char *path, size_t size)
{
	return false;
}
