/* The summary of samples taken in a run that traces events. cmd/record/event-run.c takes them. */
#include "cmd/record/with-samples.h"

#include "cmd/cli/option-values.h"
#include "cmd/cli/outputs.h"

#define FIELD(name) offsetof(struct sprof_with_samples_options, name)

static bool set_sample(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_with_samples_options *options = field;

	options->sample = true;
	return !text || sprof_value_rate(&options->rate_hz, text, err);
}

const struct sprof_option sprof_with_samples_table[] = {
	{"sample", NULL, "[=HZ]",
		"also sample every thread, HZ times per second (99), as run and\n"
		"attach do",
		set_sample, 0},
	{"rate", "rF", "HZ", "with --sample: samples per second of every thread (99)",
		sprof_value_rate, FIELD(rate_hz), .needs = "sample"},
	{0},
};

bool sprof_with_samples_settle(const struct sprof_report_options *shown,
	struct sprof_report_options *ret_answer, struct sprof_error *err)
{
	*ret_answer = *shown;
	ret_answer->outputs = (struct sprof_outputs){0};
	return sprof_outputs_set_format(&ret_answer->outputs, "summary", err) &&
		sprof_outputs_settle(&ret_answer->outputs, SPROF_STDOUT_REPORT, err);
}
