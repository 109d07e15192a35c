/*
 * Functions whose first instructions are of each form that a breakpoint has to deal with, called as often
 * as the test says. The ready line has their addresses, in hexadecimal, and that of a function that begins
 * with a breakpoint of its own, and that of the one of `odd`. For x86_64 only.
 *
 * Function K gives x + K for an x. A line that counts calls with x = 0, 1, ... says "result" and the sum of
 * what they gave. Lines from stdin:
 *
 *   call K N THREADS    each thread calls it N times
 *   until K THREADS     threads call it until the next line, and say how often; each result is checked
 *   fork K N            a child calls it, and ends once the next line has come
 *   beside K N          "waiting"; after the next line a thread calls it once, and once that thread is stopped
 *                       for its tracer, the same as "fork K N"
 *   sibling K N         a child of its parent's calls it: CLONE_PARENT
 *   vfork K N           a child calls it and then executes this program, with K N as its arguments
 *   spawn K N           posix_spawn() of this program with K N as its arguments
 *   exec K N            executes this program with K N as its arguments
 *   signals K N         calls it while a timer's handler calls it too: "result", the sum, and how often
 *                       the handler called it
 *   bottom K            calls it where the stack has no page below it: "result" of one call with x = 0
 *   change              "mapped" and the address of a function in memory; after the next line, "changed":
 *                       other memory is there; after the next one, its first byte
 *   odd                 jumps to a function with the address of data on top of the stack: "result" and the
 *                       data, which is 7
 *   filter              a filter of system calls, which allows all, is in force from now on
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { FUNCTIONS = 6, THREADS_MAX = 16, PAGE = 4096 };

/* Each has its first instruction from its name. The flags of `branch` are set by `branch_entry`. */
__asm__(".pushsection .text\n"
	".macro begin name\n"
	"	.p2align 4\n"
	"	.type \\name, @function\n"
	"\\name:\n"
	".endm\n"
	"begin one_byte\n"
	"	push %rbx\n"
	"	mov %rdi, %rbx\n"
	"	mov %rbx, %rax\n"
	"	pop %rbx\n"
	"	ret\n"
	"begin rip_relative\n"
	"	mov one(%rip), %rax\n"
	"	add %rdi, %rax\n"
	"	ret\n"
	"begin jump\n"
	"	jmp 1f\n"
	"	ud2\n"
	"1:	lea 2(%rdi), %rax\n"
	"	ret\n"
	"begin relative_call\n"
	"	call 1f\n"
	"	inc %rax\n"
	"	ret\n"
	"1:	lea 2(%rdi), %rax\n"
	"	ret\n"
	"begin branch\n"
	"	jne 1f\n"
	"	lea 4(%rdi), %rax\n"
	"	ret\n"
	"1:	mov %rdi, %rax\n"
	"	add $4, %rax\n"
	"	ret\n"
	"begin branch_entry\n"
	"	test $1, %dil\n"
	"	call branch\n"
	"	ret\n"
	"begin indirect_call\n"
	"	call *four_more(%rip)\n"
	"	inc %rax\n"
	"	ret\n"
	"1:	lea 4(%rdi), %rax\n"
	"	ret\n"
	"begin enter_oddly\n"
	"	lea seven(%rip), %rax\n"
	"	push %rax\n"
	"	jmp odd\n"
	"begin odd\n"
	"	pop %rcx\n"
	"	mov (%rcx), %rax\n"
	"	ret\n"
	"begin own_trap\n"
	"	int3\n"
	"	ret\n"
	/* From the stack whose lowest word is given. */
	"begin call_at\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	lea 8(%rdx), %rsp\n"
	"	mov %rsi, %rax\n"
	"	call *%rax\n"
	"	mov %rbp, %rsp\n"
	"	pop %rbp\n"
	"	ret\n"
	".popsection\n"
	".pushsection .data\n"
	"	.p2align 3\n"
	"one:	.quad 1\n"
	"seven:	.quad 7\n"
	"four_more: .quad 1b\n"
	".popsection\n");

long one_byte(long x);
long rip_relative(long x);
long jump(long x);
long relative_call(long x);
long branch(long x);
long branch_entry(long x);
long indirect_call(long x);
long enter_oddly(long x);
long odd(long x);
long own_trap(long x);
long call_at(long x, long (*function)(long x), uintptr_t lowest);

static long (*const functions[])(long x) = {
	one_byte, rip_relative, jump, relative_call, branch_entry, indirect_call};

static void ready(void)
{
	target_ready("%d %lx %lx %lx %lx %lx %lx %lx %lx", getpid(), (long)one_byte,
		(long)rip_relative, (long)jump, (long)relative_call, (long)branch,
		(long)indirect_call, (long)own_trap, (long)odd);
}

static atomic_int until_stopped;

struct work {
	pthread_t thread;
	int function;
	long calls, sum;
};

static long sum_of_calls(int function, long calls)
{
	long sum = 0;

	for (long x = 0; x < calls; x++)
		sum += functions[function](x);
	return sum;
}

static void *call_thread(void *data)
{
	struct work *work = data;

	work->sum = sum_of_calls(work->function, work->calls);
	return NULL;
}

static void *call_until(void *data)
{
	struct work *work = data;

	for (; !until_stopped; work->calls++) {
		if (functions[work->function](work->calls) != work->calls + work->function)
			target_fail("a call");
	}
	return NULL;
}

static void run_threads(struct work *work, int threads, void *(*function)(void *data))
{
	for (int i = 1; i < threads; i++) {
		work[i] = work[0];
		if (pthread_create(&work[i].thread, NULL, function, &work[i]))
			target_fail("pthread_create");
	}
}

static void join_threads(struct work *work, int threads)
{
	for (int i = 1; i < threads; i++)
		pthread_join(work[i].thread, NULL);
}

static void call(int function, long calls, int threads)
{
	struct work work[THREADS_MAX] = {{.function = function, .calls = calls}};
	long sum = 0;

	run_threads(work, threads, call_thread);
	call_thread(&work[0]);
	join_threads(work, threads);
	for (int i = 0; i < threads; i++)
		sum += work[i].sum;
	target_print("result %ld", sum);
}

/* The main thread reads. */
static void call_until_told(int function, int threads)
{
	struct work work[THREADS_MAX] = {{.function = function}};
	char line[64];
	long calls = 0;

	until_stopped = 0;
	run_threads(work, threads + 1, call_until);
	target_print("calling");
	if (!target_read_line(line, sizeof(line)))
		target_fail("read");
	until_stopped = 1;
	join_threads(work, threads + 1);
	for (int i = 1; i <= threads; i++)
		calls += work[i].calls;
	target_print("called %ld", calls);
}

static void execute(int function, long calls)
{
	char arguments[2][24];

	snprintf(arguments[0], sizeof(arguments[0]), "%d", function);
	snprintf(arguments[1], sizeof(arguments[1]), "%ld", calls);
	execl("/proc/self/exe", "hits", arguments[0], arguments[1], NULL);
	_exit(1);
}

static void wait_for(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || status)
		target_fail("a child");
	target_print("waited");
}

static void call_in_fork(int function, long calls)
{
	const pid_t child = fork();
	char line[64];

	if (!child) {
		target_print("result %ld", sum_of_calls(function, calls));
		if (!target_read_line(line, sizeof(line)))
			_exit(1);
		_exit(0);
	}
	wait_for(child);
}

static atomic_int caller; /* 0: it has not begun */

static void *call_when_told(void *data)
{
	char line[64];

	caller = gettid();
	if (!target_read_line(line, sizeof(line)))
		target_fail("read");
	functions[*(const int *)data](0);
	return NULL;
}

static char state_of(pid_t thread)
{
	char path[64], text[128] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)thread);
	file = fopen(path, "r");
	if (!file || !fgets(text, sizeof(text), file) || !strstr(text, ") "))
		target_fail(path);
	fclose(file);
	return strstr(text, ") ")[2];
}

static void call_in_fork_beside_thread(int function, long calls)
{
	pthread_t thread;

	caller = 0;
	if (pthread_create(&thread, NULL, call_when_told, &function))
		target_fail("pthread_create");
	while (!caller)
		sched_yield();
	/* Both go on: neither stands at the stop of the thread's birth. */
	target_print("waiting");
	while (state_of(caller) != 't')
		sched_yield();
	call_in_fork(function, calls);
	pthread_join(thread, NULL);
}

static void call_in_sibling(int function, long calls)
{
	const long child = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

	if (child)
		return;
	target_print("result %ld", sum_of_calls(function, calls));
	_exit(0);
}

static void call_in_vfork(int function, long calls)
{
	/* It has its parent's memory: what it calls must not change that. */
	const pid_t child = vfork();

	if (!child) {
		if (sum_of_calls(function, calls) != calls * (calls - 1) / 2 + calls * function)
			_exit(2);
		execute(function, calls);
	}
	wait_for(child);
}

static void spawn(int function, long calls)
{
	char texts[2][24], name[] = "hits";
	char *const arguments[] = {name, texts[0], texts[1], NULL};
	pid_t child;

	snprintf(texts[0], sizeof(texts[0]), "%d", function);
	snprintf(texts[1], sizeof(texts[1]), "%ld", calls);
	if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ))
		target_fail("posix_spawn");
	wait_for(child);
}

static volatile int handlers_function;
static volatile long handled;

static void handle(int signal)
{
	if (functions[handlers_function](5) != 5 + handlers_function)
		target_fail("a call in the handler");
	handled = handled + 1;
}

static void call_under_signals(int function, long calls)
{
	const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
	const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	long sum;

	handlers_function = function;
	handled = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	sum = sum_of_calls(function, calls);
	setitimer(ITIMER_REAL, &never, NULL);
	target_print("result %ld %ld", sum, handled);
}

/* Where the main thread's stack ends now; it grows as it is used. */
static uintptr_t stack_bottom(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[256];
	uintptr_t start = 0;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (strstr(line, "[stack]"))
			start = strtoul(line, NULL, 16);
	}
	if (!start)
		target_fail("no stack");
	fclose(maps);
	return start;
}

static void call_at_bottom(int function)
{
	target_print("result %ld", call_at(0, functions[function], stack_bottom()));
}

/* A page of its own, with a function and then with other bytes at the same place. */
static void change_code(void)
{
	static const uint8_t code[] = {0x90, 0xc3};
	uint8_t *page = mmap(
		NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char line[64];

	memcpy(page, code, sizeof(code));
	target_print("mapped %lx", (long)page);
	if (!target_read_line(line, sizeof(line)))
		target_fail("read");
	mmap(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	memset(page, 0x55, PAGE);
	target_print("changed");
	if (!target_read_line(line, sizeof(line)))
		target_fail("read");
	target_print("first byte %02x", page[0]);
}

static void filter(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog program = {.len = 1, .filter = &allow};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		target_fail("prctl");
	target_print("filtered");
}

static void obey(const char *line)
{
	char what[16] = "";
	int function = 0, threads = 1;
	long calls = 0;

	sscanf(line, "%15s %d %ld %d", what, &function, &calls, &threads);
	if (strcmp(what, "call") == 0)
		call(function, calls, threads);
	else if (strcmp(what, "until") == 0)
		call_until_told(function, (int)calls);
	else if (strcmp(what, "fork") == 0)
		call_in_fork(function, calls);
	else if (strcmp(what, "beside") == 0)
		call_in_fork_beside_thread(function, calls);
	else if (strcmp(what, "sibling") == 0)
		call_in_sibling(function, calls);
	else if (strcmp(what, "vfork") == 0)
		call_in_vfork(function, calls);
	else if (strcmp(what, "spawn") == 0)
		spawn(function, calls);
	else if (strcmp(what, "exec") == 0)
		execute(function, calls);
	else if (strcmp(what, "signals") == 0)
		call_under_signals(function, calls);
	else if (strcmp(what, "bottom") == 0)
		call_at_bottom(function);
	else if (strcmp(what, "change") == 0)
		change_code();
	else if (strcmp(what, "odd") == 0)
		target_print("result %ld", enter_oddly(0));
	else if (strcmp(what, "filter") == 0)
		filter();
	else
		target_fail(line);
}

int main(int argc, char *argv[])
{
	char line[64];

	target_init(&argc, argv);
	if (argc > 2) {
		target_print(
			"result %ld", sum_of_calls(atoi(argv[1]), target_number(argc, argv, 2, 0)));
		return 0;
	}
	ready();
	while (target_read_line(line, sizeof(line)))
		obey(line);
	return 0;
}
