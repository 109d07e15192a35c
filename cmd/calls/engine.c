/*
 * Calls seen in windows go to separate books, one per thread; each counts with the weight of its
 * window. Counts are then scaled by the thread's own running time in the windows, times by the
 * windows' share of the run. Does not estimate the error of each function: rarely called functions
 * have a larger one.
 */
#include "cmd/calls/engine.h"

#include <math.h>

#include "events/functions/activation-estimate.h"

static bool close_window(void *data, uint64_t now_ns)
{
	struct sprof_calls_engine *engine = data;
	struct sprof_activations_options options = engine->options;

	if (engine->in_windows)
		return sprof_activations_edge(engine->in_windows, now_ns);
	options.by_thread = true;
	engine->in_windows = sprof_activations_create(&options);
	return engine->in_windows && sprof_activations_edge(engine->activations, now_ns);
}

static void open_window(void *data, uint64_t weight)
{
	const struct sprof_calls_engine *engine = data;

	sprof_activations_weigh(engine->in_windows, weight);
}

bool sprof_calls_engine_init(struct sprof_calls_engine *engine,
	const struct sprof_activations_options *options, struct sprof_functions *functions,
	double share)
{
	*engine = (struct sprof_calls_engine){
		.options = *options,
		.activations = sprof_activations_create(options),
	};
	sprof_function_windows_init(&engine->windows,
		&(struct sprof_function_windows_options){
			.functions = functions,
			.share = share,
			.opened = open_window,
			.closed = close_window,
			.data = engine,
		});
	return engine->activations;
}

static bool note_stop(struct sprof_calls_engine *engine, const struct sprof_trace_event *event)
{
	if (event->type != SPROF_TRACE_PROBE && event->type != SPROF_TRACE_RETURN)
		return true;
	return sprof_function_windows_stop(
		&engine->windows, event, event->type == SPROF_TRACE_PROBE);
}

static struct sprof_activations *books_now(const struct sprof_calls_engine *engine)
{
	return engine->in_windows ? engine->in_windows : engine->activations;
}

bool sprof_calls_engine_take(
	struct sprof_calls_engine *engine, const struct sprof_trace_event *event)
{
	return note_stop(engine, event) && sprof_activations_take(books_now(engine), event);
}

bool sprof_calls_engine_leave(
	struct sprof_calls_engine *engine, uint32_t thread, uint64_t sp, uint64_t now_ns)
{
	return sprof_activations_leave(books_now(engine), thread, sp, now_ns);
}

bool sprof_calls_engine_gap(struct sprof_calls_engine *engine, uint64_t until_ns)
{
	return sprof_activations_gap(engine->activations, until_ns);
}

struct factors {
	const struct sprof_function_windows *windows;
	struct sprof_calls_windows *facts;
};

static struct sprof_activation_factors factors_of(void *data, uint32_t thread)
{
	const struct factors *factors = data;
	const struct sprof_calls_windows *facts = factors->facts;
	const struct sprof_duty *duty = &factors->windows->duty;
	double off_ns, own, seen;
	bool is_most;

	if (!facts->on_ns)
		return (struct sprof_activation_factors){1, 1};
	off_ns = fmax((double)facts->length_ns - (double)facts->on_ns, 0);
	own = sprof_function_windows_own(factors->windows, thread, &is_most);
	factors->facts->are_bounds |= is_most;
	seen = (double)duty->windows / duty->weights;
	return (struct sprof_activation_factors){
		.calls = seen + (own > 0 ? off_ns / own : 0),
		.time = seen + off_ns / duty->weighted_on_ns,
	};
}

/*
 * Adds the calls seen in windows, as an estimate, to those seen before. Returns false if out of
 * memory.
 */
static bool add_windows(const struct sprof_function_windows *windows,
	const struct sprof_activations *seen, struct sprof_activations *to, uint64_t begin_ns,
	struct sprof_calls_windows *ret)
{
	const struct sprof_duty *duty = &windows->duty;
	struct factors factors = {windows, ret};
	const struct sprof_activation_estimate estimate = {
		sprof_activations_books(seen), factors_of, &factors};

	*ret = (struct sprof_calls_windows){
		.since_ns = duty->begin_ns - begin_ns,
		.length_ns = windows->end_ns - duty->begin_ns,
		.count = duty->windows,
		.on_ns = duty->on_ns,
		.taken_ns = duty->taken_ns,
		.share = duty->share,
		.error = sprof_duty_error(duty),
	};
	return sprof_activations_add(to, &estimate);
}

bool sprof_calls_engine_close(struct sprof_calls_engine *engine, uint64_t begin_ns, uint64_t end_ns)
{
	if (!sprof_activations_close(engine->activations, end_ns))
		return false;
	return !engine->in_windows ||
		(sprof_activations_close(engine->in_windows, end_ns) &&
			add_windows(&engine->windows, engine->in_windows, engine->activations,
				begin_ns, &engine->estimate));
}

void sprof_calls_engine_finish(struct sprof_calls_engine *engine)
{
	sprof_function_windows_finish(&engine->windows);
	sprof_activations_destroy(engine->activations);
	sprof_activations_destroy(engine->in_windows);
}
