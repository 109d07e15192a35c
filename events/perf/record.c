/*
 * Parses perf records. Every size in a record is checked against the bytes available. Does not
 * handle records of events with other attributes than sprof's.
 */
#include "events/perf/record.h"

#include <linux/perf_event.h>
#include <string.h>

/* The end of each record that is not a sample (sample_id_all). */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t id;
};

struct sample_head {
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time, address;
	uint32_t cpu, reserved;
};

/* The unread rest of a record. */
struct cursor {
	const unsigned char *at;
	size_t left;
};

static bool take(struct cursor *cursor, void *ret, size_t size)
{
	if (cursor->left < size)
		return false;
	memcpy(ret, cursor->at, size);
	cursor->at += size;
	cursor->left -= size;
	return true;
}

/* Takes the sample_id from the end. */
static bool take_id(struct cursor *cursor, struct sprof_perf_record *ret)
{
	struct sample_id id;

	if (cursor->left < sizeof(id))
		return false;
	cursor->left -= sizeof(id);
	memcpy(&id, cursor->at + cursor->left, sizeof(id));
	ret->pid = (pid_t)id.pid;
	ret->tid = (pid_t)id.tid;
	ret->time_ns = id.time;
	ret->cpu = (int)id.cpu;
	ret->id = id.id;
	return true;
}

/* The number of addresses, then these. */
static bool take_chain(struct cursor *cursor, struct sprof_perf_record *ret)
{
	if (!take(cursor, &ret->chain_count, sizeof(ret->chain_count)) ||
		ret->chain_count > cursor->left / sizeof(uint64_t))
		return false;
	ret->chain = cursor->at;
	cursor->at += ret->chain_count * sizeof(uint64_t);
	cursor->left -= ret->chain_count * sizeof(uint64_t);
	return true;
}

static bool parse_sample(
	struct cursor *cursor, unsigned misc, bool has_chain, struct sprof_perf_record *ret)
{
	struct sample_head head;

	if (!take(cursor, &head, sizeof(head)) || (has_chain && !take_chain(cursor, ret)) ||
		!take(cursor, &ret->raw_size, sizeof(ret->raw_size)) ||
		ret->raw_size > cursor->left || ret->raw_size < sizeof(uint16_t))
		return false;
	ret->pid = (pid_t)head.pid;
	ret->tid = (pid_t)head.tid;
	ret->time_ns = head.time;
	ret->cpu = (int)head.cpu;
	ret->id = head.id;
	ret->ip = head.ip;
	ret->in_kernel = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	ret->address = head.address;
	ret->raw = cursor->at;
	ret->rest = cursor->at + ret->raw_size;
	ret->rest_size = cursor->left - ret->raw_size;
	return true;
}

static bool parse_switch(struct cursor *cursor, unsigned misc, struct sprof_perf_record *ret)
{
	ret->switch_out = misc & PERF_RECORD_MISC_SWITCH_OUT;
	ret->preempted = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	return take_id(cursor, ret);
}

/* FORK and EXIT: pid, parent's pid, tid, parent's tid, time. */
static bool parse_task(struct cursor *cursor, struct sprof_perf_record *ret)
{
	uint32_t ids[4];

	if (!take_id(cursor, ret) || !take(cursor, ids, sizeof(ids)))
		return false;
	ret->pid = (pid_t)ids[0];
	ret->tid = (pid_t)ids[2];
	ret->parent = (pid_t)ids[3];
	return true;
}

static bool parse_name(struct cursor *cursor, struct sprof_perf_record *ret)
{
	uint32_t ids[2];
	size_t length;

	if (!take_id(cursor, ret) || !take(cursor, ids, sizeof(ids)))
		return false;
	ret->pid = (pid_t)ids[0];
	ret->tid = (pid_t)ids[1];
	length = strnlen((const char *)cursor->at, cursor->left);
	if (length >= sizeof(ret->name))
		length = sizeof(ret->name) - 1;
	memcpy(ret->name, cursor->at, length);
	ret->name[length] = '\0';
	return true;
}

/* MMAP: pid, tid, address, size, offset, file. */
static bool parse_mapped(struct cursor *cursor, struct sprof_perf_record *ret)
{
	static const char anonymous[] =
		"//anon"; /* kernel/events/core.c, perf_event_mmap_event() */
	uint32_t ids[2];
	uint64_t offset;

	if (!take_id(cursor, ret) || !take(cursor, ids, sizeof(ids)) ||
		!take(cursor, &ret->mapped, sizeof(ret->mapped)) ||
		!take(cursor, &ret->mapped_size, sizeof(ret->mapped_size)) ||
		!take(cursor, &offset, sizeof(offset)))
		return false;
	ret->is_file = cursor->left < sizeof(anonymous) ||
		memcmp(cursor->at, anonymous, sizeof(anonymous)) != 0;
	return true;
}

/* LOST: id, number. LOST_SAMPLES: number only. */
static bool parse_lost(struct cursor *cursor, bool has_id, struct sprof_perf_record *ret)
{
	uint64_t id;

	return take_id(cursor, ret) && (!has_id || take(cursor, &id, sizeof(id))) &&
		take(cursor, &ret->lost, sizeof(ret->lost));
}

size_t sprof_perf_record_size(const void *header)
{
	struct perf_event_header copy;

	memcpy(&copy, header, sizeof(copy));
	return copy.size;
}

bool sprof_perf_record_parse(
	const void *bytes, size_t size, bool has_chains, struct sprof_perf_record *ret)
{
	struct cursor cursor = {bytes, size};
	struct perf_event_header header;

	*ret = (struct sprof_perf_record){0};
	if (!take(&cursor, &header, sizeof(header)) || header.size != size)
		return false;
	switch (header.type) {
	case PERF_RECORD_SWITCH:
		ret->kind = SPROF_PERF_SWITCH;
		return parse_switch(&cursor, header.misc, ret);
	case PERF_RECORD_SAMPLE:
		ret->kind = SPROF_PERF_SAMPLE;
		return parse_sample(&cursor, header.misc, has_chains, ret);
	case PERF_RECORD_FORK:
		ret->kind = SPROF_PERF_FORK;
		return parse_task(&cursor, ret);
	case PERF_RECORD_EXIT:
		ret->kind = SPROF_PERF_EXIT;
		return parse_task(&cursor, ret);
	case PERF_RECORD_COMM:
		ret->kind = SPROF_PERF_NAME;
		ret->is_exec = header.misc & PERF_RECORD_MISC_COMM_EXEC;
		return parse_name(&cursor, ret);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		ret->kind = SPROF_PERF_LOST;
		return parse_lost(&cursor, header.type == PERF_RECORD_LOST, ret);
	case PERF_RECORD_THROTTLE:
		ret->kind = SPROF_PERF_THROTTLED;
		return take_id(&cursor, ret);
	case PERF_RECORD_MMAP:
		ret->kind = SPROF_PERF_MAPPED;
		return parse_mapped(&cursor, ret);
	default:
		return true;
	}
}
