/*
 * sprof mem: memory of processes over time, the unshared part, and mappings. Reads /proc only;
 * processes are neither stopped nor changed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/outputs.h"
#include "cmd/cli/processes.h"
#include "cmd/cli/terminal.h"
#include "cmd/mem/unattached-run.h"
#include "cmd/ui.h"
#include "output/mem/report.h"

enum { OUTPUTS = 8 };

struct mem_outputs {
	const char *paths[OUTPUTS];
	size_t count;
	bool to_stdout; /* -o - */
};

struct mem_options {
	struct sprof_common_options common;
	struct sprof_processes processes;
	struct mem_outputs outputs;
	uint64_t duration_ns, period_ns;
	enum sprof_memory_moment moment;
	bool libs, maps, json;
};

_Static_assert(offsetof(struct mem_options, common) == 0,
	"main.c reads the common options of any command");

#define FIELD(name) offsetof(struct mem_options, name)

static bool set_moment(void *field, const char *text, struct sprof_error *err)
{
	static const char *const names[] = {
		[SPROF_MEMORY_START] = "start",
		[SPROF_MEMORY_PEAK] = "peak",
		[SPROF_MEMORY_END] = "end",
		NULL,
	};

	return sprof_value_choice(names, text, field, err);
}

/* Formats by file suffix. */
static const struct format {
	const char *ending;
	void (*write)(const struct sprof_mem_report *report, struct sprof_out *out);
} formats[] = {
	{".csv", NULL}, /* written as it comes */
	{".json", sprof_mem_report_json},
	{".svg", sprof_mem_report_svg},
	{".html", sprof_mem_report_html},
	{".txt", sprof_mem_report_text},
};

static const struct format *format_of(const char *path)
{
	const size_t length = strlen(path);

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		const size_t ending = strlen(formats[i].ending);

		if (length > ending && !strcmp(path + length - ending, formats[i].ending))
			return &formats[i];
	}
	return NULL;
}

static bool add_output(void *field, const char *text, struct sprof_error *err)
{
	struct mem_outputs *outputs = field;

	outputs->to_stdout |= sprof_out_is_stdout(text);
	if (sprof_out_is_stdout(text))
		return true;
	if (!format_of(text))
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"%s: its suffix is none of .csv, .json, .svg, .html and .txt", text);
	if (outputs->count == OUTPUTS)
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "at most %d files are possible", OUTPUTS);
	for (size_t i = 0; i < outputs->count; i++) {
		if (sprof_out_is_same(outputs->paths[i], text))
			return sprof_error_set(err, SPROF_ERROR_USAGE, "%s is given twice", text);
	}
	outputs->paths[outputs->count++] = text;
	return true;
}

static const struct sprof_option target_table[] = {
	{"children", NULL, NULL, "with --pid: also watch their descendants", sprof_value_flag,
		FIELD(processes.children), .needs = "pid name tid"},
	{"duration", "d", "TIME", "stop after TIME, such as 10s", sprof_value_duration,
		FIELD(duration_ns)},
	{"interval", "i", "TIME", "read the RSS every TIME (100ms)", sprof_value_interval,
		FIELD(period_ns)},
	{0},
};

static const struct sprof_option output_table[] = {
	{"libs", NULL, NULL,
		"also show mapped files, such as libraries, and how much of them is\n"
		"shared",
		sprof_value_flag, FIELD(libs)},
	{"maps", NULL, NULL, "also show all mappings, including heap and stacks", sprof_value_flag,
		FIELD(maps)},
	{"at", NULL, "WHEN", "when --libs and --maps are read: start, peak or end (end)",
		set_moment, FIELD(moment), .needs = "libs maps"},
	{"output", "o", "FILE",
		"write to FILE: .csv (each reading), .json, .svg, .html, .txt; may\n"
		"be given several times",
		add_output, FIELD(outputs)},
	{"format", "f", "FORMAT", NULL, sprof_value_json, FIELD(json)},
	{"json", NULL, NULL, "write JSON to stdout instead of tables", sprof_value_flag,
		FIELD(json), .conflicts = "format"},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"What to watch", sprof_processes_table, FIELD(processes)},
	{"What to watch", sprof_processes_all_table, FIELD(processes)},
	{"What to watch", target_table},
	{"What to watch", sprof_processes_started_table, FIELD(processes)},
	{"Output", output_table},
	{"General", sprof_common_option_table},
	{0},
};

static const struct mem_options defaults = {
	.period_ns = 100 * SPROF_NS_PER_MS,
	.moment = SPROF_MEMORY_END,
};

struct run {
	const struct mem_options *options;
	struct sprof_unattached_run observing;
	struct sprof_memory_watch watch;
	struct sprof_out *csv[OUTPUTS];
	size_t csv_count;
	uint64_t end_ns;
	struct sprof_written written; /* a process not watched to its end counts as not written */
};

static bool begin(void *data, pid_t pid, int pid_fd, struct sprof_error *err)
{
	struct run *run = data;
	const struct sprof_pids *pids = &run->options->processes.pids;

	if (!pids->count)
		return sprof_memory_watch_add(&run->watch, pid) || sprof_error_no_memory(err);
	for (size_t i = 0; i < pids->count; i++) {
		if (sprof_memory_watch_add(&run->watch, pids->items[i]))
			continue;
		if (run->watch.out_of_memory)
			return sprof_error_no_memory(err);
		return sprof_error_set(err, SPROF_ERROR_TARGET_GONE, "watch %d: no such process",
			(int)pids->items[i]);
	}
	return true;
}

static void note_begun(void *data, pid_t pid)
{
	const struct run *run = data;

	if (run->observing.child.program && !run->observing.keeps_stdout && !isatty(STDOUT_FILENO))
		sprof_ui_note("stdout is for the tables, so the output of %s goes to stderr",
			run->observing.child.program);
	sprof_ui_progress("watching the memory of process %d; Ctrl-C ends it", (int)pid);
}

static void read_all(struct run *run, uint64_t now_ns, bool is_last)
{
	sprof_memory_watch_read(&run->watch, now_ns, is_last);
	for (size_t i = 0; i < run->csv_count; i++) {
		sprof_mem_csv_rows(&run->watch, run->observing.begin_ns, now_ns, run->csv[i]);
		sprof_out_flush(run->csv[i]);
	}
}

static bool poll_memory(void *data, uint64_t now_ns)
{
	struct run *run = data;

	read_all(run, now_ns, false);
	if (run->watch.out_of_memory)
		return false;
	/*
	 * One process alone, or a program, is waited for: it has no memory some time before its
	 * end.
	 */
	return !run->observing.outlives_process || sprof_memory_watch_goes_on(&run->watch);
}

static void end(void *data, uint64_t now_ns)
{
	struct run *run = data;

	read_all(run, now_ns, true);
	run->end_ns = now_ns;
}

static bool open_csv(struct run *run, struct sprof_error *err)
{
	const struct mem_outputs *outputs = &run->options->outputs;

	for (size_t i = 0; i < outputs->count; i++) {
		if (format_of(outputs->paths[i])->write) {
			if (!sprof_out_probe(outputs->paths[i], err))
				return false;
			continue;
		}
		if (!sprof_out_open(outputs->paths[i], &run->csv[run->csv_count], err))
			return false;
		sprof_mem_csv_head(run->csv[run->csv_count++]);
	}
	return true;
}

/* Reports what can't be written, and writes the rest. */
static void check_written(struct run *run, bool is_written, const struct sprof_error *err)
{
	if (is_written) {
		run->written.succeeded++;
		return;
	}
	sprof_ui_error(err);
	run->written.failed++;
}

static void close_csv(struct run *run)
{
	for (; run->csv_count; run->csv_count--) {
		struct sprof_error err;

		check_written(run, sprof_out_close(run->csv[run->csv_count - 1], &err), &err);
	}
}

static bool write_file(
	const char *path, const struct sprof_mem_report *report, struct sprof_error *err)
{
	struct sprof_out *out;

	if (!sprof_out_open(path, &out, err))
		return false;
	format_of(path)->write(report, out);
	return sprof_out_close(out, err);
}

/* Prints tables unless files were requested and stdout is not a terminal. */
static bool prints(const struct mem_options *options)
{
	return !options->outputs.count || options->outputs.to_stdout || isatty(STDOUT_FILENO) ||
		options->json;
}

static bool print(
	const struct run *run, const struct sprof_mem_report *report, struct sprof_error *err)
{
	struct sprof_out *out;

	if (!sprof_out_open_fd(STDOUT_FILENO, "stdout", &out, err))
		return false;
	if (run->options->json)
		sprof_mem_report_json(report, out);
	else
		sprof_mem_report_text(report, out);
	return sprof_out_close(out, err);
}

static enum sprof_mem_parts parts_of(const struct mem_options *options)
{
	if (options->maps)
		return SPROF_MEM_MAPS;
	return options->libs ? SPROF_MEM_LIBS : SPROF_MEM_NONE;
}

/*
 * The kernel's peak of a program that has ended, and of its children (getrusage(2)), if it is
 * beyond all that was read. What the child had before its exec is sprof's own, and counts, too.
 */
static uint64_t unseen_peak(const struct run *run)
{
	struct rusage ended, own;
	uint64_t most = 0, peak;

	if (getrusage(RUSAGE_CHILDREN, &ended) || getrusage(RUSAGE_SELF, &own))
		return 0;
	for (size_t i = 0; i < run->watch.count; i++) {
		const uint64_t read = run->watch.items[i].kernels_peak;

		most = read > most ? read : most;
	}
	peak = (uint64_t)ended.ru_maxrss * 1024;
	return ended.ru_maxrss > own.ru_maxrss && peak > most + most / 10 ? peak : 0;
}

static void report(struct run *run)
{
	const struct mem_options *options = run->options;
	const struct sprof_mem_report report = {
		.watch = &run->watch,
		.begin_ns = run->observing.begin_ns,
		.end_ns = run->end_ns,
		.period_ns = options->period_ns,
		.unseen_peak = unseen_peak(run),
		.parts = parts_of(options),
		.moment = options->moment,
		.width = sprof_terminal_width(),
	};
	struct sprof_error err;

	close_csv(run);
	for (size_t i = 0; i < options->outputs.count; i++) {
		const char *path = options->outputs.paths[i];

		if (format_of(path)->write)
			check_written(run, write_file(path, &report, &err), &err);
	}
	if (prints(options))
		check_written(run, print(run, &report, &err), &err);
	if (run->watch.out_of_memory)
		check_written(run, sprof_error_no_memory(&err), &err);
}

static void finish(struct run *run)
{
	for (size_t i = 0; i < run->csv_count; i++)
		sprof_out_discard(run->csv[i]);
	sprof_memory_watch_finish(&run->watch);
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	const struct mem_options *options = data;
	struct run run = {.options = options};
	bool done;

	run.watch.wants_mappings = parts_of(options) != SPROF_MEM_NONE;
	run.watch.follow_children =
		sprof_processes_follow_children(&options->processes, operands[0]);
	run.observing = (struct sprof_unattached_run){
		.pid = options->processes.pid,
		.operands = operands,
		.duration_ns = options->duration_ns,
		.period_ns = options->period_ns,
		.keeps_stdout = !prints(options),
		.outlives_process = options->processes.pids.count > 1,
		.begin = begin,
		.begun = note_begun,
		.poll = poll_memory,
		.end = end,
		.data = &run,
	};
	done = sprof_unattached_run_check("mem", options->processes.pid, operands, err) &&
		open_csv(&run, err) && sprof_unattached_run_run(&run.observing, ret_exit, err);
	if (done)
		report(&run);
	if (run.written.failed)
		*ret_exit = sprof_outputs_exit(&run.written);
	finish(&run);
	return done;
}

const struct sprof_command sprof_command_mem = {
	.name = "mem",
	.summary = "Show the RSS, PSS and USS of processes over time",
	.synopsis = "[options] (-p PID[,PID]... | [--] PROGRAM [ARGUMENT...])",
	.details =
		"RSS is the resident memory of a process. PSS divides each page by the number of "
		"processes that\n"
		"share it. USS is the memory that no other process shares; the end of the process "
		"would free it.\n"
		"Reading PSS and USS takes at most 1 % of the time. \"own share\" is the "
		"process's part\n"
		"(PSS-USS) of the memory that it shares (RSS-USS). sprof exits with the exit code "
		"of PROGRAM.\n\n"
		"  sprof mem -p 4711,4712 -d 10s --libs\n"
		"  sprof mem -o memory.csv -o memory.svg -- ./server --port 8080\n",
	.groups = groups,
	.processes = FIELD(processes),
	.processes_use = SPROF_PROCESSES_MANY,
	.defaults = &defaults,
	.options_size = sizeof(struct mem_options),
	.run = run,
};
