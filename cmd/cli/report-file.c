/*
 * Interprets -o for commands whose report is not a profile: the format by the suffix, and where the
 * report goes.
 */
#include "cmd/cli/report-file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "output/format.h"

/* sprof's stdout, another pipe, a terminal, /dev/null: their names select no format. */
static bool is_stream(const char *path)
{
	struct stat status;

	return sprof_report_file_is_stdout(path) ||
		(!stat(path, &status) && !S_ISREG(status.st_mode));
}

bool sprof_report_file_settle(const char *path, bool *json, bool *dot, struct sprof_error *err)
{
	const struct sprof_format *format = path ? sprof_format_by_path(path) : NULL;

	if (format == &sprof_format_json)
		*json = true;
	if (dot && format == &sprof_format_dot)
		*dot = true;
	if (format == &sprof_format_json || format == &sprof_format_text ||
		(dot && format == &sprof_format_dot))
		return true;
	if (format)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"--output %s: this command writes %s, not %s", path,
			dot ? "text, JSON or DOT" : "text or JSON", format->name);
	if (*json || (dot && *dot) || is_stream(path))
		return true;
	sprof_error_set(err, SPROF_ERROR_USAGE, "--output %s: the suffix names no format", path);
	return sprof_error_hint(err, "the suffixes are: %s, %s%s%s", sprof_format_text.suffix,
		sprof_format_json.suffix, dot ? ", " : "", dot ? sprof_format_dot.suffix : "");
}

bool sprof_report_file_is_stdout(const char *path)
{
	return !path || sprof_out_is_stdout(path);
}

bool sprof_report_file_open(const char *path, struct sprof_out **ret, struct sprof_error *err)
{
	return path ? sprof_out_open(path, ret, err)
		    : sprof_out_open_fd(STDOUT_FILENO, "stdout", ret, err);
}
