/*
 * Two processes for one sprof. Does not handle the death of the tracing process, nor of both at
 * once, as by a SIGKILL of a whole control group: a thread that then hits a breakpoint terminates
 * its program.
 */
#include "attach/start/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEATH = SIGUSR2 };

#define FIRST_VICTIM "1000"

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1};
/* They mean nothing to the child, and must not end its parent. */
static const int held_back[] = {SIGUSR2, SIGPIPE};

int sprof_guardian_signal(void)
{
	int signal = 0;

	return !prctl(PR_GET_PDEATHSIG, &signal) && signal == DEATH ? DEATH : 0;
}

/* Tools that select by name, such as killall(1), must not find this process as sprof. */
static void become_child(pid_t parent, bool attaches, const sigset_t *mask)
{
	if (attaches)
		setpgid(0, 0);
	prctl(PR_SET_NAME, "guardian");
	signal(DEATH, SIG_DFL); /* until a run handles it, there is nothing to detach */
	prctl(PR_SET_PDEATHSIG, DEATH);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (getppid() != parent)
		_exit(128 + SIGKILL);
}

bool sprof_signal_is_ignored(int signal)
{
	struct sigaction action;

	return !sigaction(signal, NULL, &action) && action.sa_handler == SIG_IGN;
}

/*
 * If memory runs out, the kernel should kill this process first: the other one then removes the
 * breakpoints and exits, which frees its memory. Every process may raise its own score (proc(5)).
 */
static void offer_itself(void)
{
	const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (score < 0)
		return;
	(void)!write(score, FIRST_VICTIM, strlen(FIRST_VICTIM));
	close(score);
}

static int wait_for(pid_t child, const sigset_t *signals, bool attaches)
{
	siginfo_t info;
	int status;

	for (;;) {
		const pid_t ended = waitpid(child, &status, WNOHANG);

		if (ended == child)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		if (ended < 0 && errno != EINTR)
			return 1;
		/*
		 * The terminal has sent its signals to the group: to a child that is in it, too. In
		 * the background of a script, where SIGINT is ignored, only a process that sends it
		 * means sprof.
		 */
		if (sigwaitinfo(signals, &info) > 0 && info.si_signo != SIGCHLD &&
			(info.si_code != SI_KERNEL ||
				(attaches && !sprof_signal_is_ignored(info.si_signo))))
			kill(child, info.si_signo);
	}
}

bool sprof_guardian_begin(bool attaches, struct sprof_error *err)
{
	const pid_t self = getpid();
	sigset_t signals, blocked, original;
	pid_t child;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(passed_on[0]); i++)
		sigaddset(&signals, passed_on[i]);
	blocked = signals;
	for (size_t i = 0; i < sizeof(held_back) / sizeof(held_back[0]); i++)
		sigaddset(&blocked, held_back[i]);
	sigprocmask(SIG_BLOCK, &blocked, &original);
	child = fork();
	if (child < 0)
		return sprof_error_errno(err, errno, "start a process");
	if (child) {
		offer_itself();
		_exit(wait_for(child, &signals, attaches));
	}
	become_child(self, attaches, &original);
	return true;
}
