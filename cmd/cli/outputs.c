/*
 * Turns -o and -f into outputs. Decides which output goes to stdout, and what a terminal gets.
 * outputs-write.c writes them.
 */
#include "cmd/cli/outputs.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/cli/command-line.h"
#include "cmd/cli/last-recording.h"
#include "cmd/cli/placeholders.h"
#include "cmd/ui.h"

bool sprof_outputs_set_path(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_outputs *outputs = field;

	if (!text[0])
		return sprof_error_set(err, SPROF_ERROR_USAGE, "is empty");
	if (text[0] == '-' && text[1]) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "is an option, not a file");
		return sprof_error_hint(err, "for a file of this name: ./%s", text);
	}
	if (outputs->count == SPROF_MAX_OUTPUTS)
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "more than %d outputs", SPROF_MAX_OUTPUTS);
	outputs->items[outputs->count].pattern = sprof_out_is_stdout(text) ? NULL : text;
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
	return sprof_error_hint(err, "the formats are: %s", formats);
}

/* Other tools' names of formats. */
static const struct sprof_format *format_called(const char *name)
{
	static const struct {
		const char *theirs;
		const struct sprof_format *format;
	} names[] = {
		{"raw", &sprof_format_folded},
		{"collapsed", &sprof_format_folded},
		{"flamegraph", &sprof_format_svg},
		{"chrometrace", &sprof_format_chrome},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i].theirs))
			return names[i].format;
	}
	return sprof_format_by_name(name);
}

static const char *name_of(const struct sprof_output_request *request)
{
	if (request->path)
		return request->path;
	return request->on_stderr ? "/dev/stderr" : "-";
}

bool sprof_outputs_set_json(void *field, const char *text, struct sprof_error *err)
{
	return sprof_outputs_set_format(field, "json", err);
}

bool sprof_outputs_set_format(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_outputs *outputs = field;
	struct sprof_output_request *last =
		outputs->count ? &outputs->items[outputs->count - 1] : NULL;
	const struct sprof_format **place = last ? &last->format : &outputs->fallback;
	const struct sprof_format *format = format_called(text);

	if (!format)
		return unknown_format(err, "no such format");
	if (!*place || *place == format) {
		*place = format;
		return true;
	}
	if (!last)
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "the format is %s already", (*place)->name);
	sprof_error_set(err, SPROF_ERROR_USAGE, "%s has the format %s already", name_of(last),
		(*place)->name);
	return sprof_error_hint(err, "each -o FILE has its own: -o FILE -f %s -o FILE -f %s",
		(*place)->name, format->name);
}

static bool expand(struct sprof_output_request *request,
	const struct sprof_placeholders_moment *moment, struct sprof_error *err)
{
	return sprof_placeholders_expand("--output", request->pattern, moment, &request->path, err);
}

/* The second would replace the first. */
static bool refuse_twice(
	const char *option, const char *one, const char *two, struct sprof_error *err)
{
	if (!strcmp(one, two))
		return sprof_error_set(err, SPROF_ERROR_USAGE, "%s %s is given twice", option, two);
	return sprof_error_set(
		err, SPROF_ERROR_USAGE, "%s %s is given twice, as %s", option, two, one);
}

/* Against the first `count` outputs. */
static bool check_other(const struct sprof_outputs *outputs, size_t count, const char *option,
	const char *path, struct sprof_error *err)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = name_of(&outputs->items[i]);

		if (sprof_out_is_same(name, path))
			return refuse_twice(option, name, path, err);
	}
	return true;
}

static bool check_clashes(const struct sprof_outputs *outputs, struct sprof_error *err)
{
	for (size_t i = 0; i < outputs->count; i++) {
		if (!check_other(outputs, i, "--output", name_of(&outputs->items[i]), err))
			return false;
	}
	return true;
}

bool sprof_outputs_check_stats(
	const struct sprof_outputs *outputs, const char *path, struct sprof_error *err)
{
	return sprof_out_probe(path, err) &&
		check_other(outputs, outputs->count, "--stats", path, err);
}

/* The format that the suffix of the file names which the shell has opened as stdout; NULL: none. */
static const struct sprof_format *format_of_stdout(void)
{
	char path[PATH_MAX];
	struct stat status;
	ssize_t length = readlink("/proc/self/fd/1", path, sizeof(path) - 1);

	if (length < 0 || fstat(STDOUT_FILENO, &status) || !S_ISREG(status.st_mode))
		return NULL;
	path[length] = '\0';
	return sprof_format_by_path(path);
}

static const struct sprof_format *choose_for_stdout(enum sprof_stdout wanted)
{
	const struct sprof_format *named;

	if (wanted == SPROF_STDOUT_REPORT ||
		(wanted == SPROF_STDOUT_ANSWER && !isatty(STDOUT_FILENO)))
		return &sprof_format_text;
	named = format_of_stdout();
	if (named)
		return named;
	if (isatty(STDOUT_FILENO))
		return &sprof_format_summary;
	sprof_ui_progress(
		"stdout is not a terminal, so it gets folded stacks; -f text writes the report");
	return &sprof_format_folded;
}

/*
 * A terminal shows the summary after the program's output. A pipe is read by a consumer of stacks;
 * some shells and servers use sockets as pipes.
 */
static bool takes_stdout(const struct sprof_outputs *outputs)
{
	struct stat status;

	if (!outputs->beside_program || outputs->fallback || isatty(STDOUT_FILENO))
		return true;
	return !fstat(STDOUT_FILENO, &status) &&
		(S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

static void add_default(struct sprof_outputs *outputs, enum sprof_stdout wanted)
{
	if (takes_stdout(outputs))
		outputs->count = 1;
	else if (isatty(STDERR_FILENO))
		outputs->items[outputs->count++] = (struct sprof_output_request){
			.format = wanted == SPROF_STDOUT_REPORT ? &sprof_format_text
								: &sprof_format_summary,
			.on_stderr = true};
}

static bool refuse_directory(const char *path, struct sprof_error *err)
{
	size_t length = strlen(path);

	sprof_error_errno(err, EISDIR, "can't write %s", path);
	return sprof_error_hint(err, "name a file in it: %s%sprofile.pb.gz", path,
		path[length - 1] == '/' ? "" : "/");
}

static bool is_directory(const char *path)
{
	struct stat status;

	return path && !stat(path, &status) && S_ISDIR(status.st_mode);
}

static bool settle_one(const struct sprof_outputs *outputs, struct sprof_output_request *request,
	enum sprof_stdout wanted, struct sprof_error *err)
{
	const struct sprof_placeholders_moment now = sprof_placeholders_now();
	char message[256];

	if (is_directory(request->path))
		return refuse_directory(request->path, err);
	if (!request->format)
		request->format = outputs->fallback;
	if (!request->format && !request->path)
		request->format = choose_for_stdout(wanted);
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

/* A pipe without a reader: the command after it could not be started. */
static bool check_reader(const struct sprof_outputs *outputs, struct sprof_error *err)
{
	struct pollfd out = {.fd = STDOUT_FILENO};

	if (!sprof_outputs_use_stdout(outputs) || poll(&out, 1, 0) <= 0 || !(out.revents & POLLERR))
		return true;
	sprof_error_set(err, SPROF_ERROR_IO, "stdout has no reader");
	return sprof_error_hint(err,
		"could the command after the | not be started? flamegraph.pl is at "
		"https://github.com/brendangregg/FlameGraph; -o profile.svg needs none");
}

bool sprof_outputs_settle(
	struct sprof_outputs *outputs, enum sprof_stdout wanted, struct sprof_error *err)
{
	if (!outputs->count)
		add_default(outputs, wanted);
	for (size_t i = 0; i < outputs->count; i++) {
		if (!settle_one(outputs, &outputs->items[i], wanted, err))
			return false;
	}
	return check_clashes(outputs, err) && check_reader(outputs, err);
}

int sprof_output_descriptor(const struct sprof_output_request *request)
{
	return request->on_stderr ? STDERR_FILENO : STDOUT_FILENO;
}

/* Whether the request is the answer on a terminal. */
static bool is_summary(const struct sprof_output_request *request)
{
	return !request->path && request->format == &sprof_format_summary &&
		isatty(sprof_output_descriptor(request));
}

static const struct sprof_output_request *find_saved(const struct sprof_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++) {
		if (outputs->items[i].path && outputs->items[i].format == &sprof_format_pprof)
			return &outputs->items[i];
	}
	return NULL;
}

/* The terminal gets the summary even if files were requested. */
static bool will_summarize(struct sprof_outputs *outputs)
{
	const bool on_stderr = outputs->beside_program && !isatty(STDOUT_FILENO);

	for (size_t i = 0; i < outputs->count; i++) {
		if (!outputs->items[i].path)
			return is_summary(&outputs->items[i]);
	}
	if (!isatty(on_stderr ? STDERR_FILENO : STDOUT_FILENO) ||
		outputs->count == SPROF_MAX_OUTPUTS)
		return false;
	outputs->items[outputs->count++] = (struct sprof_output_request){
		.format = &sprof_format_summary, .unasked = true, .on_stderr = on_stderr};
	return true;
}

static void set_whole_report(struct sprof_outputs *outputs, bool is_kept)
{
	static char command[PATH_MAX + 32];
	const struct sprof_output_request *saved = find_saved(outputs);
	SPROF_AUTO_FREE char *quoted = saved ? sprof_command_line_quote(saved->path) : NULL;

	outputs->whole_report = is_kept ? "sprof report" : "the same with --full";
	outputs->is_last = is_kept && !saved;
	if (!saved)
		return;
	snprintf(command, sizeof(command), "sprof report %s", quoted ? quoted : saved->path);
	outputs->whole_report = command;
}

void sprof_outputs_keep(struct sprof_outputs *outputs, bool is_quiet)
{
	const bool on_terminal = !is_quiet && will_summarize(outputs);
	const char *last = outputs->count < SPROF_MAX_OUTPUTS ? sprof_last_recording_make() : NULL;

	outputs->is_only_kept = last && !outputs->count;
	if (!last && !outputs->count)
		sprof_ui_note("stdout is the program's, and the recording can't be kept in "
			      "$XDG_CACHE_HOME or $HOME; -o FILE names a file for it");
	if (on_terminal)
		set_whole_report(outputs, last);
	if (last)
		outputs->items[outputs->count++] = (struct sprof_output_request){.pattern = last,
			.path = last,
			.format = &sprof_format_pprof,
			.unasked = true};
}

bool sprof_outputs_report_to_stdout(const struct sprof_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++) {
		const struct sprof_output_request *request = &outputs->items[i];

		if (!request->path && !request->on_stderr && request->format == &sprof_format_text)
			return true;
	}
	return false;
}

bool sprof_outputs_use_stdout(const struct sprof_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++) {
		const struct sprof_output_request *request = &outputs->items[i];

		if (!request->path && !request->on_stderr && !request->unasked)
			return true;
	}
	return false;
}

bool sprof_outputs_need_stdout(const struct sprof_outputs *outputs)
{
	return sprof_outputs_use_stdout(outputs) && !isatty(STDOUT_FILENO);
}
