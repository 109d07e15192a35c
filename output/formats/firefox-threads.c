/* The threads of the Firefox Profiler's format: their stacks and samples, and the file header. */
#include "output/formats/firefox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/format.h"

static const char head[] =
	"\"processType\":0,\"stackwalk\":1,\"debug\":false,\"version\":24,"
	"\"preprocessedProfileVersion\":66,\"symbolicated\":true,"
	"\"symbolicationNotSupported\":true,\"usesOnlyOneStackType\":true,"
	"\"sourceCodeIsNotOnSearchfox\":true,\"oscpu\":\"Linux\",\"platform\":\"Linux\","
	"\"importedFrom\":\"sprof\","
	"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"\\u00b5s\"},"
	"\"categories\":["
	"{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Running\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Idle\",\"color\":\"transparent\",\"subcategories\":[\"Other\"]}],"
	"\"markerSchema\":[{\"name\":\"Wait\",\"display\":[\"marker-chart\",\"marker-table\"],"
	"\"chartLabel\":\"{marker.data.object}\",\"tableLabel\":\"{marker.data.object}\","
	"\"fields\":["
	"{\"key\":\"object\",\"label\":\"Waits for\",\"format\":\"string\"},"
	"{\"key\":\"holder\",\"label\":\"Held by\",\"format\":\"string\"}]}],"
	"\"extensions\":{\"length\":0,\"id\":[],\"name\":[],\"baseURL\":[]}}";

/* Each line of each stack is a stack there. A waiting stack has its innermost line twice. */
static bool number_stacks(struct sprof_firefox *writer)
{
	const struct sprof_profile *profile = writer->profile;

	writer->ends = calloc(profile->stack_count + 1, sizeof(*writer->ends));
	writer->idle = calloc(profile->stack_count + 1, sizeof(*writer->idle));
	writer->locations = calloc(profile->line_count + 1, sizeof(*writer->locations));
	if (!writer->ends || !writer->idle || !writer->locations)
		return false;
	for (size_t i = 0; i < profile->location_count; i++) {
		for (uint32_t k = 0; k < profile->locations[i].line_count; k++)
			writer->locations[profile->locations[i].first_line + k] = (uint32_t)i;
	}
	for (size_t i = 1; i < profile->stack_count; i++) {
		writer->stack_count += profile->locations[profile->stacks[i].location].line_count;
		writer->ends[i] = writer->stack_count - 1;
	}
	for (size_t i = 0; i < profile->row_count; i++) {
		uint32_t *idle = &writer->idle[profile->rows[i].stack];

		if (!*idle && sprof_firefox_is_idle(profile, (uint32_t)i))
			*idle = writer->stack_count + writer->idle_count++;
	}
	return true;
}

/* Ids are strings, to distinguish the ranks of a job: "4711-r3". */
static void write_pid(struct sprof_firefox *writer, const struct sprof_profile_process *process)
{
	SPROF_AUTO_FREE char *text = sprof_string_print("%d%s%s", process->pid,
		process->rank ? "-r" : "", process->rank ? process->rank : "");

	writer->failed |= !text;
	sprof_json_member_string(&writer->json, ",\"pid\":", text);
}

static void write_thread(struct sprof_firefox *writer, uint32_t index)
{
	const struct sprof_profile_thread *thread = &writer->profile->threads[index];
	const struct sprof_profile_process *process = &writer->profile->processes[thread->process];

	sprof_json_text(&writer->json,
		"\n{\"processType\":\"default\",\"processStartupTime\":0,"
		"\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,"
		"\"pausedRanges\":[],\"showMarkersInTimeline\":false,\"name\":");
	sprof_json_name(&writer->json, thread->name);
	sprof_json_member_name(&writer->json, ",\"processName\":", process->name);
	write_pid(writer, process);
	sprof_json_format(&writer->json, ",\"isMainThread\":%s,\"tid\":\"%d\"",
		thread->tid == process->pid ? "true" : "false", thread->tid);
	sprof_firefox_write_samples(writer, index);
}

static void write_meta(struct sprof_firefox *writer)
{
	const struct sprof_profile *profile = writer->profile;
	double rate = profile->quality.rate_hz > 0 ? profile->quality.rate_hz : 1000;
	uint64_t end_ns =
		writer->moments.end_ns ? writer->moments.end_ns : profile->quality.duration_ns;

	sprof_json_member_name(&writer->json,
		"{\"meta\":{\"product\":", profile->command ? profile->command : "sprof");
	sprof_json_format(&writer->json,
		",\"interval\":%.6f,\"startTime\":%.3f,\"profilingStartTime\":0,"
		"\"profilingEndTime\":%.6f,",
		1000 / rate, (double)profile->start_realtime_ns / 1e6, (double)end_ns / 1e6);
	sprof_json_text(&writer->json, head);
}

static void write_all(struct sprof_firefox *writer)
{
	bool first = true;

	write_meta(writer);
	sprof_firefox_write_tables(writer);
	sprof_json_text(&writer->json, ",\"threads\":[");
	for (uint32_t i = 0; i < writer->profile->thread_count; i++) {
		sprof_json_comma(&writer->json, &first);
		write_thread(writer, i);
	}
	sprof_json_text(&writer->json, "]}\n");
}

static bool write_firefox(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	struct sprof_firefox writer = {
		.profile = profile,
		.weight = options->weight,
		.module_count = sprof_modules_count(profile->modules),
	};
	bool ok = sprof_moments_init(&writer.moments, profile) && number_stacks(&writer) &&
		sprof_json_open(&writer.json, out, options->pack);

	if (ok)
		write_all(&writer);
	ok = ok && !writer.failed;
	sprof_json_close(&writer.json);
	sprof_moments_finish(&writer.moments);
	sprof_idmap_finish(&writer.source_ids);
	free(writer.sources);
	free(writer.locations);
	free(writer.ends);
	free(writer.idle);
	return ok || sprof_error_no_memory(err);
}

const struct sprof_format sprof_format_firefox = {
	.name = "firefox",
	.suffix = ".json.gz",
	.other_suffix = ".firefox.json",
	.summary = "for profiler.firefox.com",
	.write = write_firefox,
};
