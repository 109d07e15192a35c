/*
 * Calls that wait, a few ms each time: how often each was broken off or failed, and that none came
 * back too soon. The many that one program makes at once are in tests/targets/eintr.c; these are the ones
 * with a process, a file or a terminal at their other end.
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/behaviours/behaviour.h"

enum { WAIT_MS = 3 };

static int repeat(wait_function *wait)
{
	return count_waits(wait, (WAIT_MS - 1) * INT64_C(1000000));
}

/* When a wait is over, by the clock that the timed ones of the C library use. */
static struct timespec in_a_while(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += WAIT_MS * 1000000;
	if (time.tv_nsec >= 1000000000) {
		time.tv_nsec -= 1000000000;
		time.tv_sec++;
	}
	return time;
}

static const struct timespec a_while = {.tv_nsec = WAIT_MS * 1000000};

static int sleep_once(void)
{
	return nanosleep(&a_while, NULL);
}

static int sleep_until_once(void)
{
	const struct timespec end = in_a_while(CLOCK_MONOTONIC);

	errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
	return errno ? -1 : 0;
}

static int semaphore_once(void)
{
	const struct timespec end = in_a_while(CLOCK_REALTIME);
	sem_t semaphore;

	sem_init(&semaphore, 0, 0);
	return sem_timedwait(&semaphore, &end);
}

static int condition_once(void)
{
	static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	const struct timespec end = in_a_while(CLOCK_REALTIME);

	pthread_mutex_lock(&mutex);
	errno = pthread_cond_timedwait(&condition, &mutex, &end);
	pthread_mutex_unlock(&mutex);
	return errno ? -1 : 0;
}

static int queue_once(void)
{
	static mqd_t queue = (mqd_t)-1;
	const struct timespec end = in_a_while(CLOCK_REALTIME);
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
	char name[32], text[8];

	snprintf(name, sizeof(name), "/behaviours-%d", (int)getpid());
	if (queue == (mqd_t)-1) {
		queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
		MUST(queue != (mqd_t)-1 && mq_unlink(name) == 0);
	}
	return (int)mq_timedreceive(queue, text, sizeof(text), NULL, &end);
}

static int timer_once(void)
{
	const struct itimerspec timer = {.it_value = a_while};
	static int fd = -1;
	uint64_t expired;

	if (fd < 0)
		fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	MUST(timerfd_settime(fd, 0, &timer, NULL) == 0);
	return read(fd, &expired, sizeof(expired)) == sizeof(expired) ? 0 : -1;
}

static int epoll_once(void)
{
	static int epoll = -1;
	struct epoll_event event;

	if (epoll < 0)
		epoll = epoll_create1(EPOLL_CLOEXEC);
	return epoll_wait(epoll, &event, 1, WAIT_MS);
}

static int semtimedop_once(void)
{
	static int set = -1;
	struct sembuf down = {.sem_op = -1};
	int result, error;

	set = semget(IPC_PRIVATE, 1, 0600);
	result = semtimedop(set, &down, 1, &a_while);
	error = errno;
	semctl(set, 0, IPC_RMID);
	errno = error;
	return result;
}

/* The other end is a child, which lets go after a while. */

static int pipe_ends[2];

static int nap(void)
{
	nanosleep(&a_while, NULL);
	return 0;
}

static int wait_once(void)
{
	return waitpid(child_of(nap), NULL, 0);
}

static int waitid_once(void)
{
	siginfo_t info;

	child_of(nap);
	return waitid(P_ALL, 0, &info, WEXITED);
}

static int write_after_a_while(void)
{
	nap();
	return write(pipe_ends[1], "x", 1) == 1 ? 0 : 1;
}

static int read_once(void)
{
	pid_t child;
	char byte;
	int result;

	if (pipe_ends[1] == 0)
		MUST(pipe(pipe_ends) == 0);
	child = child_of(write_after_a_while);
	result = (int)read(pipe_ends[0], &byte, 1);
	reap(child);
	return result;
}

static int lock_file = -1;

static int hold_flock(void)
{
	int fd = open("lock", O_RDWR | O_CLOEXEC);

	MUST(flock(fd, LOCK_EX) == 0 && write(pipe_ends[1], "x", 1) == 1);
	return nap();
}

static int hold_record(void)
{
	struct flock lock = {.l_type = F_WRLCK};

	MUST(fcntl(lock_file, F_SETLKW, &lock) == 0 && write(pipe_ends[1], "x", 1) == 1);
	return nap();
}

static pid_t start_holder(int (*hold)(void))
{
	pid_t child;
	char byte;

	if (lock_file < 0) {
		lock_file = open("lock", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
		MUST(lock_file >= 0 && pipe(pipe_ends) == 0);
	}
	child = child_of(hold);
	MUST(read(pipe_ends[0], &byte, 1) == 1);
	return child;
}

static int flock_once(void)
{
	pid_t child = start_holder(hold_flock);
	int result = flock(lock_file, LOCK_EX);

	flock(lock_file, LOCK_UN);
	reap(child);
	return result;
}

static int record_once(void)
{
	struct flock lock = {.l_type = F_WRLCK};
	pid_t child = start_holder(hold_record);
	int result = fcntl(lock_file, F_SETLKW, &lock);

	lock.l_type = F_UNLCK;
	fcntl(lock_file, F_SETLKW, &lock);
	reap(child);
	return result;
}

static int open_for_writing(void)
{
	nap();
	return close(open("fifo", O_WRONLY | O_CLOEXEC));
}

static int open_once(void)
{
	pid_t child;
	int fd;

	if (access("fifo", F_OK) < 0)
		MUST(mkfifo("fifo", 0600) == 0);
	errno = 0;
	child = child_of(open_for_writing);
	fd = open("fifo", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	close(fd);
	reap(child);
	return 0;
}

static int make_file(void)
{
	nap();
	return close(open("new-file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

static int inotify_once(void)
{
	char events[4096];
	int fd = inotify_init1(IN_CLOEXEC), result;
	pid_t child;

	MUST(fd >= 0 && inotify_add_watch(fd, ".", IN_CREATE) >= 0);
	child = child_of(make_file);
	result = (int)read(fd, events, sizeof(events));
	close(fd);
	reap(child);
	unlink("new-file");
	return result;
}

static void *join_after_a_while(void *unused)
{
	nap();
	return unused;
}

static int join_once(void)
{
	errno = pthread_join(thread_of(join_after_a_while), NULL);
	return errno ? -1 : 0;
}

static int naps(void)
{
	return repeat(sleep_once);
}

static int absolute_naps(void)
{
	return repeat(sleep_until_once);
}

static int semaphores(void)
{
	return repeat(semaphore_once);
}

static int conditions(void)
{
	return repeat(condition_once);
}

static int message_queues(void)
{
	return repeat(queue_once);
}

static int timers(void)
{
	return repeat(timer_once);
}

static int epolls(void)
{
	return repeat(epoll_once);
}

static int semtimedops(void)
{
	return repeat(semtimedop_once);
}

static int waits_for_children(void)
{
	return repeat(wait_once);
}

static int waitids(void)
{
	return repeat(waitid_once);
}

static int pipe_reads(void)
{
	return repeat(read_once);
}

static int flocks(void)
{
	return repeat(flock_once);
}

static int record_locks(void)
{
	return repeat(record_once);
}

static int fifo_opens(void)
{
	return repeat(open_once);
}

static int inotifies(void)
{
	return repeat(inotify_once);
}

static int joins(void)
{
	return repeat(join_once);
}

const struct behaviour wait_behaviours[] = {
	{"naps", naps},
	{"absolute-naps", absolute_naps},
	{"semaphores", semaphores},
	{"conditions", conditions},
	{"message-queues", message_queues},
	{"timers", timers},
	{"epolls", epolls},
	{"semtimedops", semtimedops},
	{"waits-for-children", waits_for_children},
	{"waitids", waitids},
	{"pipe-reads", pipe_reads},
	{"flocks", flocks},
	{"record-locks", record_locks},
	{"fifo-opens", fifo_opens},
	{"inotifies", inotifies},
	{"joins", joins},
	{NULL, NULL},
};
