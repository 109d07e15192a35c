/*
 * Calls seen in windows are kept in separate books, by thread, because they are scaled by each
 * thread's own time in the windows.
 */
#include "cmd/calls-engine.h"

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

bool sprof_calls_engine_take(
	struct sprof_calls_engine *engine, const struct sprof_trace_event *event)
{
	return note_stop(engine, event) &&
		sprof_activations_take(
			engine->in_windows ? engine->in_windows : engine->activations, event);
}

bool sprof_calls_engine_gap(struct sprof_calls_engine *engine, uint64_t until_ns)
{
	return sprof_activations_gap(engine->activations, until_ns);
}

bool sprof_calls_engine_close(struct sprof_calls_engine *engine, uint64_t begin_ns, uint64_t end_ns)
{
	if (!sprof_activations_close(engine->activations, end_ns))
		return false;
	return !engine->in_windows ||
		(sprof_activations_close(engine->in_windows, end_ns) &&
			sprof_calls_windows_add(&engine->windows, engine->in_windows,
				engine->activations, begin_ns, &engine->estimate));
}

void sprof_calls_engine_finish(struct sprof_calls_engine *engine)
{
	sprof_function_windows_finish(&engine->windows);
	sprof_activations_destroy(engine->activations);
	sprof_activations_destroy(engine->in_windows);
}
