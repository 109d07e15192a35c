/* Queries the terminal. Does not handle pagers, whose terminal pager.c knows. */
#include "cmd/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

size_t sprof_terminal_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}
