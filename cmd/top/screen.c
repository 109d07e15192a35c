/*
 * The loop of the screen: waits for keys, profiles and signals, and draws. Runs beside the sampling
 * thread, so no traced thread waits for the terminal. The state handles keys, the page formats
 * lines, the terminal draws.
 */
#include "cmd/top/screen.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/top/page.h"
#include "cmd/top/state.h"
#include "cmd/top/terminal.h"
#include "output/clean.h"
#include "output/format.h"
#include "profile/edit/history.h"
#include "profile/edit/merge.h"
#include "profile/model/build.h"
#include "profile/model/profile.h"
#include "profile/model/program.h"
#include "profile/names/identify.h"

static const uint64_t double_click_ns = 400ull * SPROF_NS_PER_MS;

struct view {
	const struct sprof_top_screen *of;
	struct sprof_top_terminal *terminal; /* NULL until there is something to show */
	struct sprof_top_history history;
	struct sprof_top_state state;
	struct sprof_top_shown shown;
	struct sprof_top_table table;
	struct sprof_top_page page;
	struct sprof_top_contents contents;
	uint64_t clicked_ns; /* when a row was clicked, and which one */
	size_t clicked_row;
	int resized, ended; /* signalfds */
};

static bool write_file(const char *path, const struct sprof_format *format,
	const struct sprof_profile *profile, struct sprof_error *err)
{
	struct sprof_output_options options = sprof_output_options_default();
	const size_t length = strlen(path);
	struct sprof_out *out;

	options.pack = length > 3 && !strcmp(path + length - 3, ".gz");
	if (!sprof_out_open(path, &out, err))
		return false;
	return sprof_out_end(out, format->write(profile, &options, out, err), err);
}

/* Writes a copy of the named profile in the format selected by the file's suffix. */
static bool top_save(const char *path, const struct sprof_profile *profile, struct sprof_error *err)
{
	const struct sprof_format *format = sprof_format_by_path(path);
	struct sprof_profile *copy;
	bool saved;

	if (!format)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"the suffix of '%s' names no format: try .pb.gz, .txt, .svg, .html, .json",
			path);
	copy = sprof_build_create();
	saved = (copy || sprof_error_no_memory(err)) && sprof_profile_merge(copy, profile, err) &&
		sprof_profile_identify(copy, err) && write_file(path, format, copy, err);
	sprof_profile_destroy(copy);
	return saved;
}

static bool fill_table(struct view *view, struct sprof_error *err)
{
	struct sprof_top_shown *shown = &view->shown;

	sprof_top_table_finish(&view->table);
	shown->latest = sprof_top_history_latest(&view->history);
	if (!shown->latest)
		return true;
	if (!sprof_top_history_get(&view->history, view->state.window, &shown->profile, err))
		return false;
	if (!sprof_briefs_create(shown->profile, view->of->short_names, &view->table.briefs))
		return sprof_error_no_memory(err);
	shown->duration_ns = shown->profile->quality.duration_ns;
	return sprof_top_state_table(&view->state, shown, &view->table, err);
}

static bool draw_rows(struct view *view, struct sprof_error *err)
{
	for (size_t row = 0; row < view->page.rows; row++) {
		enum sprof_top_style style;
		SPROF_AUTO_FREE char *line =
			sprof_top_page_line(&view->page, &view->contents, row, &style);

		if (!line)
			return sprof_error_no_memory(err);
		sprof_top_terminal_put(view->terminal, row, line, style);
	}
	sprof_top_terminal_flush(view->terminal);
	return true;
}

static bool draw(struct view *view, struct sprof_error *err)
{
	size_t rows, columns;

	sprof_top_terminal_size(view->terminal, &rows, &columns);
	view->page = sprof_top_page_plan(rows, columns);
	view->state.page = view->page.table_rows;
	if (!fill_table(view, err))
		return false;
	view->contents = (struct sprof_top_contents){
		.head =
			{
				.command = view->of->command,
				.end = sprof_top_feed_over(view->of->feed),
				.state = &view->state,
				.shown = view->shown.latest ? &view->shown : NULL,
				.is_cut = view->history.is_cut,
			},
		.table = &view->table,
		.layout = sprof_top_table_layout(&view->table, columns),
	};
	return draw_rows(view, err);
}

static void drain(int fd)
{
	char bytes[sizeof(struct signalfd_siginfo)];

	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
}

/* The screen appears with the first profile: what fails before that is an ordinary message. */
static bool take_profile(struct view *view, struct sprof_error *err)
{
	struct sprof_profile *named;

	if (view->state.is_frozen)
		return true;
	named = sprof_top_feed_take(view->of->feed);
	if (!named)
		return !sprof_top_feed_failure(view->of->feed, err);
	return sprof_top_history_add(&view->history, named, err) &&
		(view->terminal || sprof_top_terminal_open(&view->terminal, err));
}

static void order(const struct view *view, const char *line)
{
	(void)!write(view->of->orders, line, strlen(line));
}

static void save(struct view *view)
{
	struct sprof_top_state *state = &view->state;
	struct sprof_error err;

	state->saves = false;
	if (!view->shown.latest)
		snprintf(state->message, sizeof(state->message), "there is nothing to save yet");
	else if (top_save(state->typed, view->shown.profile, &err))
		snprintf(state->message, sizeof(state->message), "saved to %s", state->typed);
	else
		snprintf(state->message, sizeof(state->message), "%s", err.message);
}

/* A file named after the program, which does not exist yet. */
static void propose_file(const struct view *view, char *file, size_t size)
{
	char name[SPROF_PROGRAM_NAME], clean[3 * SPROF_PROGRAM_NAME + 4];

	sprof_program_name(view->of->command, name, sizeof(name));
	sprof_clean_copy(name, clean, sizeof(clean));
	snprintf(file, size, "%s.pb.gz", clean);
	for (unsigned i = 2; !access(file, F_OK) && i < 1000; i++)
		snprintf(file, size, "%s-%u.pb.gz", clean, i);
}

static bool press(struct view *view, int key)
{
	const bool was_paused = view->state.is_paused;
	const enum sprof_top_prompt prompt = view->state.prompt;

	if (!sprof_top_state_key(&view->state, &view->table, key))
		return false;
	if (view->state.prompt == SPROF_TOP_ASKS_FILE && !prompt)
		propose_file(view, view->state.typed, sizeof(view->state.typed));
	if (view->state.is_paused != was_paused)
		order(view, was_paused ? "enable\n" : "disable\n");
	if (view->state.saves)
		save(view);
	return true;
}

/* A second click on a line acts as Enter, whether it comes later or together with the first. */
static bool click(struct view *view, const struct sprof_top_input *input)
{
	const uint64_t now = sprof_clock_now_ns();
	const bool is_line = input->row >= view->page.first_row;
	const bool is_second = is_line && now - view->clicked_ns < double_click_ns &&
		input->row == view->clicked_row;
	const bool opens = is_second || (is_line && input->is_double);

	view->clicked_ns = opens ? 0 : now;
	view->clicked_row = input->row;
	if (!is_second &&
		!sprof_top_page_click(
			&view->page, &view->state, &view->contents, input->row, input->column))
		return false;
	return !opens || press(view, SPROF_TOP_KEY_ENTER);
}

/* Each key applies to the result of the previous one. */
static bool take_input(struct view *view, struct sprof_error *err)
{
	struct sprof_top_input input;

	while (!view->state.quits && sprof_top_terminal_read(view->terminal, &input)) {
		if (!(input.key ? press(view, input.key) : click(view, &input)))
			return sprof_error_no_memory(err);
		if (!fill_table(view, err))
			return false;
		view->contents.layout = sprof_top_table_layout(&view->table, view->page.columns);
	}
	return true;
}

/* Returns false if the screen is to close. */
static bool wait_for_news(struct view *view, struct sprof_error *err)
{
	const bool is_over = sprof_top_feed_over(view->of->feed);
	struct pollfd polled[] = {
		{.fd = view->of->feed->wake, .events = POLLIN},
		{.fd = view->terminal ? sprof_top_terminal_fd(view->terminal) : -1,
			.events = POLLIN},
		{.fd = view->resized, .events = POLLIN},
		{.fd = is_over ? view->ended : -1, .events = POLLIN},
	};

	if (poll(polled, sizeof(polled) / sizeof(polled[0]), -1) < 0 && errno != EINTR)
		return sprof_error_errno(err, errno, "wait for keys");
	if (polled[0].revents)
		drain(view->of->feed->wake);
	if (polled[2].revents && view->terminal) {
		drain(view->resized);
		sprof_top_terminal_resize(view->terminal);
	}
	if (polled[3].revents || polled[1].revents & (POLLHUP | POLLERR | POLLNVAL))
		view->state.quits = true;
	return true;
}

/* Keys first: one may end a freeze, and news is announced only once. */
static bool loop(struct view *view, struct sprof_error *err)
{
	for (;;) {
		if (view->terminal && !take_input(view, err))
			return false;
		if (!take_profile(view, err) || (view->terminal && !draw(view, err)))
			return false;
		if (view->state.quits || sprof_top_feed_is_closed(view->of->feed))
			return true;
		sprof_top_output_trim(view->of->output);
		/* There was nothing to show, and won't be. */
		if (!view->terminal && sprof_top_feed_over(view->of->feed) &&
			sprof_top_feed_is_free(view->of->feed))
			return true;
		if (!wait_for_news(view, err))
			return false;
	}
}

static int watch_signals(const sigset_t *signals)
{
	return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool sprof_top_screen_run(const struct sprof_top_screen *screen, struct sprof_error *err)
{
	struct view view = {.of = screen, .state = sprof_top_state_begin()};
	sigset_t resizing;
	bool ok;

	sigemptyset(&resizing);
	sigaddset(&resizing, SIGWINCH);
	view.resized = watch_signals(&resizing);
	view.ended = watch_signals(screen->ending);
	ok = loop(&view, err);
	sprof_top_terminal_close(view.terminal);
	sprof_top_table_finish(&view.table);
	sprof_top_state_finish(&view.state);
	sprof_top_history_finish(&view.history);
	close(view.resized);
	close(view.ended);
	return ok;
}
