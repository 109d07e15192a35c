/*
 * Writes the outputs of a run one after the other. output/ handles formats and atomic replacement.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cli/command.h"
#include "cmd/cli/locale.h"
#include "cmd/cli/outputs.h"
#include "cmd/ui.h"

/* Names are shortened to the width of a terminal; files and pipes get whole names. */
static void fit_terminal(struct sprof_output_options *options, int fd)
{
	const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size))
		return;
	if (!options->width)
		options->width = size.ws_col;
	options->height = size.ws_row;
	options->colour = !(no_colour && no_colour[0]) && terminal && strcmp(terminal, "dumb") != 0;
	options->utf8 = sprof_locale_is_utf8();
}

static bool write_one(const struct sprof_output_request *request,
	const struct sprof_profile *profile, struct sprof_output_options options,
	struct sprof_error *err)
{
	struct sprof_out *out;
	bool opened = request->path ? sprof_out_open(request->path, &out, err)
				    : sprof_out_open_fd(sprof_output_descriptor(request),
					      request->on_stderr ? "stderr" : "stdout", &out, err);

	if (!opened)
		return false;
	if (request->path)
		options.pack = strlen(request->path) > 3 &&
			!strcmp(request->path + strlen(request->path) - 3, ".gz");
	if (request->path)
		options.width = 0;
	else
		fit_terminal(&options, sprof_output_descriptor(request));
	return sprof_out_end(out, request->format->write(profile, &options, out, err), err);
}

/* The kept file is readable only by the user, because it contains names of files and peers. */
static bool keep(const char *path, const struct sprof_profile *profile,
	const struct sprof_output_options *options)
{
	const struct sprof_output_request kept = {.path = path, .format = &sprof_format_pprof};
	struct sprof_error err = {0};
	mode_t before = umask(077);
	bool written = write_one(&kept, profile, *options, &err);

	umask(before);
	return written;
}

/* Reports where a recording is that the user has named no file for, and that no terminal shows. */
static void say_kept(const char *path)
{
	sprof_ui_note("the recording is in %s: sprof report shows it", path);
}

/*
 * The reader of a pager or of a saved file's report may have seen enough: no error, nothing is
 * lost.
 */
static bool is_left(const struct sprof_outputs *outputs, const struct sprof_output_request *request,
	const struct sprof_error *err)
{
	return !request->path && (outputs->is_paged || outputs->is_saved) && err->os_errno == EPIPE;
}

/* Returns false on failure, after a message, unless the user had not requested this output. */
static bool write_request(const struct sprof_outputs *outputs,
	const struct sprof_output_request *request, const struct sprof_profile *profile,
	const struct sprof_output_options *options)
{
	struct sprof_error err = {0};

	if (request->unasked && request->path)
		return keep(request->path, outputs->whole ? outputs->whole : profile, options);
	if (write_one(request, profile, *options, &err)) {
		if (request->path)
			sprof_ui_progress("wrote %s (%s)", request->path, request->format->name);
		if (request->format->note)
			sprof_ui_note("%s: %s", request->format->name, request->format->note);
		return true;
	}
	if (is_left(outputs, request, &err))
		return true;
	if (!request->unasked)
		sprof_ui_error(&err);
	return false;
}

/* A process that has ended can't be looked at again. */
static const char *again_of(const struct sprof_outputs *outputs, char *buffer, size_t size)
{
	snprintf(buffer, size, "/proc/%d", (int)outputs->pid);
	if (outputs->again || !outputs->pid || access(buffer, F_OK))
		return outputs->again;
	snprintf(buffer, size, "-p %d", (int)outputs->pid);
	return buffer;
}

/* Files first, so that messages about them don't follow the report on a terminal. */
struct sprof_written sprof_outputs_write(const struct sprof_outputs *outputs, bool with_stdout,
	const struct sprof_profile *profile, const struct sprof_output_options *options)
{
	struct sprof_output_options settled = *options;
	struct sprof_written written = {0};
	const char *kept = NULL;
	char again[32];

	settled.whole_report = outputs->whole_report;
	settled.is_last = outputs->is_last;
	settled.again = again_of(outputs, again, sizeof(again));
	for (size_t i = 0; i < 2 * outputs->count; i++) {
		const struct sprof_output_request *request = &outputs->items[i % outputs->count];
		bool is_turn = (i < outputs->count) == (request->path != NULL), succeeded;

		if (!is_turn || (!request->path && !with_stdout))
			continue;
		succeeded = write_request(outputs, request, profile, &settled);
		if (succeeded && request->unasked && request->path)
			kept = request->path;
		/* The reader of stdout may be gone. */
		if (kept && (outputs->is_only_kept || (!succeeded && !request->unasked)))
			say_kept(kept);
		if (request->unasked && request->path && !succeeded) {
			settled.whole_report = "the same with --full";
			settled.is_last = false;
		} else if (!request->unasked) {
			*(succeeded ? &written.succeeded : &written.failed) += 1;
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
