/*
 * A 32-bit program without a C library.
 *
 *     i386 waits CODE     computes and waits in turn; exits with CODE, or 99 if a wait was broken off
 *     i386 ready          says so on stdout, waits for the end of stdin and exits
 *     i386 exec PROGRAM [ARGUMENT...]
 */
enum { EXIT = 1, READ = 3, WRITE = 4, EXECVE = 11, EPOLL_CREATE = 254, EPOLL_WAIT = 256 };

enum { ROUNDS = 40, WAIT_MS = 5, BURN = 2000000, BROKEN_OFF = 99 };

static int call(int number, long first, long second, long third, long fourth)
{
	int result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(first), "c"(second), "d"(third), "S"(fourth)
			 : "memory");
	return result;
}

static int compute_and_wait(void)
{
	char events[16];
	int epoll = call(EPOLL_CREATE, 1, 0, 0, 0), broken_off = 0;

	for (int i = 0; i < ROUNDS; i++) {
		for (volatile int n = 0; n < BURN; n++)
			;
		if (call(EPOLL_WAIT, epoll, (long)events, 1, WAIT_MS))
			broken_off++;
	}
	return broken_off;
}

static int number_of(const char *text)
{
	int number = 0;

	while (*text)
		number = number * 10 + (*text++ - '0');
	return number;
}

static int wait_for_end(void)
{
	char byte;

	call(WRITE, 1, (long)"ready\n", 6, 0);
	while (call(READ, 0, (long)&byte, 1, 0) > 0)
		;
	return 0;
}

static int act(int argc, char *argv[], char *environment[])
{
	if (argc == 3 && argv[1][0] == 'w')
		return compute_and_wait() ? BROKEN_OFF : number_of(argv[2]);
	if (argc == 2 && argv[1][0] == 'r')
		return wait_for_end();
	if (argc >= 3)
		return call(EXECVE, (long)argv[2], (long)(argv + 2), (long)environment, 0);
	return 98;
}

void begin(long *stack) __attribute__((used, noreturn));

void begin(long *stack)
{
	int argc = (int)stack[0];
	char **argv = (char **)(stack + 1);

	call(EXIT, act(argc, argv, argv + argc + 1), 0, 0, 0);
	__builtin_unreachable();
}

/* The kernel leaves the count of arguments on top of the stack. */
__asm__(".globl _start\n"
	"_start: mov %esp, %eax\n"
	"and $-16, %esp\n"
	"sub $12, %esp\n"
	"push %eax\n"
	"call begin\n");
