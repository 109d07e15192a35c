/*
 * A forked child writes a snapshot from its copy of the profile. Resolving names takes seconds:
 * traced threads must not wait, and the profile keeps growing.
 *
 * The child holds one end of a pipe: end-of-file means that it has finished. The sampling loop
 * reaps it like every unknown child, or else the end of sprof does.
 */
#include "cmd/record/partial-profile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "attach/proc/perf-map.h"
#include "cmd/record/writing.h"
#include "cmd/ui.h"

static bool has_files(const struct sprof_recording *options)
{
	for (size_t i = 0; i < options->shown.outputs.count; i++) {
		if (options->shown.outputs.items[i].path)
			return true;
	}
	return options->stats_path;
}

/* Waits up to `timeout_ms` for the writer (-1: no limit). Returns false if it is still writing. */
static bool wait_for_writer(struct sprof_partial *partial, int timeout_ms)
{
	struct pollfd writer = {.fd = partial->busy, .events = POLLIN};
	char succeeded;
	int ready;

	if (partial->busy < 0)
		return true;
	do
		ready = poll(&writer, 1, timeout_ms);
	while (ready < 0 && errno == EINTR);
	if (ready == 0)
		return false;
	/* Covers every failure, also its death, of which it can't say anything itself. */
	partial->failures += read(partial->busy, &succeeded, 1) != 1;
	close(partial->busy);
	partial->busy = -1;
	return true;
}

struct sprof_written sprof_partial_write(const struct sprof_partial *partial, bool with_stdout)
{
	struct sprof_recording options = *partial->options;
	struct sprof_error err = {0};

	if (options.every_ns && !sprof_recording_rename(&options, &partial->moment, &err)) {
		sprof_ui_error(&err);
		return (struct sprof_written){.failed = 1};
	}
	sprof_profile_set_quality(partial->profile, partial->quality);
	sprof_perf_map_open_all(partial->modules);
	return sprof_writing_all(&options, partial->profile, with_stdout);
}

static void __attribute__((noreturn)) write_and_exit(const struct sprof_partial *partial, int pipe)
{
	if (!sprof_partial_write(partial, false).failed && write(pipe, "", 1) < 0)
		_exit(1);
	_exit(0);
}

bool sprof_partial_is_ready(struct sprof_partial *partial)
{
	return wait_for_writer(partial, 0);
}

bool sprof_partial_start(struct sprof_partial *partial)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC)) {
		sprof_ui_note("can't write in between: %s", strerror(errno));
		return false;
	}
	child = fork();
	if (!child)
		write_and_exit(partial, ends[1]);
	if (child < 0)
		sprof_ui_note("can't write in between: %s", strerror(errno));
	close(ends[1]);
	if (child < 0)
		close(ends[0]);
	else
		partial->busy = ends[0];
	return child > 0;
}

void sprof_partial_take(void *data)
{
	struct sprof_partial *partial = data;

	if (!has_files(partial->options))
		sprof_ui_note("SIGUSR1 writes a snapshot of -o FILE, and there is none");
	else if (!sprof_partial_is_ready(partial))
		sprof_ui_note("the last snapshot is still being written");
	else
		sprof_partial_start(partial);
}

void sprof_partial_finish(struct sprof_partial *partial)
{
	wait_for_writer(partial, -1);
}
