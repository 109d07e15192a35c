/*
 * Finds a thread's own stack. The main thread's has a name in maps. In other stacks, C libraries
 * put the thread pointer at the upper end; a thread that clone(2) made without a thread pointer has
 * no known stack.
 */
#include "events/functions/own-stack.h"

#include <string.h>

#include "base/maps-text.h"

static bool is_main_stack(const struct sprof_maps_line *line)
{
	static const char name[] = "[stack]";

	return line->path_length == sizeof(name) - 1 &&
		!strncmp(line->path, name, sizeof(name) - 1);
}

/* The main stack can grow down to the mapping below it. */
struct sprof_own_stack sprof_own_stack_find(
	const char *maps, const struct sprof_regs *regs, bool is_main)
{
	const uint64_t top = regs->thread_pointer;
	struct sprof_own_stack main_stack = {0}, of_pointer = {0};
	uint64_t before = 0;

	for (struct sprof_maps_line line; sprof_maps_parse_line(&maps, &line); before = line.end) {
		if (is_main_stack(&line))
			main_stack = (struct sprof_own_stack){.low = before, .high = line.end};
		else if (top >= line.start && top < line.end)
			of_pointer = (struct sprof_own_stack){.low = line.start, .high = top};
	}
	if (is_main && !sprof_own_stack_has(&of_pointer, regs->values[SPROF_REG_SP]))
		return main_stack;
	return of_pointer;
}
