/*
 * The plan of a thread's copies. Walks make it grow; only an exec shrinks it. Does not copy.
 */
#include "sampler/stack/plan.h"

enum {
	FIRST_COPY = 32 * 1024,
	FIRST_DEEP_COPY = 256 * 1024,
	FIRST_GOROUTINE_COPY = 1024 * 1024, /* room for the used part: its end is known */
	LARGEST_COPY = 8 * 1024 * 1024,     /* the usual stack limit */
};

void sprof_copy_plan_init(struct copy_plan *plan)
{
	*plan = (struct copy_plan){.size = FIRST_COPY};
}

void sprof_copy_plan_expect_all(struct copy_plan *plan)
{
	plan->size = LARGEST_COPY;
	plan->wants_system = true;
}

void sprof_copy_plan_expect_deep(struct copy_plan *plan)
{
	if (plan->size < FIRST_DEEP_COPY)
		plan->size = FIRST_DEEP_COPY;
}

static size_t grown(size_t size)
{
	return size < LARGEST_COPY / 4 ? 4 * size : LARGEST_COPY;
}

void sprof_copy_plan_grow(struct copy_plan *plan)
{
	plan->size = grown(plan->size);
}

void sprof_copy_plan_grow_goroutine(struct copy_plan *plan, bool wants_system)
{
	if (wants_system && !plan->wants_system)
		plan->wants_system = true;
	else
		plan->goroutine_size = grown(plan->goroutine_size);
}

void sprof_copy_plan_expect_goroutine(struct copy_plan *plan, bool wants_system)
{
	plan->wants_system |= wants_system;
	if (!plan->goroutine_size)
		plan->goroutine_size =
			plan->size > FIRST_GOROUTINE_COPY ? plan->size : FIRST_GOROUTINE_COPY;
}

void sprof_copy_plan_forget_program(struct copy_plan *plan)
{
	plan->home_end = plan->home_sp = plan->goroutine_size = 0;
	plan->wants_system = false;
}

void sprof_copy_plan_set_home(struct copy_plan *plan, uint64_t end, uint64_t sp)
{
	plan->home_end = end;
	plan->home_sp = sp;
}

size_t sprof_copy_plan_largest(const struct copy_plan *plan)
{
	return plan->goroutine_size > plan->size ? plan->goroutine_size : plan->size;
}
