/*
 * What the behaviours share: children, signals, waits that are counted, and words. Knows no
 * behaviour.
 */
#include "tests/behaviours/behaviour.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void burn_us(unsigned us)
{
	uint64_t end = target_now_ns() + us * UINT64_C(1000);

	while (target_now_ns() < end)
		;
}

void *burn_on(void *unused)
{
	for (;;)
		burn_us(100);
	return unused;
}

pthread_t thread_of(void *(*body)(void *unused))
{
	pthread_t thread;

	MUST(pthread_create(&thread, NULL, body, NULL) == 0);
	return thread;
}

void must(bool holds, const char *what, const char *file, int line)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d: not true: %s (%s)\n", file, line, what, strerror(errno));
	_exit(97);
}

/* The assembler would take the short form. */
void long_trap(void)
{
#if defined(__x86_64__)
	__asm__ volatile(".byte 0xcd, 0x03");
#else
	raise(SIGTRAP);
#endif
}

pid_t child_of(int (*body)(void))
{
	pid_t child = fork();

	MUST(child >= 0);
	if (child == 0)
		_exit(body());
	return child;
}

int reap(pid_t child)
{
	int status;
	pid_t result;

	do {
		result = waitpid(child, &status, __WALL);
	} while (result < 0 && errno == EINTR);
	MUST(result == child);
	return status;
}

const char *status_text(int status)
{
	static char texts[8][32];
	static unsigned next;
	char *text = texts[next++ % 8];

	if (WIFSTOPPED(status))
		snprintf(text, 32, "stop %d", WSTOPSIG(status));
	else if (WIFCONTINUED(status))
		snprintf(text, 32, "continue");
	else if (WIFSIGNALED(status))
		snprintf(text, 32, "signal %d", WTERMSIG(status));
	else
		snprintf(text, 32, "exit %d", WEXITSTATUS(status));
	return text;
}

void leave_no_core(void)
{
	const struct rlimit none = {0, 0};

	MUST(setrlimit(RLIMIT_CORE, &none) == 0);
}

void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

	MUST(sigaction(number, &action, NULL) == 0);
}

static void change_mask(int how, int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	MUST(pthread_sigmask(how, &set, NULL) == 0);
}

void block(int number)
{
	change_mask(SIG_BLOCK, number);
}

void unblock(int number)
{
	change_mask(SIG_UNBLOCK, number);
}

_Noreturn void exec_again(const char *path, const char *name)
{
	execl(path, "behaviours", "--again", name, (char *)NULL);
	target_fail("exec");
}

const char *own_status(const char *field)
{
	static char line[4096];
	size_t length = strlen(field);
	FILE *file = fopen("/proc/self/status", "re");

	MUST(file != NULL);
	while (fgets(line, sizeof(line), file) != NULL) {
		if (strncmp(line, field, length) == 0 && line[length] == ':')
			break;
	}
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

enum { WAITS = 25 };

static bool is_answer(int error)
{
	return error == ETIMEDOUT || error == EAGAIN;
}

int count_waits(wait_function *wait, int64_t least_ns)
{
	int interrupted = 0, failed = 0, early = 0;

	for (int i = 0; i < WAITS; i++) {
		uint64_t begin = target_now_ns();

		errno = 0;
		if (wait() < 0 && errno == EINTR)
			interrupted++;
		else if (errno != 0 && !is_answer(errno))
			failed++;
		early += (int64_t)(target_now_ns() - begin) < least_ns;
		burn_us(300);
	}
	target_print("%d EINTR, %d failed, %d early", interrupted, failed, early);
	return 0;
}
