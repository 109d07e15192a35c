/* Where lines of a pair are in time. events/pairs/details.c chooses them. */
#include "output/trace/details.h"

#include <inttypes.h>
#include <time.h>

#include "base/clock.h"

enum { TIME_SIZE = 32 };

static double us_of(uint64_t ns)
{
	return (double)ns / SPROF_NS_PER_US;
}

bool sprof_details_text_begin(const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line, struct sprof_out *out)
{
	if (line->hidden)
		sprof_out_printf(out, "| %12" PRIu64 " hidden\n", line->hidden);
	switch (line->kind) {
	case SPROF_DETAILS_BEFORE:
		sprof_out_printf(out, "-%12.3f us ", us_of(line->distance_ns));
		break;
	case SPROF_DETAILS_EVENT1:
		if (line->incomplete)
			sprof_out_puts(out, "(older events had no room)\n");
		break;
	case SPROF_DETAILS_BETWEEN:
		sprof_out_printf(out, "| %12.3f us ", us_of(line->distance_ns));
		break;
	case SPROF_DETAILS_EVENT2:
		sprof_out_printf(out, "| %.3f us\n", us_of(instance->latency_ns));
		break;
	case SPROF_DETAILS_AFTER:
		sprof_out_printf(out, "`%12.3f us ", us_of(line->distance_ns));
		break;
	case SPROF_DETAILS_END:
		sprof_out_puts(out, "\n");
		return false;
	}
	return line->side;
}

void sprof_details_text_time(uint64_t time_ns, struct sprof_out *out)
{
	const uint64_t ns = sprof_clock_real_ns() - sprof_clock_now_ns() + time_ns;
	const time_t seconds = (time_t)(ns / SPROF_NS_PER_S);
	char text[TIME_SIZE] = "";
	struct tm local;

	localtime_r(&seconds, &local);
	strftime(text, sizeof(text), "%H:%M:%S", &local);
	sprof_out_printf(out, "%s.%06d", text, (int)(ns % SPROF_NS_PER_S / SPROF_NS_PER_US));
}

void sprof_details_json_begin(const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line, struct sprof_json *json)
{
	static const char *const kinds[] = {
		[SPROF_DETAILS_BEFORE] = "before",
		[SPROF_DETAILS_EVENT1] = "event1",
		[SPROF_DETAILS_BETWEEN] = "between",
		[SPROF_DETAILS_EVENT2] = "event2",
		[SPROF_DETAILS_AFTER] = "after",
	};

	sprof_json_format(json, "{\"line\":\"%s\",\"distance_ns\":%" PRIu64 ",\"hidden\":%" PRIu64,
		kinds[line->kind], line->distance_ns, line->hidden);
	if (line->kind == SPROF_DETAILS_EVENT1)
		sprof_json_format(json, ",\"incomplete\":%s", line->incomplete ? "true" : "false");
	if (line->kind == SPROF_DETAILS_EVENT2)
		sprof_json_format(json, ",\"latency_ns\":%" PRIu64, instance->latency_ns);
}
