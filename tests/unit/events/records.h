/*
 * Makes perf records as the kernel writes them, for tests.
 */
#pragma once

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	MADE_MAX = 512,
	MADE_PID = 100,
	MADE_TID = 101,
	MADE_CPU = 3,
	MADE_EVENT = 9,
	MADE_IP = 0x401000,
	MADE_ADDRESS = 0x7000
};

struct made {
	unsigned char bytes[MADE_MAX];
	size_t size;
};

static inline void made_add(struct made *made, const void *bytes, size_t size)
{
	memcpy(made->bytes + made->size, bytes, size);
	made->size += size;
}

static inline void made_add_32(struct made *made, uint32_t value)
{
	made_add(made, &value, sizeof(value));
}

static inline void made_add_64(struct made *made, uint64_t value)
{
	made_add(made, &value, sizeof(value));
}

static inline void made_begin(struct made *made, uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = {.type = type, .misc = misc};

	made->size = 0;
	made_add(made, &header, sizeof(header));
}

/* The end of all but samples: pid, tid, time, cpu, reserved, the event's id. */
static inline void made_add_id(struct made *made, uint64_t time)
{
	made_add_32(made, MADE_PID);
	made_add_32(made, MADE_TID);
	made_add_64(made, time);
	made_add_32(made, MADE_CPU);
	made_add_32(made, 0);
	made_add_64(made, MADE_EVENT);
}

/* The begin of a sample: the event's id, ip, pid, tid, time, address, cpu, reserved. */
static inline void made_add_head(struct made *made, uint64_t time)
{
	made_add_64(made, MADE_EVENT);
	made_add_64(made, MADE_IP);
	made_add_32(made, MADE_PID);
	made_add_32(made, MADE_TID);
	made_add_64(made, time);
	made_add_64(made, MADE_ADDRESS);
	made_add_32(made, MADE_CPU);
	made_add_32(made, 0);
}

static inline void made_end(struct made *made)
{
	const uint16_t size = (uint16_t)made->size;

	memcpy(made->bytes + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

static inline struct made made_switch(uint16_t misc, uint64_t time)
{
	struct made made;

	made_begin(&made, PERF_RECORD_SWITCH, misc);
	made_add_id(&made, time);
	made_end(&made);
	return made;
}

static inline struct made made_lost(uint64_t count, uint64_t time)
{
	struct made made;

	made_begin(&made, PERF_RECORD_LOST, 0);
	made_add_64(&made, 7);
	made_add_64(&made, count);
	made_add_id(&made, time);
	made_end(&made);
	return made;
}
