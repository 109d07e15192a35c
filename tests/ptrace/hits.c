/*
 * Starts tests/targets/hits.c and talks with it.
 */
#include "tests/ptrace/hits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/breakpoints/breakpoints.h"
#include "tests/ptrace/code.h"
#include "tests/unit/check.h"

struct program hits_attach(void **state)
{
	struct program program = {.scene = *state};
	char *at;

	scene_start(program.scene, "hits", NULL);
	at = strchr(program.scene->line, ' ');
	strtol(at, &at, 10);
	for (int i = 0; i < ADDRESSES; i++)
		program.addresses[i] = strtoull(at, &at, 16);
	scene_attach(program.scene);
	return program;
}

struct sprof_process *hits_process(const struct scene *scene)
{
	size_t count;

	return sprof_target_processes(scene->target, &count)[0];
}

bool hits_insert(struct scene *scene, void *data)
{
	const uint64_t *address = data;

	return sprof_breakpoint_insert(hits_process(scene), *address, 1);
}

bool hits_remove_all(struct scene *scene, void *unused)
{
	size_t count;
	struct sprof_process **processes = sprof_target_processes(scene->target, &count);

	for (size_t i = 0; i < count; i++)
		sprof_breakpoints_remove(processes[i]);
	return true;
}

void hits_remove_and_compare(struct program *program)
{
	assert_true(scene_do(program->scene, hits_remove_all, NULL));
	expect_code_of_files(program->scene->pid);
}

void hits_put(struct program *program, enum function function)
{
	assert_true(scene_do(program->scene, hits_insert, &program->addresses[function]));
}

void hits_say(struct program *program, const char *what, enum function function, long calls)
{
	char line[64];

	snprintf(line, sizeof(line), "%s %d %ld", what, function, calls);
	scene_say(program->scene, line);
}

long hits_sum_of(enum function function, long calls)
{
	return calls * (calls - 1) / 2 + calls * function;
}

void hits_expect_result(struct program *program, long sum)
{
	char line[64];

	snprintf(line, sizeof(line), "result %ld", sum);
	scene_expect_line(program->scene, line);
	assert_int_equal(strncmp(program->scene->line, line, strlen(line)), 0);
}

size_t hits_take(struct program *program)
{
	const size_t hits = program->scene->hits;

	program->scene->hits = 0;
	return hits;
}
