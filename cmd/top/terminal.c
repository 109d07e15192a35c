/*
 * Draws with ncurses on the controlling terminal, so the standard streams remain the program's.
 * Removes the signal handlers that ncurses installs, because sprof reads signals as data. Does not
 * format lines.
 */
#include "cmd/top/terminal.h"

#include <curses.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>

#include "base/cleanup.h"
#include "cmd/cli/locale.h"
#include "cmd/top/keys.h"

enum { ESCAPE_DELAY_MS = 25 };

struct sprof_top_terminal {
	FILE *file;
	SCREEN *screen;
	bool is_utf8;
};

static const int handled[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};

enum { HANDLED = sizeof(handled) / sizeof(handled[0]) };

static FILE *open_terminal(struct sprof_error *err)
{
	FILE *file = fopen("/dev/tty", "r+e");

	if (file)
		return file;
	sprof_error_set(err, SPROF_ERROR_USAGE, "sprof top needs a terminal, and there is none");
	sprof_error_hint(err, "sprof attach and sprof run write profiles without one");
	return NULL;
}

bool sprof_top_terminal_check(struct sprof_error *err)
{
	SPROF_AUTO_FCLOSE FILE *file = open_terminal(err);
	const char *name = getenv("TERM");
	int problem;

	if (!file)
		return false;
	if (setupterm(NULL, fileno(file), &problem) == OK) {
		del_curterm(cur_term);
		return true;
	}
	return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
		"sprof top can't draw on a terminal of the kind '%s' (TERM)", name ? name : "");
}

static void set_up(void)
{
	raw();
	noecho();
	nonl();
	curs_set(0);
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	set_escdelay(ESCAPE_DELAY_MS);
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED | BUTTON4_PRESSED |
			BUTTON5_PRESSED,
		NULL);
}

static bool take_over(struct sprof_top_terminal *terminal)
{
	struct sigaction before[HANDLED];

	for (int i = 0; i < HANDLED; i++)
		sigaction(handled[i], NULL, &before[i]);
	terminal->screen = newterm(NULL, terminal->file, terminal->file);
	for (int i = 0; i < HANDLED; i++)
		sigaction(handled[i], &before[i], NULL);
	return terminal->screen;
}

bool sprof_top_terminal_open(struct sprof_top_terminal **ret, struct sprof_error *err)
{
	struct sprof_top_terminal *terminal = calloc(1, sizeof(*terminal));

	if (!terminal)
		return sprof_error_no_memory(err);
	terminal->is_utf8 = sprof_locale_enter();
	terminal->file = open_terminal(err);
	if (!terminal->file || !take_over(terminal)) {
		if (terminal->file)
			sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
				"sprof top can't draw on this terminal");
		sprof_top_terminal_close(terminal);
		return false;
	}
	set_up();
	*ret = terminal;
	return true;
}

void sprof_top_terminal_close(struct sprof_top_terminal *terminal)
{
	if (!terminal)
		return;
	if (terminal->screen) {
		endwin();
		delscreen(terminal->screen);
	}
	if (terminal->file)
		fclose(terminal->file);
	sprof_locale_leave();
	free(terminal);
}

int sprof_top_terminal_fd(const struct sprof_top_terminal *terminal)
{
	return fileno(terminal->file);
}

static int key_of(int code)
{
	static const struct {
		int code, key;
	} table[] = {
		{KEY_UP, SPROF_TOP_KEY_UP},
		{KEY_DOWN, SPROF_TOP_KEY_DOWN},
		{KEY_LEFT, SPROF_TOP_KEY_LEFT},
		{KEY_RIGHT, SPROF_TOP_KEY_RIGHT},
		{KEY_PPAGE, SPROF_TOP_KEY_PAGE_UP},
		{KEY_NPAGE, SPROF_TOP_KEY_PAGE_DOWN},
		{KEY_HOME, SPROF_TOP_KEY_HOME},
		{KEY_END, SPROF_TOP_KEY_END},
		{KEY_BACKSPACE, SPROF_TOP_KEY_BACKSPACE},
		{KEY_ENTER, SPROF_TOP_KEY_ENTER},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].code == code)
			return table[i].key;
	}
	return code;
}

/*
 * The wheel acts as the up and down keys. ncurses 6.4 merges events that arrive together (slow
 * connection, busy machine) even with an interval of 0 (curs_mouse(3X)): press and release become a
 * click, two of them a double click. It does not report events that are not in the mask.
 */
static void read_mouse(struct sprof_top_input *ret)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return;
	if (event.bstate & BUTTON4_PRESSED)
		ret->key = SPROF_TOP_KEY_UP;
	else if (event.bstate & BUTTON5_PRESSED)
		ret->key = SPROF_TOP_KEY_DOWN;
	ret->row = (size_t)event.y;
	ret->column = (size_t)event.x;
	ret->is_double = event.bstate & BUTTON1_DOUBLE_CLICKED;
}

bool sprof_top_terminal_read(struct sprof_top_terminal *terminal, struct sprof_top_input *ret)
{
	int code = getch();

	while (code == KEY_RESIZE)
		code = getch();
	if (code == ERR)
		return false;
	*ret = (struct sprof_top_input){0};
	if (code == KEY_MOUSE)
		read_mouse(ret);
	else
		ret->key = key_of(code);
	return true;
}

void sprof_top_terminal_resize(struct sprof_top_terminal *terminal)
{
	struct winsize size;

	if (ioctl(fileno(terminal->file), TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		return;
	resizeterm(size.ws_row, size.ws_col);
	clearok(curscr, TRUE);
}

void sprof_top_terminal_size(
	const struct sprof_top_terminal *terminal, size_t *ret_rows, size_t *ret_columns)
{
	*ret_rows = (size_t)LINES;
	*ret_columns = (size_t)COLS;
}

static int attributes_of(enum sprof_top_style style)
{
	if (style == SPROF_TOP_BOLD)
		return (int)A_BOLD;
	if (style == SPROF_TOP_CHOSEN)
		return (int)(A_REVERSE | A_BOLD);
	return (int)(style == SPROF_TOP_REVERSED ? A_REVERSE : A_NORMAL);
}

/* Without UTF-8 the terminal shows one character per byte, and these are none of its characters. */
static void put_text(const struct sprof_top_terminal *terminal, const char *text)
{
	SPROF_AUTO_FREE char *plain = terminal->is_utf8 ? NULL : strdup(text);

	for (char *at = plain; at && *at; at++)
		*at = (unsigned char)*at < 128 ? *at : '?';
	addnstr(plain ? plain : text, -1);
}

/*
 * The whole line has the style. The last column of the last row can't be written without scrolling.
 */
static void fill_row(size_t row)
{
	int y, x;

	getyx(stdscr, y, x);
	if ((size_t)y != row)
		return;
	for (; x < COLS - 1; x++)
		addch(' ');
	clrtoeol();
}

void sprof_top_terminal_put(struct sprof_top_terminal *terminal, size_t row, const char *text,
	enum sprof_top_style style)
{
	move((int)row, 0);
	clrtoeol();
	attrset(attributes_of(style));
	put_text(terminal, text);
	if (style == SPROF_TOP_REVERSED || style == SPROF_TOP_CHOSEN)
		fill_row(row);
	attrset(A_NORMAL);
}

void sprof_top_terminal_flush(struct sprof_top_terminal *terminal)
{
	refresh();
}
