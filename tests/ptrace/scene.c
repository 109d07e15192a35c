/*
 * Programs and their tracing thread. Waits are for events, each with a limit; failures are failures
 * of the test that asked, so nothing here asserts in the tracing thread.
 */
#include "tests/ptrace/scene.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/unit/check.h"

uint64_t scene_limit_ns(void)
{
	const char *patience = getenv("SPROF_TEST_PATIENCE");

	return 60 * (patience ? strtoull(patience, NULL, 10) : 1) * SPROF_NS_PER_S;
}

static uint64_t limit_ns(void)
{
	return sprof_clock_now_ns() + scene_limit_ns();
}

/* The tracing thread. */

static bool create_target(struct scene *scene, void *unused)
{
	struct sprof_target_options options = {
		.follow_children = scene->follows,
		.holds = scene->holds,
		.modules = scene->modules,
	};

	sigemptyset(&options.child_mask);
	sigemptyset(&options.control);
	sigaddset(&options.control, SIGUSR2);
	scene->tracer = gettid();
	return sprof_target_create(&options, &scene->target, &scene->err);
}

static void *trace(void *data)
{
	struct scene *scene = data;

	for (;;) {
		sem_wait(&scene->todo);
		if (!scene->work)
			break;
		scene->result = scene->work(scene, scene->data);
		sem_post(&scene->done);
	}
	sprof_target_destroy(scene->target);
	return NULL;
}

bool scene_do(struct scene *scene, bool (*work)(struct scene *scene, void *data), void *data)
{
	scene->work = work;
	scene->data = data;
	sem_post(&scene->todo);
	sem_wait(&scene->done);
	return scene->result;
}

void scene_end_tracer(struct scene *scene)
{
	if (!scene->target)
		return;
	scene->work = NULL;
	sem_post(&scene->todo);
	pthread_join(scene->thread, NULL);
	scene->target = NULL;
}

static bool start_tracer(struct scene *scene)
{
	if (pthread_create(&scene->thread, NULL, trace, scene))
		return false;
	return scene_do(scene, create_target, NULL);
}

void scene_replace_tracer(struct scene *scene)
{
	scene_end_tracer(scene);
	wait_for_no_tracer(scene->pid);
	assert_true(start_tracer(scene));
}

static int create(void **state, bool follows, bool holds, bool reads)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	sigset_t blocked;

	assert_non_null(scene);
	*state = scene;
	scene->follows = follows;
	scene->holds = holds;
	scene->modules = reads ? sprof_modules_create() : NULL;
	scene->input = scene->output = -1;
	/* Before any thread starts, so that all of them leave the signals to the tracing one. */
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigaddset(&blocked, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &blocked, NULL);
	sem_init(&scene->todo, 0, 0);
	sem_init(&scene->done, 0, 0);
	return start_tracer(scene) ? 0 : -1;
}

int scene_create(void **state)
{
	return create(state, false, false, false);
}

int scene_create_following(void **state)
{
	return create(state, true, false, false);
}

int scene_create_holding(void **state)
{
	return create(state, true, true, false);
}

int scene_create_reading(void **state)
{
	return create(state, false, false, true);
}

static void close_pipes(struct scene *scene)
{
	if (scene->input >= 0)
		close(scene->input);
	if (scene->output >= 0)
		close(scene->output);
	scene->input = scene->output = -1;
}

int scene_destroy(void **state)
{
	struct scene *scene = *state;

	scene_end_tracer(scene);
	close_pipes(scene);
	if (scene->pid) {
		kill(scene->pid, SIGKILL);
		waitpid(scene->pid, NULL, __WALL);
	}
	sem_destroy(&scene->todo);
	sem_destroy(&scene->done);
	sprof_modules_destroy(scene->modules);
	free(scene);
	return 0;
}

/* What the tracing thread does to all threads at once. */

bool scene_interrupt_all(struct scene *scene, void *unused)
{
	size_t count;
	struct sprof_thread **threads = sprof_target_threads(scene->target, &count);

	for (size_t i = 0; i < count; i++) {
		if (threads[i]->phase != SPROF_THREAD_INTERRUPTED &&
			!sprof_thread_interrupt(threads[i]))
			return false;
	}
	return true;
}

bool scene_resume_all(struct scene *scene, void *unused)
{
	size_t count;
	struct sprof_thread **threads = sprof_target_threads(scene->target, &count);

	for (size_t i = 0; i < count; i++) {
		if (threads[i]->phase == SPROF_THREAD_STOPPED)
			sprof_thread_resume(threads[i]);
	}
	return true;
}

bool scene_all_listen(struct scene *scene)
{
	size_t count;
	struct sprof_thread **threads = sprof_target_threads(scene->target, &count);

	for (size_t i = 0; i < count; i++) {
		if (threads[i]->phase != SPROF_THREAD_LISTENING)
			return false;
	}
	return count > 0;
}

/* Starting programs. */

static char *target_path(const char *name)
{
	const char *folder = getenv("SPROF_TARGETS");
	char *path;

	assert_non_null(folder);
	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	return path;
}

/* Pipes for the program's standard input and output: ret[0] and ret[1] are its ends. */
static void make_pipes(struct scene *scene, int ret[2])
{
	int in[2], out[2];

	close_pipes(scene);
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	scene->input = in[1];
	scene->output = out[0];
	ret[0] = in[0];
	ret[1] = out[1];
}

void scene_start_command(struct scene *scene, char *const arguments[])
{
	sigset_t none;
	int ends[2];

	make_pipes(scene, ends);
	sigemptyset(&none);
	scene->pid = fork();
	if (!scene->pid) {
		dup2(ends[0], STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		sigprocmask(SIG_SETMASK, &none, NULL);
		execv(arguments[0], arguments);
		_exit(127);
	}
	assert_true(scene->pid > 0);
	close(ends[0]);
	close(ends[1]);
	scene_expect_line(scene, "ready");
}

void scene_start(struct scene *scene, const char *name, const char *argument)
{
	char *arguments[] = {target_path(name), argument ? strdup(argument) : NULL, NULL};

	scene_start_command(scene, arguments);
	free(arguments[0]);
	free(arguments[1]);
}

static bool launch(struct scene *scene, void *arguments)
{
	const struct sprof_launch how = {.arguments = arguments, .environment = environ};

	if (!sprof_target_launch(scene->target, &how, &scene->err))
		return false;
	scene->pid = sprof_target_pid(scene->target);
	return true;
}

/* A launched program inherits our standard streams: they are the pipes meanwhile. */
bool scene_try_launch(struct scene *scene, const char *path, const char *argument)
{
	char *arguments[] = {strdup(path), argument ? strdup(argument) : NULL, NULL};
	int ends[2], ours[2] = {dup(STDIN_FILENO), dup(STDOUT_FILENO)};
	bool launched;

	make_pipes(scene, ends);
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		fcntl(ours[i], F_SETFD, FD_CLOEXEC);
		dup2(ends[i], i);
	}
	launched = scene_do(scene, launch, arguments);
	for (int i = 0; i < 2; i++) {
		dup2(ours[i], i);
		close(ours[i]);
		close(ends[i]);
		free(arguments[i]);
	}
	return launched;
}

void scene_launch(struct scene *scene, const char *name, const char *argument)
{
	char *path = target_path(name);

	assert_true(scene_try_launch(scene, path, argument));
	free(path);
	assert_true(scene_do(scene, scene_resume_all, NULL));
	scene_expect_line(scene, "ready ");
}

static bool attach(struct scene *scene, void *unused)
{
	return sprof_target_attach(scene->target, scene->pid, &scene->err);
}

void scene_attach(struct scene *scene)
{
	if (!scene_do(scene, attach, NULL))
		fail_msg("%s; %s", scene->err.message, scene->err.hint);
}

/* Events. */

struct sprof_event scene_next_event(struct scene *scene, uint64_t deadline_ns)
{
	struct sprof_event event = sprof_target_next_event(scene->target, deadline_ns);

	if (event.kind == SPROF_EVENT_HELD && event.held == SPROF_HELD_BREAKPOINT)
		scene->hits++;
	else if (event.kind != SPROF_EVENT_TIMEOUT && scene->seen_count < SEEN_MAX) {
		scene->seen[scene->seen_count++] = (struct seen){
			.kind = event.kind,
			.id = event.thread ? event.thread->id : 0,
			.tid = event.thread ? event.thread->tid : 0,
			.phase = event.thread ? event.thread->phase : SPROF_THREAD_RUNNING,
			.mappings = event.kind == SPROF_EVENT_EXEC
				? event.thread->process->maps.count
				: 0,
		};
	}
	return event;
}

struct serving {
	bool (*is_over)(struct scene *scene);
};

static bool serve(struct scene *scene, void *data)
{
	const struct serving *serving = data;
	uint64_t limit = limit_ns();

	while (!serving->is_over(scene)) {
		uint64_t now = sprof_clock_now_ns();
		struct sprof_event event = scene_next_event(scene, now + SPROF_NS_PER_MS);

		sprof_event_answer(scene->target, &event);
		if (now > limit)
			return false;
	}
	return true;
}

void scene_serve(struct scene *scene, bool (*is_over)(struct scene *scene))
{
	struct serving serving = {is_over};

	assert_true(scene_do(scene, serve, &serving));
}

bool scene_is_empty(struct scene *scene)
{
	return scene_count(scene, SPROF_EVENT_EMPTY) > 0;
}

size_t scene_count(const struct scene *scene, enum sprof_event_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < scene->seen_count; i++)
		count += scene->seen[i].kind == kind;
	return count;
}

size_t scene_thread_count(const struct scene *scene)
{
	size_t count;

	sprof_target_threads(scene->target, &count);
	return count;
}

/* Lines. */

/* Takes what is there; true when the line is whole, or will never be. */
static bool read_line(struct scene *scene, int timeout_ms)
{
	struct pollfd output = {.fd = scene->output, .events = POLLIN};

	while (scene->line_length < LINE_SIZE - 1) {
		if (poll(&output, 1, timeout_ms) <= 0)
			return false;
		if (read(scene->output, &scene->line[scene->line_length], 1) != 1)
			return true;
		if (scene->line[scene->line_length] == '\n')
			return true;
		scene->line_length++;
	}
	return true;
}

static bool has_line(struct scene *scene)
{
	return read_line(scene, 0);
}

void scene_expect_line(struct scene *scene, const char *expected)
{
	scene->line_length = 0;
	if (scene->target && scene_thread_count(scene))
		scene_serve(scene, has_line);
	else
		assert_true(read_line(scene, (int)(scene_limit_ns() / SPROF_NS_PER_MS)));
	scene->line[scene->line_length] = '\0';
	if (strncmp(scene->line, expected, strlen(expected)) != 0)
		assert_string_equal(scene->line, expected);
}

void scene_say(struct scene *scene, const char *line)
{
	if (line) {
		dprintf(scene->input, "%s\n", line);
		return;
	}
	close(scene->input);
	scene->input = -1;
}
