/* The summary of samples taken in a run that traces events. watching.c takes them. */
#include "cmd/beside.h"

#include "cmd/outputs.h"
#include "cmd/values.h"

#define FIELD(name) offsetof(struct sprof_beside_options, name)

const struct sprof_option sprof_beside_table[] = {
	{"sample", NULL, NULL, "also sample the program, as run and attach do", sprof_value_flag,
		FIELD(sample)},
	{"rate", "rF", "HZ", "with --sample: samples per second of every thread (99)",
		sprof_value_rate, FIELD(rate_hz), .needs = "sample"},
	{0},
};

bool sprof_beside_settle(
	const struct sprof_shown *shown, struct sprof_shown *ret_answer, struct sprof_error *err)
{
	*ret_answer = *shown;
	ret_answer->outputs = (struct sprof_outputs){0};
	return sprof_outputs_set_format(&ret_answer->outputs, "summary", err) &&
		sprof_outputs_settle(&ret_answer->outputs, SPROF_STDOUT_REPORT, err);
}
