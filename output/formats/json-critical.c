/* JSON's member "critical_path": all rows of the summary's, and further ones. */
#include "output/formats/json-critical.h"

#include <inttypes.h>

#include "output/critical-words.h"
#include "profile/critical/critical.h"

static void write_index(struct sprof_json *json, const char *before, uint32_t index)
{
	sprof_json_text(json, before);
	if (index == SPROF_PROFILE_NONE)
		sprof_json_text(json, "null");
	else
		sprof_json_number(json, index);
}

static void write_row(struct sprof_json *json, const struct sprof_critical_row *row)
{
	sprof_json_member_string(json, "{\"thread\":", row->thread);
	write_index(json, ",\"function\":", row->function);
	write_index(json, ",\"caller\":", row->caller);
	write_index(json, ",\"entry\":", row->kernel);
	sprof_json_format(json, ",\"stack\":%u,\"kind\":\"%s\",\"waker\":", row->stack,
		sprof_critical_kind_name((enum sprof_critical_kind)row->kind));
	if (row->kind == SPROF_CRITICAL_SLEEP && !row->is_open)
		sprof_json_format(
			json, "\"%s\"", sprof_critical_waker_name((enum sprof_waker)row->waker));
	else
		sprof_json_text(json, "null");
	sprof_json_member_string(json, ",\"by\":", row->by);
	sprof_json_format(
		json, ",\"ns\":%" PRIu64 ",\"pieces\":%" PRIu64 "}", row->ns, row->pieces);
}

static void write_saving(struct sprof_json *json, const struct sprof_critical_saving *saving)
{
	sprof_json_member_string(json, "{\"thread\":", saving->thread);
	write_index(json, ",\"function\":", saving->function);
	write_index(json, ",\"caller\":", saving->caller);
	sprof_json_format(json,
		",\"ns\":%" PRIu64 ",\"length_ns\":%" PRIu64 ",\"saved_ns\":%" PRIu64 ",\"next\":",
		saving->ns, saving->length_ns, saving->saved_ns);
	if (saving->next_ns) {
		sprof_json_member_string(json, "{\"thread\":", saving->next_thread);
		write_index(json, ",\"function\":", saving->next_function);
		write_index(json, ",\"caller\":", saving->next_caller);
		sprof_json_format(json, ",\"ns\":%" PRIu64 "}", saving->next_ns);
	} else {
		sprof_json_text(json, "null");
	}
	sprof_json_text(json, "}");
}

static void write_wakings(struct sprof_json *json, const struct sprof_critical_wakings *wakings)
{
	sprof_json_member_string(json, "{\"thread\":", wakings->thread);
	sprof_json_format(json, ",\"waker\":\"%s\"",
		sprof_critical_waker_name((enum sprof_waker)wakings->waker));
	sprof_json_member_string(json, ",\"by\":", wakings->by);
	sprof_json_format(json,
		",\"times\":%" PRIu64 ",\"slept_ns\":%" PRIu64 ",\"queued_ns\":%" PRIu64 "}",
		wakings->times, wakings->slept_ns, wakings->queued_ns);
}

static void write_path(struct sprof_json *json, const struct sprof_critical *critical)
{
	bool first = true;

	sprof_json_format(json,
		",\n\"critical_path\":{\"length_ns\":%" PRIu64 ",\"pieces\":%" PRIu64
		",\"lost_ns\":%" PRIu64 ",\"unwoken_ns\":%" PRIu64 ",\"broken\":%" PRIu64
		",\"is_cut\":%s,\n\"rows\":[",
		critical->length_ns, critical->pieces, critical->lost_ns,
		critical->unwoken_ns + critical->network_ns, critical->broken,
		critical->is_cut ? "true" : "false");
	for (size_t i = 0; i < critical->row_count; i++) {
		sprof_json_comma(json, &first);
		write_row(json, &critical->rows[i]);
	}
	sprof_json_text(json, "],\n\"savings\":[");
	first = true;
	for (size_t i = 0; i < critical->saving_count; i++) {
		sprof_json_comma(json, &first);
		write_saving(json, &critical->savings[i]);
	}
	sprof_json_text(json, "],\n\"wakings\":[");
	first = true;
	for (size_t i = 0; i < critical->waking_count; i++) {
		sprof_json_comma(json, &first);
		write_wakings(json, &critical->wakings[i]);
	}
	sprof_json_text(json, "]}");
}

bool sprof_json_critical(
	struct sprof_json *json, const struct sprof_profile *profile, struct sprof_error *err)
{
	struct sprof_critical critical;
	bool ok;

	if (!profile->critical)
		return true;
	ok = sprof_critical_find(profile, profile->critical, &critical, err);
	if (ok)
		write_path(json, &critical);
	sprof_critical_finish(&critical);
	return ok;
}
