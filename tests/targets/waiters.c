/*
 * One thread for each kind of thing that a thread can wait for, in a function and under a name of its
 * own: `waiters`. The main thread has all locks, and ends when stdin is closed.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { LONG_S = 1000 };

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, recursive, inheriting, robust;
static pthread_mutex_t condition_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static mtx_t standard;
static int bytes[2], semaphores;

static struct timespec later(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_sec += LONG_S;
	return time;
}

static void wait_mutex(void)
{
	pthread_mutex_lock(&plain);
}

static void wait_timed_mutex(void)
{
	const struct timespec time = later(CLOCK_REALTIME);

	pthread_mutex_timedlock(&plain, &time);
}

static void wait_recursive(void)
{
	pthread_mutex_lock(&recursive);
}

static void wait_inheriting(void)
{
	pthread_mutex_lock(&inheriting);
}

static void wait_robust(void)
{
	pthread_mutex_lock(&robust);
}

static void wait_standard(void)
{
	mtx_lock(&standard);
}

static void wait_reader(void)
{
	pthread_rwlock_rdlock(&rwlock);
}

static void wait_writer(void)
{
	pthread_rwlock_wrlock(&rwlock);
}

static void wait_condition(void)
{
	pthread_mutex_lock(&condition_lock);
	pthread_cond_wait(&condition, &condition_lock);
}

static void wait_timed_condition(void)
{
	const struct timespec time = later(CLOCK_REALTIME);

	pthread_mutex_lock(&condition_lock);
	pthread_cond_timedwait(&condition, &condition_lock, &time);
}

static void wait_barrier(void)
{
	pthread_barrier_wait(&barrier);
}

static void wait_semaphore(void)
{
	sem_wait(&semaphore);
}

static void wait_sleep(void)
{
	sleep(LONG_S);
}

static void wait_point(void)
{
	const struct timespec time = later(CLOCK_MONOTONIC);

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static void wait_child(void)
{
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "offspring");
		pause();
	}
	waitpid(child, NULL, 0);
}

static void wait_poll(void)
{
	struct pollfd polled[] = {{bytes[0], POLLIN, 0}, {eventfd(0, 0), POLLIN, 0}};

	poll(polled, 2, -1);
}

static void wait_select(void)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(bytes[0], &set);
	select(bytes[0] + 1, &set, NULL, NULL, NULL);
}

static void wait_epoll(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	int epoll = epoll_create1(0);

	epoll_ctl(epoll, EPOLL_CTL_ADD, bytes[0], &event);
	epoll_wait(epoll, &event, 1, -1);
}

static void wait_timer(void)
{
	const struct itimerspec spec = {.it_value.tv_sec = LONG_S};
	int timer = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t count;

	timerfd_settime(timer, 0, &spec, NULL);
	if (read(timer, &count, sizeof(count)) < 0)
		target_fail("timer");
}

static void wait_accept(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int listening = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(listening, (void *)&address, sizeof(address)) || listen(listening, 1))
		target_fail("listen");
	accept(listening, NULL, NULL);
}

static void wait_datagram(void)
{
	struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int waiting = socket(AF_INET6, SOCK_DGRAM, 0);
	char byte;

	if (bind(waiting, (void *)&address, sizeof(address)))
		target_fail("bind");
	recv(waiting, &byte, 1, 0);
}

static void wait_unix(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "waiters.sock"};
	int listening = socket(AF_UNIX, SOCK_STREAM, 0);

	if (bind(listening, (void *)&address, sizeof(address)) || listen(listening, 1))
		target_fail("listen");
	accept(listening, NULL, NULL);
}

static void wait_file_lock(void)
{
	int one = open("waiters.lock", O_RDWR | O_CREAT, 0600),
	    other = open("waiters.lock", O_RDWR);

	flock(one, LOCK_EX);
	flock(other, LOCK_EX);
}

static void wait_fifo(void)
{
	if (mkfifo("waiters.fifo", 0600) || open("waiters.fifo", O_RDONLY) < 0)
		target_fail("waiters.fifo");
}

static void wait_semop(void)
{
	struct sembuf down = {.sem_op = -1};

	semop(semaphores, &down, 1);
}

static void wait_signal(void)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigwait(&set, &number);
}

static const struct waiter {
	const char *name;
	void (*wait)(void);
} waiters[] = {
	{"mutex", wait_mutex},
	{"timed-mutex", wait_timed_mutex},
	{"recursive", wait_recursive},
	{"inheriting", wait_inheriting},
	{"robust", wait_robust},
	{"standard", wait_standard},
	{"reader", wait_reader},
	{"writer", wait_writer},
	{"condition", wait_condition},
	{"timed-condition", wait_timed_condition},
	{"barrier", wait_barrier},
	{"semaphore", wait_semaphore},
	{"sleep", wait_sleep},
	{"point", wait_point},
	{"child", wait_child},
	{"poll", wait_poll},
	{"select", wait_select},
	{"epoll", wait_epoll},
	{"timer", wait_timer},
	{"accept", wait_accept},
	{"datagram", wait_datagram},
	{"unix", wait_unix},
	{"file-lock", wait_file_lock},
	{"fifo", wait_fifo},
	{"semop", wait_semop},
	{"signal", wait_signal},
};

static void *play(void *data)
{
	const struct waiter *waiter = data;

	prctl(PR_SET_NAME, waiter->name);
	waiter->wait();
	return NULL;
}

static void *join(void *data)
{
	prctl(PR_SET_NAME, "join");
	pthread_join(*(pthread_t *)data, NULL);
	return NULL;
}

static void make_locks(void)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attributes);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&inheriting, &attributes);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	mtx_init(&standard, mtx_plain);
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&semaphore, 0, 0);
}

static void take_locks(void)
{
	pthread_mutex_lock(&plain);
	pthread_mutex_lock(&recursive);
	pthread_mutex_lock(&inheriting);
	pthread_mutex_lock(&robust);
	mtx_lock(&standard);
	pthread_rwlock_wrlock(&rwlock);
}

int main(int argc, char *argv[])
{
	enum { COUNT = sizeof(waiters) / sizeof(waiters[0]) };
	pthread_t threads[COUNT], joiner;
	sigset_t set;

	target_init(&argc, argv);
	make_locks();
	take_locks();
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	if (pipe(bytes) < 0 || semaphores < 0)
		target_fail("pipe, semget");
	for (size_t i = 0; i < COUNT; i++) {
		if (pthread_create(&threads[i], NULL, play, (void *)&waiters[i]))
			target_fail("pthread_create");
	}
	if (pthread_create(&joiner, NULL, join, &threads[0]))
		target_fail("pthread_create");
	target_ready("%d", (int)getpid());
	target_wait_for_end();
	semctl(semaphores, 0, IPC_RMID);
	return 0;
}
