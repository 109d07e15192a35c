/* Parses the figures of /proc. base/proc.h reads them. */
#include "attach/proc/procfs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc-status.h"
#include "base/strings.h"

/* Parses one number, with or without a sign, after optional blanks. */
static bool scan_number(const char **cursor, int base, uint64_t *ret)
{
	char *end;
	const char *at = *cursor;

	while (*at == ' ')
		at++;
	if (!isxdigit((unsigned char)*at) && *at != '-')
		return false;
	*ret = strtoull(at, &end, base);
	if (end == at)
		return false;
	*cursor = end;
	return true;
}

static bool skip_fields(const char **cursor, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		*cursor += strspn(*cursor, " ");
		if (!**cursor)
			return false;
		*cursor += strcspn(*cursor, " \n");
	}
	return true;
}

bool sprof_proc_is_worker(const struct sprof_proc_stat *stat)
{
	/* io_uring/io-wq.c, io_uring/sqpoll.c, drivers/vhost/vhost.c, arch/x86/kvm/mmu/mmu.c */
	static const char *const names[] = {"iou-", "vhost-", "kvm-nx-", NULL};

	return stat->flags & (SPROF_PF_IO_WORKER | SPROF_PF_USER_WORKER) &&
		sprof_string_starts_with_any(stat->comm, names);
}

bool sprof_proc_parse_stat(const char *text, struct sprof_proc_stat *ret)
{
	/* The name may contain anything, even parentheses: it ends at the last one. */
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t processor;
	size_t length;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return false;
	length = (size_t)(close - open - 1);
	if (length >= sizeof(ret->comm))
		length = sizeof(ret->comm) - 1;
	memcpy(ret->comm, open + 1, length);
	ret->comm[length] = '\0';
	ret->state = close[2];
	text = close + 3;
	/* Fields 4-8 lie between state and flags, 13 counts children, 16-21 lie before
	 * starttime, 23-38 before processor. */
	if (!skip_fields(&text, 5) || !scan_number(&text, 10, &ret->flags) ||
		!scan_number(&text, 10, &ret->minor_faults) ||
		!scan_number(&text, 10, &ret->reaped_faults) ||
		!scan_number(&text, 10, &ret->major_faults) || !skip_fields(&text, 1) ||
		!scan_number(&text, 10, &ret->user_ticks) ||
		!scan_number(&text, 10, &ret->system_ticks) || !skip_fields(&text, 6) ||
		!scan_number(&text, 10, &ret->start_ticks) || !skip_fields(&text, 16) ||
		!scan_number(&text, 10, &processor))
		return false;
	ret->processor = (int)processor;
	ret->priority = ret->policy = ret->disk_ticks = 0;
	if (scan_number(&text, 10, &ret->priority) && scan_number(&text, 10, &ret->policy))
		scan_number(&text, 10, &ret->disk_ticks);
	return true;
}

bool sprof_proc_parse_io(const char *text, struct sprof_proc_io *ret)
{
	long bytes_read, written, disk_read = 0, disk_written = 0;

	if (!sprof_proc_status_number(text, "rchar", &bytes_read) ||
		!sprof_proc_status_number(text, "wchar", &written))
		return false;
	/* Kernels without CONFIG_TASK_IO_ACCOUNTING have no such lines. */
	if (!sprof_proc_status_number(text, "read_bytes", &disk_read) ||
		!sprof_proc_status_number(text, "write_bytes", &disk_written))
		disk_read = disk_written = 0;
	*ret = (struct sprof_proc_io){(uint64_t)bytes_read, (uint64_t)written, (uint64_t)disk_read,
		(uint64_t)disk_written};
	return true;
}

bool sprof_proc_parse_schedstat(const char *text, struct sprof_proc_schedstat *ret)
{
	return scan_number(&text, 10, &ret->cpu_ns) && scan_number(&text, 10, &ret->runq_ns) &&
		scan_number(&text, 10, &ret->timeslices);
}

bool sprof_proc_parse_loadavg(const char *text, struct sprof_proc_loadavg *ret)
{
	return skip_fields(&text, 3) && scan_number(&text, 10, &ret->runnable) && *text == '/';
}

/* "cpu user nice system idle iowait irq softirq steal ..."; user includes a guest's time. */
bool sprof_proc_parse_cpus(const char *text, struct sprof_proc_cpus *ret)
{
	uint64_t ticks[8];

	if (strncmp(text, "cpu ", 4))
		return false;
	text += 4;
	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		if (!scan_number(&text, 10, &ticks[i]))
			return false;
	}
	ret->worked_ticks = ticks[0] + ticks[1] + ticks[2];
	ret->lost_ticks = ticks[5] + ticks[6] + ticks[7];
	return true;
}

bool sprof_proc_parse_syscall(const char *text, struct sprof_proc_syscall *ret)
{
	uint64_t number;

	*ret = (struct sprof_proc_syscall){.kind = SPROF_PROC_SYSCALL_RUNNING, .number = -1};
	if (!strncmp(text, "running", 7))
		return true;
	if (!scan_number(&text, 10, &number))
		return false;
	ret->number = (int64_t)number;
	ret->kind = ret->number < 0 ? SPROF_PROC_SYSCALL_OUTSIDE : SPROF_PROC_SYSCALL_INSIDE;
	for (unsigned i = 0; ret->number >= 0 && i < 6; i++) {
		if (!scan_number(&text, 16, &ret->arguments[i]))
			return false;
	}
	return scan_number(&text, 16, &ret->sp) && scan_number(&text, 16, &ret->pc);
}
