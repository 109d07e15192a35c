/*
 * From -o and -f to written files. Knows which output is stdout and what a terminal wants; how a format
 * looks and how a file appears whole is known to output/.
 */
#include "cmd/outputs.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/placeholders.h"
#include "cmd/ui.h"

static bool is_stdout(const char *path)
{
	return !path || !strcmp(path, "-") || !strcmp(path, "/dev/stdout") ||
		!strcmp(path, "/dev/fd/1") || !strcmp(path, "/proc/self/fd/1");
}

bool sprof_outputs_set_path(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_outputs *outputs = field;

	if (!text[0])
		return sprof_error_set(err, SPROF_ERROR_USAGE, "is empty");
	if (outputs->count == SPROF_MAX_OUTPUTS)
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "more than %d outputs", SPROF_MAX_OUTPUTS);
	outputs->items[outputs->count].pattern = is_stdout(text) ? NULL : text;
	outputs->items[outputs->count].path = outputs->items[outputs->count].pattern;
	outputs->count++;
	return true;
}

void sprof_outputs_list_formats(char *buffer, size_t size)
{
	const struct sprof_format *format;
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; (format = sprof_format_at(i)) && used < size; i++)
		used += (size_t)snprintf(
			buffer + used, size - used, "%s%s", i ? ", " : "", format->name);
}

static bool unknown_format(struct sprof_error *err, const char *message)
{
	char formats[256];

	sprof_outputs_list_formats(formats, sizeof(formats));
	sprof_error_set(err, SPROF_ERROR_USAGE, "%s", message);
	sprof_error_hint(err, "the formats are: %s", formats);
	return false;
}

bool sprof_outputs_set_format(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_outputs *outputs = field;
	const struct sprof_format *format = sprof_format_by_name(text);

	if (!format)
		return unknown_format(err, "no such format");
	if (outputs->count)
		outputs->items[outputs->count - 1].format = format;
	else
		outputs->fallback = format;
	return true;
}

static bool expand(struct sprof_output_request *request,
	const struct sprof_placeholders_moment *moment, struct sprof_error *err)
{
	return sprof_placeholders_expand_option(
		"--output", request->pattern, moment, &request->path, err);
}

/* Two outputs in one file: the second would replace the first. */
static bool check_clashes(const struct sprof_outputs *outputs, struct sprof_error *err)
{
	for (size_t i = 0; i < outputs->count; i++) {
		for (size_t k = 0; k < i; k++) {
			const char *one = outputs->items[i].path, *two = outputs->items[k].path;

			if (one && two && !strcmp(one, two) && strncmp(one, "/dev/", 5) != 0)
				return sprof_error_set(err, SPROF_ERROR_USAGE,
					"--output %s is given twice", one);
		}
	}
	return true;
}

static bool settle_one(const struct sprof_outputs *outputs, struct sprof_output_request *request,
	struct sprof_error *err)
{
	const struct sprof_placeholders_moment now = sprof_placeholders_now();
	char message[256];

	if (!request->format)
		request->format = outputs->fallback;
	if (!request->format && !request->path)
		request->format = sprof_format_by_name(isatty(STDOUT_FILENO) ? "text" : "folded");
	if (!request->format)
		request->format = sprof_format_by_path(request->path);
	if (!request->format) {
		snprintf(message, sizeof(message),
			"--output %s: the suffix names no format; add -f FORMAT", request->path);
		return unknown_format(err, message);
	}
	return !request->path ||
		(expand(request, &now, err) && sprof_out_probe(request->path, err));
}

bool sprof_outputs_rename(struct sprof_outputs *outputs,
	const struct sprof_placeholders_moment *moment, struct sprof_error *err)
{
	for (size_t i = 0; i < outputs->count; i++) {
		if (outputs->items[i].pattern && !expand(&outputs->items[i], moment, err))
			return false;
	}
	return true;
}

bool sprof_outputs_settle(struct sprof_outputs *outputs, struct sprof_error *err)
{
	if (!outputs->count)
		outputs->count = 1;
	for (size_t i = 0; i < outputs->count; i++) {
		if (!settle_one(outputs, &outputs->items[i], err))
			return false;
	}
	return check_clashes(outputs, err);
}

bool sprof_outputs_use_stdout(const struct sprof_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++) {
		if (!outputs->items[i].path)
			return true;
	}
	return false;
}

/* A terminal has a width that names are shortened to; files and pipes get them whole. */
static size_t width_of(const struct sprof_output_request *request)
{
	struct winsize size;

	if (request->path || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return 0;
	return size.ws_col;
}

static bool write_one(const struct sprof_output_request *request,
	const struct sprof_profile *profile, struct sprof_output_options options,
	struct sprof_error *err)
{
	struct sprof_out *out;
	bool opened = request->path ? sprof_out_open(request->path, &out, err)
				    : sprof_out_open_fd(STDOUT_FILENO, "stdout", &out, err);

	if (!opened)
		return false;
	if (request->path)
		options.pack = strlen(request->path) > 3 &&
			!strcmp(request->path + strlen(request->path) - 3, ".gz");
	if (request->path)
		options.width = 0;
	else if (!options.width)
		options.width = width_of(request);
	if (request->format->write(profile, &options, out, err))
		return sprof_out_close(out, err);
	sprof_out_discard(out);
	return false;
}

struct sprof_written sprof_outputs_write(const struct sprof_outputs *outputs, bool with_stdout,
	const struct sprof_profile *profile, const struct sprof_output_options *options)
{
	struct sprof_written written = {0};

	for (size_t i = 0; i < outputs->count; i++) {
		const struct sprof_output_request *request = &outputs->items[i];
		struct sprof_error err = {0};

		if (!request->path && !with_stdout)
			continue;
		if (write_one(request, profile, *options, &err)) {
			written.succeeded++;
			if (request->path)
				sprof_ui_progress("wrote %s (%s)", request->path,
					request->format->name);
		} else {
			written.failed++;
			sprof_ui_error(&err);
		}
	}
	return written;
}

int sprof_outputs_exit(const struct sprof_written *written)
{
	if (!written->failed)
		return 0;
	return written->succeeded ? SPROF_EXIT_PARTIAL : SPROF_EXIT_FAILED;
}
