/*
 * The pager is a shell command, as in git(1) and man(1). The pipe to it replaces stdout, so that
 * writers need no change. If the user leaves the pager early, sprof ends by SIGPIPE like any
 * command in front of a pager.
 */
#include "cmd/pager.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void sprof_pager_start(struct sprof_pager *pager)
{
	const char *command = getenv("PAGER");
	struct winsize size;
	sigset_t none, before;

	*pager = (struct sprof_pager){0};
	if (!isatty(STDOUT_FILENO) || (command && (!command[0] || !strcmp(command, "cat"))))
		return;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		pager->width = size.ws_col;
	/* The options that git sets: quit if it fits, keep colours, don't clear the screen. */
	setenv("LESS", "FRX", 0);
	fflush(stdout);
	/* The pager gets the signals that sprof blocks while it traces. */
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, &before);
	pager->pipe = popen(command ? command : "less", "we");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!pager->pipe)
		return;
	dup2(fileno(pager->pipe), STDOUT_FILENO);
	signal(SIGPIPE, SIG_DFL);
}

void sprof_pager_finish(struct sprof_pager *pager)
{
	if (!pager->pipe)
		return;
	fflush(stdout);
	/* Both must be closed for the pager to see the end; the number of stdout stays in use. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	pclose(pager->pipe);
	pager->pipe = NULL;
}
