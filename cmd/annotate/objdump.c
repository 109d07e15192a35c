/*
 * Runs objdump. It supports every machine that sprof runs on, names the targets of calls and
 * references to data, and matches what users see elsewhere; a decoder library yields only the bare
 * instruction. It reads the open file, so no path goes through the shell, and the file can't be
 * replaced meanwhile.
 */
#include "cmd/annotate/objdump.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/helper-program.h"

static const struct sprof_helper_program objdump = {
	"--asm", "objdump", "disassembles", "install binutils (Debian: apt install binutils)"};

/* "  401136:\tpush   %rbp" is an instruction; labels and titles have no such beginning. */
static bool take_line(char *line, sprof_objdump_taker take, void *data)
{
	char *end;
	uint64_t address = strtoull(line, &end, 16);

	if (end == line || end[0] != ':' || end[1] != '\t')
		return true;
	end += 2;
	for (char *at = end; *at; at++) {
		if (*at == '\t')
			*at = ' ';
	}
	for (size_t length = strlen(end); length && strchr(" \n", end[length - 1]);)
		end[--length] = '\0';
	return take(data, address, end);
}

static bool read_all(FILE *pipe, sprof_objdump_taker take, void *data)
{
	SPROF_AUTO_FREE char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, pipe) > 0) {
		if (!take_line(line, take, data))
			return false;
	}
	return true;
}

bool sprof_objdump_run(const struct sprof_objdump_range *range, sprof_objdump_taker take,
	void *data, struct sprof_error *err)
{
	SPROF_AUTO_CLOSE int inherited = fcntl(range->fd, F_DUPFD, 3);
	char command[320];
	FILE *pipe;
	bool ok;
	int status;

	if (inherited < 0)
		return sprof_error_errno(err, errno, "can't copy a file descriptor");
	snprintf(command, sizeof(command),
		"command -v objdump >/dev/null || exit 127; LC_ALL=C exec objdump -d -C -w --no-show-raw-insn --start-address=0x%" PRIx64
		" --stop-address=0x%" PRIx64 " /dev/fd/%d",
		range->begin, range->end, inherited);
	pipe = popen(command, "re");
	if (!pipe)
		return sprof_error_errno(err, errno, "can't run objdump");
	ok = read_all(pipe, take, data);
	status = pclose(pipe);
	return ok ? sprof_helper_program_judge(&objdump, status, err) : sprof_error_no_memory(err);
}
