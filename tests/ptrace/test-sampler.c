/*
 * sampler/sampler with a sink that runs out of memory: the run ends, and no sample is handed over with
 * a stack or a thread that the sink does not have.
 */
#include "sampler/sampler.h"

#include "tests/ptrace/scene.h"
#include "tests/unit/check.h"

struct short_sink {
	unsigned countdown; /* which call fails; 0: none does any more */
	uint32_t stacks;    /* ids given so far, from 1 */
	uint32_t threads, samples;
	bool failed, wrong;
};

static bool fails(struct short_sink *sink)
{
	bool failed = sink->countdown && --sink->countdown == 0;

	sink->failed |= failed;
	return failed;
}

static bool take_thread(void *data, const struct sprof_thread_record *record)
{
	struct short_sink *sink = data;

	if (fails(sink))
		return false;
	if (record->id < 32)
		sink->threads |= 1u << record->id;
	return true;
}

static bool take_stack(void *data, const struct sprof_stack_view *stack, uint32_t *ret_id)
{
	struct short_sink *sink = data;

	if (fails(sink))
		return false;
	*ret_id = ++sink->stacks;
	return true;
}

static bool take_sample(void *data, const struct sprof_sample *sample)
{
	struct short_sink *sink = data;

	if (!sample->stack || sample->stack > sink->stacks ||
		!(sink->threads & 1u << sample->thread))
		sink->wrong = true;
	sink->samples++;
	return !fails(sink);
}

static bool take_charge(void *data, uint32_t thread, const struct sprof_charge *charge)
{
	return !fails(data);
}

static enum sprof_order keep_on(void *data, const siginfo_t *info)
{
	return SPROF_ORDER_GO_ON;
}

static bool sample_all(struct scene *scene, void *data)
{
	struct short_sink *sink = data;
	struct sprof_sink calls = {.data = sink,
		.thread = take_thread,
		.stack = take_stack,
		.sample = take_sample,
		.charge = take_charge};
	const struct sprof_control control = {.signal = keep_on};
	const struct sprof_sampler_options options = {
		.rate_hz = 999, .duration_ns = scene_limit_ns()};
	const struct sprof_unwinder_options unwinding = {.max_depth = 100};
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_unwinder *unwinder = NULL;
	struct sprof_quality quality;
	bool sampled = modules &&
		sprof_unwinder_create(modules, &unwinding, &unwinder, &scene->err) &&
		sprof_sampler_run(&(struct sprof_sampler_parts){scene->target, modules, unwinder,
					  NULL, &calls, &control},
			&options, &quality, &scene->err);

	sprof_unwinder_destroy(unwinder);
	sprof_modules_destroy(modules);
	return sampled;
}

static void a_sink_without_memory_gets_no_sample_it_can_not_place(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "threads", "3");
	for (unsigned number = 1; number <= 24; number++) {
		struct short_sink sink = {.countdown = number};

		scene_attach(scene);
		assert_false(scene_do(scene, sample_all, &sink));
		assert_int_equal(scene->err.kind, SPROF_ERROR_NO_MEMORY);
		assert_true(sink.failed);
		assert_false(sink.wrong);
		scene_replace_tracer(scene);
	}
}

TEST_MAIN("sampler")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_sink_without_memory_gets_no_sample_it_can_not_place, scene_create,
			scene_destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
