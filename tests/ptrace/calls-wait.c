/* Calls that wait: for time, events, locks, messages, signals and processes. calls-transfer.c has those that move data. */
#include "tests/ptrace/calls.h"

#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct timespec span = {.tv_nsec = SPAN_MS * 1000000L};

static struct timespec at_end_of_span(clockid_t clock)
{
	struct timespec at;

	clock_gettime(clock, &at);
	at.tv_sec += (at.tv_nsec + span.tv_nsec) / 1000000000;
	at.tv_nsec = (at.tv_nsec + span.tv_nsec) % 1000000000;
	return at;
}

/* Time. */

static long make_nanosleep(struct stage *stage)
{
	return calls_result(syscall(SYS_nanosleep, &span, NULL));
}

static long make_nanosleep_with_rem(struct stage *stage)
{
	struct timespec rem = {.tv_nsec = -1};
	long result = calls_result(syscall(SYS_nanosleep, &span, &rem));

	stage->said->has_rem = rem.tv_nsec != -1;
	return result;
}

static long make_clock_nanosleep(struct stage *stage)
{
	return calls_result(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &span, NULL));
}

static long make_absolute_sleep(struct stage *stage)
{
	const struct timespec until = at_end_of_span(CLOCK_MONOTONIC);

	return calls_result(
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL));
}

/* Descriptors. */

static void prepare_epoll(struct stage *stage)
{
	struct epoll_event event = {.events = EPOLLIN};

	prepare_pipe(stage);
	stage->file = epoll_create1(EPOLL_CLOEXEC);
	calls_require(!epoll_ctl(stage->file, EPOLL_CTL_ADD, stage->in, &event), "epoll_ctl");
}

static long make_poll(struct stage *stage)
{
	struct pollfd in = {.fd = stage->in, .events = POLLIN};

	return calls_result(poll(&in, 1, -1));
}

static long make_timed_poll(struct stage *stage)
{
	return calls_result(poll(NULL, 0, SPAN_MS));
}

static long make_ppoll(struct stage *stage)
{
	struct timespec left = span;

	return calls_result(syscall(SYS_ppoll, NULL, 0, &left, NULL, 0));
}

static long make_select(struct stage *stage)
{
	struct timeval left = {.tv_usec = SPAN_MS * 1000};

	return calls_result(select(0, NULL, NULL, NULL, &left));
}

static long make_epoll(struct stage *stage)
{
	struct epoll_event event;

	return calls_result(epoll_wait(stage->file, &event, 1, -1));
}

static long make_timed_epoll(struct stage *stage)
{
	struct epoll_event event;

	return calls_result(epoll_wait(stage->file, &event, 1, SPAN_MS));
}

/* Completions: of a poll of the pipe, which both ways can be asked for. */

static aio_context_t set_up_aio(const struct stage *stage)
{
	struct iocb poll_in = {.aio_lio_opcode = IOCB_CMD_POLL,
		.aio_fildes = (uint32_t)stage->in,
		.aio_buf = POLLIN};
	struct iocb *list[] = {&poll_in};
	aio_context_t context = 0;

	calls_require(!syscall(SYS_io_setup, 4, &context), "io_setup");
	calls_require(syscall(SYS_io_submit, context, 1, list) == 1, "io_submit");
	return context;
}

static long make_io_getevents(struct stage *stage)
{
	struct io_event event;

	return calls_result(syscall(SYS_io_getevents, set_up_aio(stage), 1, 1, &event, NULL));
}

static long make_timed_io_getevents(struct stage *stage)
{
	struct timespec left = span;
	struct io_event event;

	return calls_result(syscall(SYS_io_getevents, set_up_aio(stage), 1, 1, &event, &left));
}

static void submit(int ring, const struct io_uring_params *parameters, int descriptor)
{
	uint8_t *rings = mmap(NULL, parameters->sq_off.array + sizeof(uint32_t),
		PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	struct io_uring_sqe *entry = mmap(NULL, parameters->sq_entries * sizeof(*entry),
		PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);

	calls_require(rings != MAP_FAILED && (void *)entry != MAP_FAILED, "mmap a ring");
	*entry = (struct io_uring_sqe){
		.opcode = IORING_OP_POLL_ADD, .fd = descriptor, .poll_events = POLLIN};
	*(uint32_t *)(void *)(rings + parameters->sq_off.array) = 0;
	atomic_store((_Atomic uint32_t *)(void *)(rings + parameters->sq_off.tail), 1);
	calls_require(syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0) == 1, "io_uring_enter");
}

static long make_io_uring_enter(struct stage *stage)
{
	struct io_uring_params parameters = {0};
	int ring = (int)syscall(SYS_io_uring_setup, 4, &parameters);

	calls_require(ring >= 0, "io_uring_setup");
	submit(ring, &parameters, stage->in);
	return calls_result(
		syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0));
}

static long make_timed_io_uring_enter(struct stage *stage)
{
	struct __kernel_timespec left = {.tv_nsec = span.tv_nsec};
	struct io_uring_getevents_arg argument = {.ts = (uint64_t)(uintptr_t)&left};
	struct io_uring_params parameters = {0};
	int ring = (int)syscall(SYS_io_uring_setup, 4, &parameters);

	calls_require(ring >= 0, "io_uring_setup");
	if (!(parameters.features & IORING_FEAT_EXT_ARG))
		return -ENOSYS;
	return calls_result(syscall(SYS_io_uring_enter, ring, 0, 1,
		IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument, sizeof(argument)));
}

/* Locks. */

static long make_futex(struct stage *stage)
{
	return calls_result(syscall(SYS_futex, &stage->said->word, FUTEX_WAIT, 0, NULL, NULL, 0));
}

static long make_timed_futex(struct stage *stage)
{
	return calls_result(syscall(SYS_futex, &stage->said->word, FUTEX_WAIT, 0, &span, NULL, 0));
}

static void end_futex(struct stage *stage)
{
	calls_require(
		syscall(SYS_futex, &stage->said->word, FUTEX_WAKE, 1, NULL, NULL, 0) == 1, "futex");
}

static void prepare_lock(struct stage *stage)
{
	prepare_file(stage);
	snprintf(stage->path, sizeof(stage->path), "/proc/self/fd/%d", stage->file);
	calls_require(!flock(stage->file, LOCK_EX), "flock");
}

static long make_flock(struct stage *stage)
{
	return calls_result(flock(open(stage->path, O_RDWR), LOCK_EX));
}

static void end_flock(struct stage *stage)
{
	calls_require(!flock(stage->file, LOCK_UN), "flock");
}

static void prepare_record_lock(struct stage *stage)
{
	struct flock lock = {.l_type = F_WRLCK};

	prepare_file(stage);
	calls_require(!fcntl(stage->file, F_SETLK, &lock), "fcntl");
}

static long make_record_lock(struct stage *stage)
{
	struct flock lock = {.l_type = F_WRLCK};

	return calls_result(fcntl(stage->file, F_SETLKW, &lock));
}

static void end_record_lock(struct stage *stage)
{
	struct flock lock = {.l_type = F_UNLCK};

	calls_require(!fcntl(stage->file, F_SETLK, &lock), "fcntl");
}

/* Semaphores and messages. */

static void prepare_semaphore(struct stage *stage)
{
	stage->id = semget(IPC_PRIVATE, 1, 0600);
	calls_require(stage->id >= 0, "semget");
}

static long make_semop(struct stage *stage)
{
	struct sembuf down = {.sem_op = -1};
	long result = calls_result(syscall(SYS_semop, stage->id, &down, 1));

	semctl(stage->id, 0, IPC_RMID);
	return result;
}

static void end_semop(struct stage *stage)
{
	struct sembuf up = {.sem_op = 1};

	calls_require(!semop(stage->id, &up, 1), "semop");
}

static long make_semtimedop(struct stage *stage)
{
	struct sembuf down = {.sem_op = -1};
	long result = calls_result(syscall(SYS_semtimedop, stage->id, &down, 1, &span));

	semctl(stage->id, 0, IPC_RMID);
	return result;
}

struct message {
	long type;
	char text[8];
};

static const struct message a_message = {.type = 1};

static void prepare_queue(struct stage *stage)
{
	stage->id = msgget(IPC_PRIVATE, 0600);
	calls_require(stage->id >= 0, "msgget");
}

static void prepare_full_queue(struct stage *stage)
{
	prepare_queue(stage);
	while (!msgsnd(stage->id, &a_message, sizeof(a_message.text), IPC_NOWAIT))
		;
}

static long make_msgrcv(struct stage *stage)
{
	struct message message;
	long result = calls_result(msgrcv(stage->id, &message, sizeof(message.text), 0, 0));

	msgctl(stage->id, IPC_RMID, NULL);
	return result;
}

static long make_msgsnd(struct stage *stage)
{
	long result = calls_result(msgsnd(stage->id, &a_message, sizeof(a_message.text), 0));

	msgctl(stage->id, IPC_RMID, NULL);
	return result;
}

static void end_msgrcv(struct stage *stage)
{
	calls_require(!msgsnd(stage->id, &a_message, sizeof(a_message.text), 0), "msgsnd");
}

static void end_msgsnd(struct stage *stage)
{
	struct message message;

	calls_require(msgrcv(stage->id, &message, sizeof(message.text), 0, 0) >= 0, "msgrcv");
}

static long make_mq_timedreceive(struct stage *stage)
{
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
	const struct timespec until = at_end_of_span(CLOCK_REALTIME);
	char name[32], text[8];
	mqd_t queue;

	snprintf(name, sizeof(name), "/sprof-calls-%d", getpid());
	queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
	calls_require(queue >= 0 && !mq_unlink(name), "mq_open");
	return calls_result(mq_timedreceive(queue, text, sizeof(text), NULL, &until));
}

/* Signals. */

static sigset_t user_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return set;
}

static void handle(int number)
{
}

static long make_sigwaitinfo(struct stage *stage)
{
	sigset_t set = user_signal();

	sigprocmask(SIG_BLOCK, &set, NULL);
	return calls_result(syscall(SYS_rt_sigtimedwait, &set, NULL, NULL, 8));
}

static long make_sigtimedwait(struct stage *stage)
{
	sigset_t set = user_signal();

	sigprocmask(SIG_BLOCK, &set, NULL);
	return calls_result(syscall(SYS_rt_sigtimedwait, &set, NULL, &span, 8));
}

static long make_sigsuspend(struct stage *stage)
{
	sigset_t set = user_signal();

	signal(SIGUSR1, handle);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigemptyset(&set);
	return calls_result(sigsuspend(&set));
}

static long make_pause(struct stage *stage)
{
	signal(SIGUSR1, handle);
	return calls_result(pause());
}

static void end_by_signal(struct stage *stage)
{
	calls_require(!kill(stage->child, SIGUSR1), "kill");
}

/* Processes: a child that reads a byte and ends. */

static void bear(const struct stage *stage)
{
	char byte;

	if (fork())
		return;
	_exit(read(stage->in, &byte, 1) != 1);
}

static long make_wait4(struct stage *stage)
{
	bear(stage);
	return calls_result(wait4(-1, NULL, 0, NULL)) > 0;
}

static long make_waitid(struct stage *stage)
{
	siginfo_t info;

	bear(stage);
	return calls_result(waitid(P_ALL, 0, &info, WEXITED));
}

/* As vfork(2), with a stack of its own for the child. */
static int read_and_end(void *stage)
{
	char byte;

	_exit(read(((struct stage *)stage)->in, &byte, 1) != 1);
}

static long make_vfork(struct stage *stage)
{
	static char stack[1 << 16] __attribute__((aligned(16)));

	return calls_result(clone(read_and_end, stack + sizeof(stack),
		       CLONE_VM | CLONE_VFORK | SIGCHLD, stage)) > 0;
}

const struct call wait_calls[] = {
	{"nanosleep without rem", EFFECT_GOES_ON, "kernel/time/hrtimer.c", SYS_nanosleep, 0, NULL,
		make_nanosleep, .is_timed = true},
	{"nanosleep with rem", EFFECT_REM, "kernel/time/hrtimer.c", SYS_nanosleep, 0, NULL,
		make_nanosleep_with_rem, .is_timed = true},
	{"clock_nanosleep", EFFECT_GOES_ON, "kernel/time/hrtimer.c", SYS_clock_nanosleep, 0, NULL,
		make_clock_nanosleep, .is_timed = true},
	{"clock_nanosleep with TIMER_ABSTIME", EFFECT_GOES_ON, "kernel/time/hrtimer.c",
		SYS_clock_nanosleep, 0, NULL, make_absolute_sleep, .is_timed = true},
	{"poll", EFFECT_GOES_ON, "fs/select.c", SYS_poll, 1, prepare_pipe, make_poll, end_by_byte},
	{"poll with a time-out", EFFECT_GOES_ON, "fs/select.c", SYS_poll, 0, NULL, make_timed_poll,
		.is_timed = true},
	{"ppoll with a time-out", EFFECT_GOES_ON, "fs/select.c", SYS_ppoll, 0, NULL, make_ppoll,
		.is_timed = true},
	{"select with a time-out", EFFECT_GOES_ON, "fs/select.c", SYS_pselect6, 0, NULL,
		make_select, .is_timed = true},
	{"epoll_wait", EFFECT_GOES_ON, "fs/eventpoll.c", SYS_epoll_wait, 1, prepare_epoll,
		make_epoll, end_by_byte},
	{"epoll_wait with a time-out", EFFECT_ANEW, "fs/eventpoll.c", SYS_epoll_wait, 0,
		prepare_epoll, make_timed_epoll, .is_timed = true},
	{"io_getevents", EFFECT_GOES_ON, "fs/aio.c", SYS_io_getevents, 1, prepare_pipe,
		make_io_getevents, end_by_byte},
	{"io_getevents with a time-out", EFFECT_ANEW, "fs/aio.c", SYS_io_getevents, 0, prepare_pipe,
		make_timed_io_getevents, .is_timed = true},
	{"io_uring_enter", EFFECT_GOES_ON, "io_uring/io_uring.c", SYS_io_uring_enter, 0,
		prepare_pipe, make_io_uring_enter, end_by_byte},
	{"io_uring_enter with a time-out", EFFECT_ANEW, "io_uring/io_uring.c", SYS_io_uring_enter,
		-ETIME, NULL, make_timed_io_uring_enter, .is_timed = true},
	{"futex", EFFECT_GOES_ON, "kernel/futex/waitwake.c", SYS_futex, 0, NULL, make_futex,
		end_futex},
	{"futex with a time-out", EFFECT_GOES_ON, "kernel/futex/waitwake.c", SYS_futex, -ETIMEDOUT,
		NULL, make_timed_futex, .is_timed = true},
	{"flock", EFFECT_GOES_ON, "fs/locks.c", SYS_flock, 0, prepare_lock, make_flock, end_flock},
	{"fcntl with F_SETLKW", EFFECT_GOES_ON, "fs/locks.c", SYS_fcntl, 0, prepare_record_lock,
		make_record_lock, end_record_lock},
	{"semop", EFFECT_GOES_ON, "ipc/sem.c", SYS_semop, 0, prepare_semaphore, make_semop,
		end_semop},
	{"semtimedop", EFFECT_ANEW, "ipc/sem.c", SYS_semtimedop, -EAGAIN, prepare_semaphore,
		make_semtimedop, .is_timed = true},
	{"msgrcv", EFFECT_GOES_ON, "ipc/msg.c", SYS_msgrcv, 8, prepare_queue, make_msgrcv,
		end_msgrcv},
	{"msgsnd", EFFECT_GOES_ON, "ipc/msg.c", SYS_msgsnd, 0, prepare_full_queue, make_msgsnd,
		end_msgsnd},
	{"mq_timedreceive", EFFECT_GOES_ON, "ipc/mqueue.c", SYS_mq_timedreceive, -ETIMEDOUT, NULL,
		make_mq_timedreceive, .is_timed = true},
	{"sigwaitinfo", EFFECT_GOES_ON, "kernel/signal.c", SYS_rt_sigtimedwait, SIGUSR1, NULL,
		make_sigwaitinfo, end_by_signal},
	{"sigtimedwait", EFFECT_ANEW, "kernel/signal.c", SYS_rt_sigtimedwait, -EAGAIN, NULL,
		make_sigtimedwait, .is_timed = true},
	{"sigsuspend", EFFECT_GOES_ON, "kernel/signal.c", SYS_rt_sigsuspend, -EINTR, NULL,
		make_sigsuspend, end_by_signal},
	{"pause", EFFECT_GOES_ON, "kernel/signal.c", SYS_pause, -EINTR, NULL, make_pause,
		end_by_signal},
	{"wait4", EFFECT_GOES_ON, "kernel/exit.c", SYS_wait4, 1, prepare_pipe, make_wait4,
		end_by_byte},
	{"waitid", EFFECT_GOES_ON, "kernel/exit.c", SYS_waitid, 0, prepare_pipe, make_waitid,
		end_by_byte},
	{"vfork", EFFECT_NONE, "kernel/fork.c", SYS_clone, 1, prepare_pipe, make_vfork,
		end_by_byte},
	{"poll with a time-out, seccomp filter", EFFECT_ANEW, "kernel/signal.c", SYS_poll, 0, NULL,
		make_timed_poll, .is_timed = true, .is_filtered = true},
	{"nanosleep, seccomp filter", EFFECT_ANEW, "kernel/signal.c", SYS_nanosleep, 0, NULL,
		make_nanosleep, .is_timed = true, .is_filtered = true},
	{"futex with a time-out, seccomp filter", EFFECT_ANEW, "kernel/signal.c", SYS_futex,
		-ETIMEDOUT, NULL, make_timed_futex, .is_timed = true, .is_filtered = true},
};

const size_t wait_call_count = sizeof(wait_calls) / sizeof(wait_calls[0]);
