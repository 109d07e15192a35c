/*
 * Function calls from arbitrary events: finds the call that an event begins or ends; activations.c
 * keeps the stacks. Does not handle function names.
 */
#include "events/functions/nested-calls.h"

#include <stdlib.h>

#include "base/interned.h"
#include "events/functions/activations.h"
#include "events/pairs/open-events.h"

enum { BEGIN_ROLE = 1, END_ROLE = 2, URETPROBE = 335, UPROBE = 336 };

struct marks {
	const struct sprof_event_item *begin, *end;
};

struct sprof_nested {
	struct sprof_pairs_options options;
	struct sprof_pairs_counts counts;
	struct marks marks[SPROF_EVENT_POSITIONS];
	size_t mark_count;
	bool is_keyed, has_stack_pointers;
	struct sprof_activations *activations;
	struct sprof_open_events open; /* their keys are serial numbers, their places the tags */
	int64_t serial;
	struct sprof_nested_function *functions;
	size_t function_count, function_capacity;
	struct sprof_idmap by_call;
	int64_t *keys;
	size_t key_count, key_capacity;
	struct sprof_idmap by_key;
	const struct sprof_trace_side *ending; /* the event that ends a call now; NULL: none does */
	bool has_ended;
	/*
	 * It ends all calls of its process, but the next event may be the end of execve(2) itself.
	 */
	struct sprof_trace_event exec;
	bool has_exec;
};

/* The traced events of a position: the first two, and how many there are. */
static size_t traced_of(
	const struct sprof_event_list *list, size_t position, const struct sprof_event_item *ret[2])
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].position != position || list->items[i].untraced)
			continue;
		if (count < 2)
			ret[count] = &list->items[i];
		count++;
	}
	return count;
}

/* How many functions the list has; 0: it is none of functions. */
static size_t read_marks(
	const struct sprof_event_list *list, struct marks marks[SPROF_EVENT_POSITIONS])
{
	const struct sprof_event_item *items[2] = {NULL, NULL};

	if (list->position_count == 2 && traced_of(list, 0, items) == 1) {
		marks[0].begin = items[0];
		if (traced_of(list, 1, items) != 1)
			return 0;
		marks[0].end = items[0];
		return 1;
	}
	for (size_t i = 0; i < list->position_count; i++) {
		if (traced_of(list, i, items) != 2)
			return 0;
		marks[i] = (struct marks){items[0], items[1]};
	}
	return list->position_count;
}

bool sprof_nested_check(const struct sprof_event_list *list, struct sprof_error *err)
{
	struct marks marks[SPROF_EVENT_POSITIONS];
	const size_t count = read_marks(list, marks);

	if (!count) {
		sprof_error_set(err, SPROF_ERROR_USAGE,
			"each -e needs two events: the start of a function, and its end");
		sprof_error_hint(err,
			"for example: -e uprobe:parse,uretprobe:parse -e uprobe:lex,uretprobe:lex");
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		if (!marks[i].begin->key != !marks[0].begin->key ||
			!marks[i].end->key != !marks[0].begin->key)
			return sprof_error_set(err, SPROF_ERROR_USAGE,
				"either all events have keys, or none has: a stack of calls has "
				"one kind of key");
	}
	return true;
}

static bool is_of_thread(const struct marks *marks)
{
	const enum sprof_trace_type begin = marks->begin->row->type, end = marks->end->row->type;

	return (begin == SPROF_TRACE_PROBE && end == SPROF_TRACE_RETURN) ||
		(begin == SPROF_TRACE_SYS_ENTER && end == SPROF_TRACE_SYS_EXIT);
}

static void pass_unpaired(struct sprof_nested *nested, const struct sprof_trace_side *side,
	enum sprof_unpaired reason)
{
	const struct sprof_pairs_listener *listener = &nested->options.listener;

	if (reason == SPROF_UNPAIRED_SECOND)
		nested->counts.second++;
	else if (reason == SPROF_UNPAIRED_GAP)
		nested->counts.gaps++;
	else
		nested->counts.open++;
	if (listener->unpaired)
		listener->unpaired(listener->context, side, reason);
}

static void pass_instance(struct sprof_nested *nested, const struct sprof_trace_side *event1)
{
	const struct sprof_pairs_listener *listener = &nested->options.listener;
	const struct sprof_trace_instance instance =
		sprof_trace_instance_of(&nested->options, event1, nested->ending);

	nested->counts.instances++;
	if (listener->instance)
		listener->instance(listener->context, &instance);
}

static void on_end(void *data, uint32_t tag, enum sprof_activation_end end)
{
	struct sprof_nested *nested = data;
	const uint32_t place = tag - 1;
	const struct sprof_trace_side *kept = &nested->open.items[place].side;
	const struct sprof_trace_side begin =
		sprof_trace_side_of(&nested->options, kept->event, kept->item, kept->sequence);

	nested->has_ended |= nested->ending &&
		(end == SPROF_ACTIVATION_RETURNED || end == SPROF_ACTIVATION_LOST);
	if (end == SPROF_ACTIVATION_RETURNED)
		pass_instance(nested, &begin);
	else
		pass_unpaired(nested, &begin,
			end == SPROF_ACTIVATION_LOST ? SPROF_UNPAIRED_GAP : SPROF_UNPAIRED_OPEN);
	sprof_open_events_remove(&nested->open, place);
}

struct sprof_nested *sprof_nested_create(
	const struct sprof_pairs_options *options, bool by_key, size_t keep_limit)
{
	struct sprof_nested *nested = calloc(1, sizeof(*nested));
	const struct sprof_activations_options how = {
		.by_thread = by_key, .keep_limit = keep_limit, .ended = on_end, .data = nested};

	if (!nested)
		return NULL;
	nested->options = *options;
	if (!nested->options.max_open)
		nested->options.max_open = SPROF_PAIRS_MAX_OPEN;
	nested->mark_count = read_marks(options->list, nested->marks);
	nested->is_keyed = nested->marks[0].begin->key;
	nested->has_stack_pointers = !nested->is_keyed;
	for (size_t i = 0; i < nested->mark_count; i++)
		nested->has_stack_pointers &= is_of_thread(&nested->marks[i]);
	sprof_open_events_init(&nested->open);
	nested->activations = sprof_activations_create(&how);
	if (nested->activations)
		return nested;
	free(nested);
	return NULL;
}

void sprof_nested_destroy(struct sprof_nested *nested)
{
	if (!nested)
		return;
	sprof_activations_destroy(nested->activations);
	sprof_open_events_finish(&nested->open);
	sprof_idmap_finish(&nested->by_call);
	sprof_idmap_finish(&nested->by_key);
	free(nested->functions);
	free(nested->keys);
	free(nested);
}

/* Passes the event to the stack of its key. Returns false if out of memory. */
static bool give_stack(struct sprof_nested *nested, const struct sprof_trace_side *side,
	struct sprof_trace_event *ret)
{
	const struct sprof_interned table = SPROF_INTERNED(
		&nested->by_key, nested->keys, nested->key_count, nested->key_capacity);

	*ret = *side->event;
	return !nested->is_keyed ||
		sprof_intern(&table, sprof_key(0, (uint64_t)side->key), &side->key, &ret->thread);
}

static bool function_of(struct sprof_nested *nested, size_t mark,
	const struct sprof_trace_event *event, uint32_t *ret)
{
	const struct sprof_interned table = SPROF_INTERNED(&nested->by_call, nested->functions,
		nested->function_count, nested->function_capacity);
	const struct marks *marks = &nested->marks[mark];
	struct sprof_nested_function function = {marks->begin, marks->end, -1};

	if (marks->begin->row->type == SPROF_TRACE_SYS_ENTER && marks->begin->number < 0 &&
		marks->end->row->type == SPROF_TRACE_SYS_EXIT)
		function.call = event->fields[0].integer;
	return sprof_intern(&table, sprof_key(mark, (uint64_t)function.call), &function, ret);
}

static uint64_t sp_of(const struct sprof_nested *nested, const struct sprof_trace_event *event)
{
	const bool has_own = event->type == SPROF_TRACE_PROBE || event->type == SPROF_TRACE_RETURN;

	return nested->has_stack_pointers && has_own ? sprof_activation_sp(event) : 0;
}

static bool begin(struct sprof_nested *nested, size_t mark, const struct sprof_trace_side *side)
{
	struct sprof_activation_call call = {.sp = sp_of(nested, side->event),
		.kind = side->event->stack_kind,
		.is_kernels = side->event->type == SPROF_TRACE_SYS_ENTER};
	struct sprof_trace_side kept = *side;
	struct sprof_trace_event event;

	if (nested->open.count >= nested->options.max_open) {
		nested->counts.overflows++;
		return true;
	}
	kept.key = ++nested->serial;
	if (!sprof_open_events_add(&nested->open, &kept))
		return false;
	call.tag = sprof_open_events_find(&nested->open, kept.item->position, kept.key) + 1;
	return give_stack(nested, side, &event) &&
		function_of(nested, mark, side->event, &call.function) &&
		sprof_activations_begin(nested->activations, &event, &call);
}

static bool end(struct sprof_nested *nested, size_t mark, const struct sprof_trace_side *side)
{
	struct sprof_activation_call call = {
		.sp = sp_of(nested, side->event), .kind = side->event->stack_kind};
	struct sprof_trace_event event;
	bool done;

	nested->ending = side;
	nested->has_ended = false;
	done = give_stack(nested, side, &event) &&
		function_of(nested, mark, side->event, &call.function) &&
		sprof_activations_end(nested->activations, &event, &call);
	nested->ending = NULL;
	if (done && !nested->has_ended)
		pass_unpaired(nested, side, SPROF_UNPAIRED_SECOND);
	return done;
}

/*
 * On x86-64 the kernel has probed functions call it: uretprobe(2) and uprobe(2) are not the
 * program's.
 */
static bool is_of_probe(const struct sprof_trace_event *event)
{
#ifdef __x86_64__
	const bool is_call =
		event->type == SPROF_TRACE_SYS_ENTER || event->type == SPROF_TRACE_SYS_EXIT;

	return is_call && event->fields[0].integer >= URETPROBE &&
		event->fields[0].integer <= UPROBE;
#else
	return false;
#endif
}

static bool acts_as(const struct sprof_nested *nested, const struct sprof_trace_event *event,
	const struct sprof_event_item *item, unsigned role)
{
	struct sprof_expression_frame frame = {.event = event, .lookup = nested->options.lookup};

	return sprof_event_item_matches(item, &frame) && !is_of_probe(event) &&
		(!item->role || (unsigned)sprof_expression_integer(item->role, &frame) & role);
}

/* Applies the event as an end first, so it never ends a call that it began. */
static bool act(struct sprof_nested *nested, const struct sprof_trace_event *event, unsigned role)
{
	for (size_t i = 0; i < nested->mark_count; i++) {
		const struct marks *marks = &nested->marks[i];
		const struct sprof_event_item *item =
			role == BEGIN_ROLE ? marks->begin : marks->end;
		struct sprof_trace_side side;

		if (!acts_as(nested, event, item, role))
			continue;
		side = sprof_trace_side_of(&nested->options, event, item, nested->counts.events);
		if (sprof_trace_side_is_foreign(&nested->options, &side))
			continue;
		if (!(role == BEGIN_ROLE ? begin : end)(nested, i, &side))
			return false;
	}
	return true;
}

/* NULL: no item matches. */
static const struct sprof_event_item *find_item(
	const struct sprof_nested *nested, const struct sprof_trace_event *event, bool *ret_trigger)
{
	const struct sprof_event_list *list = nested->options.list;
	struct sprof_expression_frame frame = {.event = event, .lookup = nested->options.lookup};
	const struct sprof_event_item *first = NULL;

	*ret_trigger = false;
	for (size_t i = 0; i < list->count; i++) {
		const struct sprof_event_item *item = &list->items[i];

		if ((first && !item->trigger) || !sprof_event_item_matches(item, &frame))
			continue;
		if (!first)
			first = item;
		*ret_trigger |= item->trigger;
	}
	return first;
}

/* The calls of the old program end, now at the latest. */
static bool settle_exec(struct sprof_nested *nested, uint64_t now_ns)
{
	if (!nested->has_exec)
		return true;
	nested->has_exec = false;
	nested->exec.time_ns = now_ns;
	return sprof_activations_take(nested->activations, &nested->exec);
}

static bool take_task(struct sprof_nested *nested, const struct sprof_trace_event *event)
{
	if (event->type != SPROF_TRACE_EXEC)
		return sprof_activations_take(nested->activations, event);
	if (!settle_exec(nested, nested->exec.time_ns))
		return false;
	nested->exec = *event;
	nested->exec.fields = NULL;
	nested->has_exec = true;
	return true;
}

static bool is_of_task(const struct sprof_trace_event *event)
{
	return event->type == SPROF_TRACE_EXIT || event->type == SPROF_TRACE_EXEC ||
		event->type == SPROF_TRACE_FORK;
}

bool sprof_nested_add(
	struct sprof_nested *nested, const struct sprof_trace_event *event, bool *ret_trigger)
{
	const struct sprof_pairs_listener *listener = &nested->options.listener;
	const struct sprof_event_item *item = find_item(nested, event, ret_trigger);
	const bool has_executed = nested->has_exec && event->thread == nested->exec.thread;
	struct sprof_trace_side side;

	if (has_executed && event->type != SPROF_TRACE_SYS_EXIT &&
		!settle_exec(nested, nested->exec.time_ns))
		return false;
	if (item) {
		nested->counts.events++;
		side = sprof_trace_side_of(&nested->options, event, item, nested->counts.events);
		if (listener->event)
			listener->event(listener->context, &side);
		if (!act(nested, event, END_ROLE) || !act(nested, event, BEGIN_ROLE))
			return false;
	}
	if (has_executed && !settle_exec(nested, event->time_ns))
		return false;
	return nested->is_keyed || !is_of_task(event) || take_task(nested, event);
}

bool sprof_nested_gap(struct sprof_nested *nested, uint64_t end_ns)
{
	return sprof_activations_gap(nested->activations, end_ns);
}

bool sprof_nested_close(struct sprof_nested *nested, uint64_t now_ns)
{
	return settle_exec(nested, nested->exec.time_ns) &&
		sprof_activations_close(nested->activations, now_ns);
}

struct sprof_open_events *sprof_nested_open(struct sprof_nested *nested)
{
	return &nested->open;
}

const struct sprof_pairs_counts *sprof_nested_counts(const struct sprof_nested *nested)
{
	return &nested->counts;
}

const struct sprof_activation_books *sprof_nested_books(const struct sprof_nested *nested)
{
	return sprof_activations_books(nested->activations);
}

size_t sprof_nested_function_count(const struct sprof_nested *nested)
{
	return nested->function_count;
}

struct sprof_nested_function sprof_nested_function(const struct sprof_nested *nested, size_t number)
{
	return nested->functions[number];
}

const int64_t *sprof_nested_keys(const struct sprof_nested *nested, size_t *ret_count)
{
	*ret_count = nested->key_count;
	return nested->is_keyed ? nested->keys : NULL;
}
