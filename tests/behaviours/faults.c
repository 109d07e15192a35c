/*
 * Signals that a program brings on itself: faults with a handler on a stack of its own, traps of
 * its own, and the signals that the C library uses between threads.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/behaviours/behaviour.h"

enum { ROUNDS = 60, STACK = 64 * 1024 };

static sigjmp_buf back;
static volatile sig_atomic_t count, last_code, on_own_stack;
static void *volatile last_address;
static char *own_stack;

static void note_fault(int number, siginfo_t *info, void *context)
{
	char here;

	count++;
	last_code = info->si_code;
	last_address = info->si_addr;
	on_own_stack += own_stack != NULL && &here >= own_stack && &here < own_stack + STACK;
	burn_us(200);
	siglongjmp(back, 1);
}

static void use_own_stack(void)
{
	stack_t stack = {.ss_size = STACK};

	own_stack = stack.ss_sp = malloc(STACK);
	MUST(own_stack != NULL && sigaltstack(&stack, NULL) == 0);
}

static int tell(void)
{
	target_print("%d faults, code %d, %d on their own stack", (int)count, (int)last_code,
		(int)on_own_stack);
	return 0;
}

static int fault_in_turn(int number, void (*fault)(void))
{
	use_own_stack();
	handle(number, note_fault, SA_ONSTACK);
	for (volatile int i = 0; i < ROUNDS; i++) {
		if (sigsetjmp(back, 1) == 0)
			fault();
		burn_us(300);
	}
	return tell();
}

static char *guarded;

static void touch_guarded(void)
{
	*(volatile char *)guarded = 1;
}

static int no_access(void)
{
	guarded = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fault_in_turn(SIGSEGV, touch_guarded);
	return last_address == guarded ? 0 : 1;
}

static int behind_the_end(void)
{
	FILE *file = tmpfile();

	MUST(file != NULL);
	guarded = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
	return fault_in_turn(SIGBUS, touch_guarded);
}

static MEASURED unsigned long recurse(unsigned long depth)
{
	volatile char frame[2048];

	frame[0] = (char)depth;
	if (depth == 1 << 20)
		return 0;
	return recurse(depth + 1) + (unsigned long)frame[0];
}

static void overflow(void)
{
	recurse(0);
}

static int stack_overflow(void)
{
	const struct rlimit small = {1 << 18, 1 << 18};
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		setrlimit(RLIMIT_STACK, &small);
		_exit(fault_in_turn(SIGSEGV, overflow));
	}
	status = reap(child);
	target_print("%s", status_text(status));
	return 0;
}

static void raise_trap(void)
{
	raise(SIGTRAP);
}

static int raised_trap(void)
{
	return fault_in_turn(SIGTRAP, raise_trap);
}

#if defined(__x86_64__)
enum { ILLEGAL = SIGILL };

static void breakpoint(void)
{
	__asm__ volatile("int3");
}

static void illegal(void)
{
	__asm__ volatile("ud2");
}

static void divide(void)
{
	__asm__ volatile("xor %%ecx, %%ecx; xor %%edx, %%edx; mov $1, %%eax; div %%ecx" ::
				 : "eax", "ecx", "edx");
}

/* The program traces itself: a trap behind each of a few instructions. */
static volatile sig_atomic_t steps;

static void note_step(int number, siginfo_t *info, void *context)
{
	steps += info->si_code == TRAP_TRACE;
}

static int single_steps(void)
{
	handle(SIGTRAP, note_step, 0);
	for (int i = 0; i < 200; i++) {
		__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq; nop; nop; nop;"
				 "pushfq; andq $~0x100, (%%rsp); popfq" ::
					 : "cc", "memory");
		burn_us(100);
	}
	target_print("%d steps", (int)steps);
	return 0;
}
#else
enum { ILLEGAL = SIGTRAP };

static void breakpoint(void)
{
	raise(SIGTRAP);
}

static void illegal(void)
{
	__builtin_trap();
}

static void divide(void)
{
	raise(SIGFPE);
}

static int single_steps(void)
{
	target_print("not on this machine");
	return 0;
}
#endif

static int own_breakpoint(void)
{
	return fault_in_turn(SIGTRAP, breakpoint);
}

static int own_long_breakpoint(void)
{
	return fault_in_turn(SIGTRAP, long_trap);
}

static int illegal_instruction(void)
{
	return fault_in_turn(ILLEGAL, illegal);
}

static int division_by_zero(void)
{
	return fault_in_turn(SIGFPE, divide);
}

/* A breakpoint without a handler ends the program as it always does. */
static int trap(void)
{
	burn_us(2000);
	breakpoint();
	return 0;
}

static int death_by_trap(void)
{
	leave_no_core();
	for (int i = 0; i < 5; i++)
		target_print("%s", status_text(reap(child_of(trap))));
	return 0;
}

/* The C library tells all threads by a signal of its own to change their ids. */
static atomic_int over;

static void *burn_until_over(void *unused)
{
	while (atomic_load(&over) == 0)
		burn_us(100);
	return unused;
}

static int ids_of_threads(void)
{
	pthread_t threads[4];
	int failed = 0;

	for (int i = 0; i < 4; i++)
		threads[i] = thread_of(burn_until_over);
	for (int i = 0; i < ROUNDS; i++) {
		failed += setresuid(getuid(), getuid(), getuid()) < 0;
		failed += setresgid(getgid(), getgid(), getgid()) < 0;
		burn_us(500);
	}
	atomic_store(&over, 1);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	target_print("%d failed", failed);
	return 0;
}

static void *sleep_long(void *unused)
{
	sleep(1000);
	return unused;
}

static void *burn_cancellable(void *unused)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		burn_us(10);
	return unused;
}

static int cancelled_threads(void)
{
	int cancelled = 0;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_t thread = thread_of(i % 2 ? sleep_long : burn_cancellable);
		void *result;

		burn_us(700);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		cancelled += result == PTHREAD_CANCELED;
	}
	target_print("%d cancelled", cancelled);
	return 0;
}

/* What is in the vector registers survives each stop. */
static int floating_point(void)
{
	uint64_t end = target_now_ns() + 60000000;
	int wrong = 0;

	while (target_now_ns() < end) {
		double sum[8] = {0};

		for (int i = 1; i <= 2000; i++) {
			for (int j = 0; j < 8; j++)
				sum[j] += 1.0 / (i * (j + 1));
		}
		for (int j = 0; j < 8; j++)
			wrong += sum[j] * (j + 1) < 8.178 || sum[j] * (j + 1) > 8.179;
	}
	target_print("%d wrong", wrong);
	return 0;
}

const struct behaviour fault_behaviours[] = {
	{"no-access", no_access},
	{"behind-the-end", behind_the_end},
	{"stack-overflow", stack_overflow},
	{"raised-trap", raised_trap},
	{"own-breakpoint", own_breakpoint},
	{"own-long-breakpoint", own_long_breakpoint},
	{"single-steps", single_steps},
	{"illegal-instruction", illegal_instruction},
	{"division-by-zero", division_by_zero},
	{"death-by-trap", death_by_trap},
	{"ids-of-threads", ids_of_threads},
	{"cancelled-threads", cancelled_threads},
	{"floating-point", floating_point},
	{NULL, NULL},
};
