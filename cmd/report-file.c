/*
 * The meaning of an output suffix for commands whose report is no profile. Does not open the file.
 */
#include "cmd/report-file.h"

#include "output/format.h"

bool sprof_report_file_settle(const char *path, bool *json, struct sprof_error *err)
{
	const struct sprof_format *format = path ? sprof_format_by_path(path) : NULL;

	if (format == &sprof_format_json)
		*json = true;
	if (!format || format == &sprof_format_json || format == &sprof_format_text)
		return true;
	return sprof_error_set(err, SPROF_ERROR_USAGE,
		"--output %s: this command writes text or JSON, not %s", path, format->name);
}
