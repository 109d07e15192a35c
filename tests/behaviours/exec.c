/*
 * A process that becomes another program: from the main and from another thread, from a script, a
 * file that is gone or has never been one, and attempts that fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/behaviours/behaviour.h"

static const char self[] = "/proc/self/exe";

static int last_program(void)
{
	burn_us(20000);
	target_print("the last program, %s", getenv("LINKS") != NULL ? getenv("LINKS") : "none");
	return 6;
}

static int exec_again_from_main(void)
{
	burn_us(5000);
	exec_again(self, ".last-program");
}

/* Each of many programs executes the next one. */
static int chain(void)
{
	const char *before = getenv("LINKS");
	char links[16];

	snprintf(links, sizeof(links), "%d", before != NULL ? atoi(before) + 1 : 1);
	setenv("LINKS", links, 1);
	burn_us(1500);
	exec_again(self, atoi(links) < 20 ? "chain" : ".last-program");
}

static void *exec_here(void *unused)
{
	burn_us(3000);
	exec_again(self, ".last-program");
	return unused;
}

static int exec_from_a_thread(void)
{
	for (int i = 0; i < 3; i++)
		thread_of(burn_on);
	thread_of(exec_here);
	burn_on(NULL);
	return 0;
}

static int exec_from_a_child_thread(void)
{
	int right = 0;

	for (int i = 0; i < 8; i++)
		right += reap(child_of(exec_from_a_thread)) == 6 << 8;
	target_print("%d right", right);
	return 0;
}

/* A process whose leader has ended has no /proc/self/exe any more. */
static char own_path[512];

static void *exec_by_path(void *unused)
{
	burn_us(10000);
	exec_again(own_path, ".last-program");
	return unused;
}

static int exec_after_the_leader(void)
{
	MUST(readlink(self, own_path, sizeof(own_path) - 1) > 0);
	thread_of(exec_by_path);
	pthread_exit(NULL);
}

static pthread_barrier_t both;

static void *exec_with_the_other(void *unused)
{
	pthread_barrier_wait(&both);
	return exec_here(unused);
}

/* Two at once: one of them wins. While it does, no thread can be created (EAGAIN). */
static int exec_from_two_threads(void)
{
	pthread_barrier_init(&both, NULL, 2);
	for (int i = 0; i < 2; i++)
		thread_of(exec_with_the_other);
	burn_on(NULL);
	return 0;
}

static const char *error_of_exec(const char *path)
{
	execl(path, path, (char *)NULL);
	return strerror(errno);
}

static void write_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, mode);

	MUST(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static void *fail_to_exec(void *unused)
{
	write_file("not-a-program", "neither\n", 0755);
	write_file("not-executable", "#!/bin/sh\n", 0644);
	for (int i = 0; i < 20; i++) {
		const char *missing = error_of_exec("/no/such/file");

		burn_us(500);
		if (i == 19)
			target_print("%s, %s, %s", missing, error_of_exec("./not-a-program"),
				error_of_exec("./not-executable"));
	}
	return unused;
}

static int failing_exec(void)
{
	fail_to_exec(NULL);
	return 0;
}

static int failing_exec_of_a_thread(void)
{
	pthread_join(thread_of(fail_to_exec), NULL);
	return 0;
}

static int script(void)
{
	write_file("script",
		"#!/bin/sh\necho \"script $1 $0\"\ni=0\nwhile [ $i -lt 20000 ]; do "
		"i=$((i+1)); done\nexit 9\n",
		0755);
	execl("./script", "ignored", "argument", (char *)NULL);
	return 1;
}

static void copy_self(int to)
{
	int from = open(self, O_RDONLY | O_CLOEXEC);
	char buffer[65536];
	ssize_t length;

	while ((length = read(from, buffer, sizeof(buffer))) > 0)
		MUST(write(to, buffer, (size_t)length) == length);
	close(from);
}

static int delete_self(void)
{
	char link[512];
	ssize_t length;

	MUST(unlink("copy") == 0);
	burn_us(30000);
	length = readlink(self, link, sizeof(link) - 1);
	MUST(length > 0);
	link[length] = '\0';
	target_print("%s, child %s", strrchr(link, '/'), status_text(reap(child_of(last_program))));
	return 2;
}

static int deleted_file(void)
{
	int fd = open("copy", O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0755);

	MUST(fd >= 0);
	copy_self(fd);
	close(fd);
	exec_again("./copy", ".delete-self");
}

static int file_in_memory(void)
{
	const char *const arguments[] = {"behaviours", "--again", ".last-program", NULL};
	int fd = memfd_create("nowhere", MFD_CLOEXEC);

	MUST(fd >= 0);
	copy_self(fd);
	fexecve(fd, (char *const *)arguments, environ);
	return 1;
}

/* Close-on-exec, dispositions, mask and pending signals through an exec. */
static int tell_inherited(void)
{
	burn_us(3000);
	target_print("%s", own_status("SigBlk"));
	target_print("%s", own_status("ShdPnd"));
	target_print("%s", own_status("SigIgn"));
	target_print("fd 50: %s, fd 51: %s", fcntl(50, F_GETFD) < 0 ? "closed" : "open",
		fcntl(51, F_GETFD) < 0 ? "closed" : "open");
	return 0;
}

static int kept_through_exec(void)
{
	signal(SIGUSR1, SIG_IGN);
	block(SIGUSR2);
	block(SIGRTMIN + 3);
	raise(SIGUSR2);
	raise(SIGRTMIN + 3);
	dup2(STDOUT_FILENO, 50);
	dup3(STDOUT_FILENO, 51, O_CLOEXEC);
	burn_us(3000);
	exec_again(self, ".tell-inherited");
}

const struct behaviour exec_behaviours[] = {
	{"exec-from-main", exec_again_from_main},
	{"chain", chain},
	{"exec-from-a-thread", exec_from_a_thread},
	{"exec-from-a-child-thread", exec_from_a_child_thread},
	{"exec-after-the-leader", exec_after_the_leader},
	{"exec-from-two-threads", exec_from_two_threads},
	{"failing-exec", failing_exec},
	{"failing-exec-of-a-thread", failing_exec_of_a_thread},
	{"script", script},
	{"deleted-file", deleted_file},
	{".delete-self", delete_self},
	{"file-in-memory", file_in_memory},
	{"kept-through-exec", kept_through_exec},
	{".tell-inherited", tell_inherited},
	{".last-program", last_program},
	{NULL, NULL},
};
