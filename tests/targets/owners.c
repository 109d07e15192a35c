/*
 * Threads and processes that begin, work, end and execute programs as a plan says, and a log of what each
 * has done: `owners LOG PLAN`. A plan is words with blanks between them, about the threads of its process,
 * which count from 0 in the order of their births:
 *
 *   cNAME          starts a thread of that name
 *   wK:N           thread K makes N steps, beside the others
 *   nK:NAME        it has another name from now on
 *   eK, EK         it ends; with e, that is waited for
 *   hK             thread K follows the plan from now on
 *   fNAME(PLAN)    starts a process, whose only thread has that name
 *   r              waits for the end of all processes that were started
 *   xK:NAME(PLAN)  when all others wait, thread K executes this program, and ends them so
 *
 * At the end of a plan all threads wait, and the process ends with them. The log has a line for each
 * thread, of which an exec makes no other one: "PID TID NAME STEPS KIND SLICES"; the last is how often it
 * has got a CPU since the first program began. With OWNERS_NAP in the environment, it sleeps in each step.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { ACTORS = 64, NAME_SIZE = 16, WORD_SIZE = 64 };

enum command { WORK, RENAME, END, LEAD, EXECUTE };

struct actor {
	pid_t tid;
	char name[NAME_SIZE];
	long steps;
	pthread_t thread;
	/* For the thread that follows the plan: whether its last command is still to be waited for. */
	bool is_alive, is_busy, is_first;
	enum command command;
	long number;
	char new_name[NAME_SIZE];
	sem_t wake, done;
};

static struct actor actors[ACTORS];
static size_t actor_count;
static char program[4096];
static const char *log_path;
static bool naps;
static long first_slices; /* of the first thread, before */
static const char *plan;  /* what is left of it */
static char *next_plan;   /* of the program to be executed */

/* Called once a step: what is counted. */
static MEASURED void owners_step(void)
{
	void *volatile piece = malloc(24);

	if (!piece)
		target_fail("malloc");
	syscall(SYS_getppid);
	if (naps)
		usleep(1);
	free(piece);
}

/* The number of its timeslices (Documentation/scheduler/sched-stats.rst); 0: unknown. */
static long slices_of(pid_t tid)
{
	char path[64];
	long slices = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", (int)tid);
	file = fopen(path, "re");
	if (file && fscanf(file, "%*s %*s %ld", &slices) != 1)
		slices = 0;
	if (file)
		fclose(file);
	return slices;
}

static void write_log(const struct actor *actor, const char *kind)
{
	char line[128];
	const int fd = open(log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	const long before = actor->is_first ? first_slices : 0;
	const int length = snprintf(line, sizeof(line), "%d %d %s %ld %s %ld\n", (int)getpid(),
		(int)actor->tid, actor->name, actor->steps, kind, slices_of(actor->tid) - before);

	if (fd < 0 || write(fd, line, (size_t)length) != length || close(fd))
		target_fail("write the log");
}

static void copy_name(char to[NAME_SIZE], const char *name)
{
	const size_t length = strnlen(name, NAME_SIZE - 1);

	memmove(to, name, length);
	to[length] = '\0';
}

static void take_name(struct actor *actor, const char *name)
{
	copy_name(actor->name, name);
	if (prctl(PR_SET_NAME, actor->name))
		target_fail("prctl");
}

static void follow_plan(struct actor *self);

/* The thread becomes the process's only one. */
static _Noreturn void execute(const struct actor *self)
{
	char steps[24], before[24];

	for (size_t i = 0; i < actor_count; i++) {
		if (actors[i].is_alive && &actors[i] != self)
			write_log(&actors[i], actors[i].tid == getpid() ? "superseded" : "killed");
	}
	snprintf(steps, sizeof(steps), "%ld", self->steps);
	snprintf(before, sizeof(before), "%ld", self->is_first ? first_slices : 0);
	execl(program, "owners", log_path, next_plan, self->new_name, steps, before, (char *)NULL);
	target_fail("execl");
}

/* False: it has ended. */
static bool obey(struct actor *self)
{
	switch (self->command) {
	case WORK:
		for (long i = 0; i < self->number; i++)
			owners_step();
		self->steps += self->number;
		return true;
	case RENAME:
		take_name(self, self->new_name);
		return true;
	case LEAD:
		self->is_busy = false;
		follow_plan(self);
		return true;
	case EXECUTE:
		execute(self);
	case END:
		break;
	}
	write_log(self, "ended");
	return false;
}

static void serve(struct actor *self)
{
	bool goes_on;

	do {
		while (sem_wait(&self->wake))
			;
		goes_on = obey(self);
		sem_post(&self->done);
	} while (goes_on);
}

static void *begin_thread(void *data)
{
	struct actor *self = data;

	self->tid = (pid_t)syscall(SYS_gettid);
	take_name(self, self->name);
	sem_post(&self->done);
	serve(self);
	return NULL;
}

static struct actor *add_actor(const char *name)
{
	struct actor *actor = &actors[actor_count++];

	if (actor_count > ACTORS)
		target_fail("too many threads");
	memset(actor, 0, sizeof(*actor));
	copy_name(actor->name, name);
	sem_init(&actor->wake, 0, 0);
	sem_init(&actor->done, 0, 0);
	actor->is_alive = true;
	return actor;
}

static void settle(struct actor *actor)
{
	while (actor->is_busy && sem_wait(&actor->done))
		;
	actor->is_busy = false;
}

static void settle_all(const struct actor *self)
{
	for (size_t i = 0; i < actor_count; i++) {
		if (&actors[i] != self)
			settle(&actors[i]);
	}
}

static void start_thread(const char *name)
{
	struct actor *actor = add_actor(name);

	actor->is_busy = true;
	errno = pthread_create(&actor->thread, NULL, begin_thread, actor);
	if (errno)
		target_fail("pthread_create");
}

/* Who follows the plan does what is its own at once. */
static void give(struct actor *self, struct actor *actor, enum command command)
{
	settle(actor);
	actor->command = command;
	if (actor == self) {
		obey(actor);
		return;
	}
	actor->is_busy = true;
	sem_post(&actor->wake);
}

static void end_thread(struct actor *self, struct actor *actor, bool waits)
{
	const pthread_t thread = actor->thread;
	const bool is_first = actor->tid == getpid();

	give(self, actor, END);
	if (waits || is_first)
		settle(actor);
	actor->is_alive = false;
	if (is_first)
		return;
	if (waits)
		pthread_join(thread, NULL);
	else
		pthread_detach(thread);
}

/* A copy of what is between the parentheses at the plan's begin, which moves behind them. */
static char *take_inner_plan(void)
{
	const char *begin = ++plan;
	int depth = 1;

	for (; depth; plan++)
		depth += (*plan == '(') - (*plan == ')');
	return strndup(begin, (size_t)(plan - begin) - 1);
}

/* The process's first thread. It goes on without it. */
static _Noreturn void begin_process(const char *name, long steps)
{
	struct actor *self;

	actor_count = 0;
	self = add_actor(name);
	self->tid = getpid();
	self->steps = steps;
	self->is_first = first_slices;
	take_name(self, self->name);
	follow_plan(self);
	sem_post(&self->done);
	serve(self);
	for (;;)
		syscall(SYS_exit, 0);
}

static void start_process(const char *name)
{
	char *inner = take_inner_plan();
	const pid_t pid = fork();

	if (pid < 0)
		target_fail("fork");
	if (!pid) {
		plan = inner;
		first_slices = 0;
		begin_process(name, 0);
	}
	free(inner);
}

static void reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, 0)) > 0 || errno == EINTR) {
		if (pid > 0 && status)
			target_fail("a child has failed");
	}
}

/* The word up to a blank or a parenthesis; the plan moves behind it. */
static void take_word(char word[WORD_SIZE])
{
	const size_t length = strcspn(plan, " ()");

	if (length >= WORD_SIZE)
		target_fail("a word too long");
	memcpy(word, plan, length);
	word[length] = '\0';
	plan += length;
}

static void do_word(struct actor *self, const char *word)
{
	char *value;
	struct actor *actor = &actors[strtoul(word + 1, &value, 10)];

	value += *value == ':';
	switch (word[0]) {
	case 'c':
		start_thread(word + 1);
		break;
	case 'f':
		start_process(word + 1);
		break;
	case 'r':
		reap();
		break;
	case 'w':
		settle(actor);
		actor->number = atol(value);
		give(self, actor, WORK);
		break;
	case 'n':
		settle(actor);
		copy_name(actor->new_name, value);
		give(self, actor, RENAME);
		break;
	case 'e':
	case 'E':
		end_thread(self, actor, word[0] == 'e');
		break;
	case 'x':
		next_plan = take_inner_plan();
		settle_all(self);
		copy_name(actor->new_name, value);
		give(self, actor, EXECUTE);
		break;
	default:
		target_fail("an unknown word");
	}
}

/* Returns when another thread follows it, or executes a program. */
static void follow_plan(struct actor *self)
{
	char word[WORD_SIZE];

	while (*plan) {
		if (*plan == ' ') {
			plan++;
			continue;
		}
		take_word(word);
		if (word[0] == 'h' && &actors[atoi(word + 1)] != self) {
			self->is_busy = true;
			give(self, &actors[atoi(word + 1)], LEAD);
			return;
		}
		if (word[0] != 'h')
			do_word(self, word);
		if (word[0] == 'x')
			return;
	}
	reap();
	settle_all(self);
	for (size_t i = 0; i < actor_count; i++) {
		if (actors[i].is_alive)
			write_log(&actors[i], "left");
	}
	_exit(0);
}

int main(int argc, char *argv[])
{
	if (argc < 3)
		return 64;
	/* Once the first thread has ended, the link leads nowhere. */
	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		target_fail("readlink");
	log_path = argv[1];
	plan = argv[2];
	naps = getenv("OWNERS_NAP");
	first_slices = target_number(argc, argv, 5, slices_of(getpid()));
	begin_process(argc > 3 ? argv[3] : "first", target_number(argc, argv, 4, 0));
}
