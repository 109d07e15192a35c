/*
 * The pager is a shell command, as in git(1) and man(1). The pipe to it replaces stdout, so writers
 * need no change. If the user quits the pager early, writing fails with EPIPE. Whether the shell
 * could run the command is known only at the end.
 */
#include "cmd/cli/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/ui.h"

/* The shell's exit codes: not executable, not found. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

/*
 * Returns false if the shell would not find the command. Only a single word is checked; anything
 * else is left to the shell.
 */
static bool is_there(const char *command)
{
	const int length = (int)strcspn(command, " \t");
	char question[256];

	if (strcspn(command, "\"'\\$`=(){}[]|&;<>*?~#!\n") < (size_t)length || !length)
		return true;
	return snprintf(question, sizeof(question), "command -v %.*s >/dev/null 2>&1", length,
		       command) >= (int)sizeof(question) ||
		system(question) == 0;
}

static void say_missing(const char *command)
{
	if (command)
		sprof_ui_note("PAGER=%s can't be run: the report comes without a pager", command);
	else
		sprof_ui_note("less is not installed: the report comes without a pager");
}

static void open_pipe(struct sprof_pager *pager, const char *command)
{
	sigset_t none, before;

	/* The options that git sets: quit if it fits, keep colours, don't clear the screen. */
	setenv("LESS", "FRX", 0);
	fflush(stdout);
	/* The pager gets the signals that sprof blocks while it traces. */
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, &before);
	pager->pipe = popen(command ? command : "less", "we");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void sprof_pager_start(struct sprof_pager *pager)
{
	const char *command = getenv("PAGER");
	struct winsize size;

	*pager = (struct sprof_pager){0};
	if (!isatty(STDOUT_FILENO) || (command && (!command[0] || !strcmp(command, "cat"))))
		return;
	if (!is_there(command ? command : "less")) {
		say_missing(command);
		return;
	}
	pager->terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (pager->terminal < 0)
		return;
	open_pipe(pager, command);
	if (!pager->pipe) {
		close(pager->terminal);
		return;
	}
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		pager->width = size.ws_col;
	dup2(fileno(pager->pipe), STDOUT_FILENO);
}

bool sprof_pager_finish(struct sprof_pager *pager)
{
	int status;

	if (!pager->pipe)
		return true;
	fflush(stdout);
	/* Both must be closed for the pager to see the end. */
	dup2(pager->terminal, STDOUT_FILENO);
	close(pager->terminal);
	status = pclose(pager->pipe);
	pager->pipe = NULL;
	if (!WIFEXITED(status) ||
		(WEXITSTATUS(status) != NOT_FOUND && WEXITSTATUS(status) != NOT_EXECUTABLE))
		return true;
	say_missing(getenv("PAGER"));
	return false;
}
