/* A dump as one line of JSON. Unknown values are null. Control characters in names are replaced. */
#include <inttypes.h>
#include <unistd.h>

#include "base/syscall-name.h"
#include "cmd/dump/dump.h"
#include "cmd/dump/locals.h"
#include "output/json.h"

static void add_name(struct sprof_json *json, const char *key, const char *text)
{
	sprof_json_format(json, ",\"%s\":", key);
	if (text && text[0])
		sprof_json_name(json, text);
	else
		sprof_json_text(json, "null");
}

static void add_id(struct sprof_json *json, const char *key, pid_t id)
{
	if (id)
		sprof_json_format(json, ",\"%s\":%d", key, id);
	else
		sprof_json_format(json, ",\"%s\":null", key);
}

static void add_lock(const struct sprof_thread_stack *thread, const struct sprof_dump_lock *lock,
	pid_t holder, struct sprof_json *json)
{
	const struct sprof_lock_traits *traits = &thread->lock_traits;
	const bool is_known = lock->kind != SPROF_LOCK_UNKNOWN;

	if (lock->kind == SPROF_LOCK_PARKING || !thread->lock_address)
		sprof_json_text(json, "{\"address\":null");
	else
		sprof_json_format(json, "{\"address\":\"0x%" PRIx64 "\"", thread->lock_address);
	add_name(json, "kind", is_known ? sprof_lock_kind_name(lock->kind) : NULL);
	add_name(json, "variable", lock->variable);
	if (lock->variable)
		sprof_json_format(json, ",\"offset\":%" PRIu64, lock->offset);
	add_id(json, "holder", holder);
	add_id(json, "lost_owner", holder ? 0 : traits->lost_owner);
	sprof_json_format(json, ",\"refused\":%s}", traits->is_endless ? "true" : "false");
}

static bool add_wait(const struct sprof_dump_view *view, const struct sprof_thread_stack *thread,
	struct sprof_json *json, struct sprof_error *err)
{
	struct sprof_dump_lock lock;
	char name[64] = "";

	if (thread->in_syscall)
		sprof_syscall_name(thread->syscall, name, sizeof(name));
	add_name(json, "system_call", name);
	add_name(json, "object", thread->object);
	sprof_json_text(json, ",\"lock\":");
	if (!thread->lock_address) {
		sprof_json_text(json, "null");
		return true;
	}
	if (!sprof_dump_lock_find(view, thread, &lock, err))
		return false;
	add_lock(thread, &lock, thread->holder, json);
	return true;
}

static void add_location(const struct sprof_location *location, const struct sprof_module *module,
	struct sprof_json *json)
{
	sprof_json_text(json, "{\"function\":");
	if (location->unresolved)
		sprof_json_text(json, "null");
	else
		sprof_json_name(json, location->function);
	add_name(json, "file", location->file);
	if (location->line)
		sprof_json_format(json, ",\"line\":%" PRIu32, location->line);
	else
		sprof_json_text(json, ",\"line\":null");
	add_name(json, "module", module->path);
	sprof_json_format(json, ",\"inlined\":%s", location->inlined ? "true" : "false");
}

static void add_local(const struct sprof_local *local, struct sprof_json *json)
{
	static const char *const states[] = {
		[SPROF_LOCAL_KNOWN] = "known",
		[SPROF_LOCAL_OPTIMIZED_OUT] = "optimized-out",
		[SPROF_LOCAL_UNKNOWN] = "unknown",
	};

	sprof_json_member_name(json, "{\"name\":", local->name);
	add_name(json, "value", local->value);
	sprof_json_format(json, ",\"state\":\"%s\",\"parameter\":%s}", states[local->state],
		local->is_parameter ? "true" : "false");
}

static bool add_locals(struct sprof_dump_locals *way, size_t level, struct sprof_json *json,
	struct sprof_error *err)
{
	struct sprof_locals locals;
	bool first = true;

	if (!way->view->with_locals) {
		sprof_json_text(json, ",\"locals\":null");
		return true;
	}
	if (!sprof_dump_locals_find(way, level, &locals, err))
		return false;
	sprof_json_text(json, ",\"locals\":[");
	for (size_t i = 0; i < locals.count; i++) {
		sprof_json_comma(json, &first);
		add_local(&locals.items[i], json);
	}
	sprof_json_text(json, "]");
	sprof_locals_finish(&locals);
	return true;
}

static bool add_frame(struct sprof_dump_locals *way, struct sprof_json *json, bool *first,
	struct sprof_error *err)
{
	const struct sprof_dump_view *view = way->view;
	const struct sprof_frame *frame = &way->thread->frames[way->frame];
	const struct sprof_module *module = sprof_modules_get(view->modules, frame->module);
	struct sprof_locations locations;

	if (!sprof_dump_resolve(view, frame, &locations, err))
		return false;
	for (size_t i = 0; i < locations.count; i++) {
		sprof_json_comma(json, first);
		add_location(&locations.items[i], module, json);
		sprof_json_format(json, ",\"offset\":%" PRIu64, frame->offset);
		if (!add_locals(way, i, json, err))
			return false;
		sprof_json_text(json, "}");
	}
	return true;
}

static bool add_sample(const struct sprof_dump_view *view, const struct sprof_thread_stack *thread,
	struct sprof_json *json, struct sprof_error *err)
{
	struct sprof_dump_locals way;
	bool first = true, ok = true;

	if (!add_wait(view, thread, json, err))
		return false;
	sprof_json_text(json, ",\"stack\":[");
	if (!sprof_dump_locals_init(&way, view, thread, err))
		return false;
	while (ok && way.frame < thread->frame_count) {
		ok = add_frame(&way, json, &first, err);
		way.frame++;
	}
	sprof_dump_locals_finish(&way);
	if (!ok)
		return false;
	sprof_json_format(json, "],\"stack_end\":\"%s\"", sprof_end_name(thread->end));
	return true;
}

static bool add_thread(const struct sprof_dump_view *view, const struct sprof_thread_stack *thread,
	struct sprof_json *json, struct sprof_error *err)
{
	sprof_json_format(json, "{\"tid\":%d", thread->tid);
	add_name(json, "name", thread->name);
	add_name(json, "state", thread->sampled ? sprof_state_name(thread->state) : "ended");
	if (thread->sampled && !add_sample(view, thread, json, err))
		return false;
	sprof_json_text(json, "}");
	return true;
}

static bool add_deadlock(const struct sprof_dump_view *view, uint32_t first,
	struct sprof_json *json, struct sprof_error *err)
{
	const struct sprof_stacks *stacks = view->stacks;
	struct sprof_dump_lock lock;

	sprof_json_text(json, "[");
	for (uint32_t at = first; at < stacks->thread_count; at = view->cycles->next[at]) {
		const uint32_t holder = view->cycles->holders[at];
		const struct sprof_thread_stack *thread = &stacks->threads[at];

		if (!sprof_dump_lock_find(view, thread, &lock, err))
			return false;
		sprof_json_text(json, at == first ? "" : ",");
		sprof_json_format(json, "{\"pid\":%d,\"tid\":%d", thread->pid, thread->tid);
		add_name(json, "name", thread->name);
		sprof_json_text(json, ",\"lock\":");
		add_lock(thread, &lock,
			holder < stacks->thread_count ? stacks->threads[holder].tid : 0, json);
		sprof_json_text(json, "}");
	}
	sprof_json_text(json, "]");
	return true;
}

static bool add_deadlocks(
	const struct sprof_dump_view *view, struct sprof_json *json, struct sprof_error *err)
{
	bool is_first = true;

	sprof_json_text(json, ",\"deadlocks\":[");
	for (uint32_t number = 1; number <= view->cycles->count; number++) {
		const uint32_t first = sprof_lock_cycles_first(view->cycles, view->stacks, number);

		if (first == view->stacks->thread_count)
			continue;
		sprof_json_comma(json, &is_first);
		if (!add_deadlock(view, first, json, err))
			return false;
	}
	sprof_json_text(json, "]");
	return true;
}

static bool add_processes(
	const struct sprof_dump_view *view, struct sprof_json *json, struct sprof_error *err)
{
	const struct sprof_stacks *stacks = view->stacks;
	bool first = true;

	sprof_json_text(json, ",\"processes\":[");
	for (size_t i = 0; i < stacks->thread_count;) {
		const size_t end = sprof_stacks_process_end(stacks, i);

		sprof_json_comma(json, &first);
		sprof_json_format(json, "{\"pid\":%d,\"threads\":[", stacks->threads[i].pid);
		for (size_t j = i; j < end; j++) {
			sprof_json_text(json, j == i ? "" : ",");
			if (!add_thread(view, &stacks->threads[j], json, err))
				return false;
		}
		sprof_json_text(json, "]}");
		i = end;
	}
	sprof_json_text(json, "]");
	return true;
}

static void add_head(const struct sprof_dump_view *view, struct sprof_json *json)
{
	const struct sprof_core *core = view->core;

	if (!core) {
		sprof_json_format(json, "{\"time_ns\":%" PRIu64 ",\"core\":null", view->time_ns);
		return;
	}
	sprof_json_format(json, "{\"time_ns\":null,\"core\":{\"pid\":%d", core->pid);
	add_name(json, "name", core->name);
	add_name(json, "command_line", core->command_line);
	add_id(json, "signal", core->signal);
	add_id(json, "signal_tid", core->signal ? core->threads[0].tid : 0);
	sprof_json_text(json, "}");
}

bool sprof_dump_print_json(const struct sprof_dump_view *view, struct sprof_error *err)
{
	struct sprof_json json;
	struct sprof_out *out;
	bool ok;

	if (!sprof_out_open_fd(STDOUT_FILENO, "stdout", &out, err))
		return false;
	if (!sprof_json_open(&json, out, false))
		return sprof_out_end(out, sprof_error_no_memory(err), err);
	add_head(view, &json);
	ok = add_deadlocks(view, &json, err) && add_processes(view, &json, err);
	sprof_json_text(&json, "}\n");
	sprof_json_close(&json);
	return sprof_out_end(out, ok, err);
}
