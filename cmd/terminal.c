/*
 * Asks the terminal. Does not handle pagers, which have a terminal of their own (pager.c).
 */
#include "cmd/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

size_t sprof_terminal_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}
