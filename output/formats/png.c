/*
 * The call graph drawn by the dot program, because a drawing library would pull in a desktop stack.
 * dot reads the graph from memory as its standard input, and its drawing is copied to the output.
 * Its command line contains no names from the profile.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/helper-program.h"
#include "output/format.h"

static const struct sprof_helper_program dot = {"png", "dot", "draws the graph",
	"install Graphviz (Debian: apt install graphviz), or write -f dot and draw it elsewhere"};

/* Writes the graph to a file without a name, to be read from its beginning. */
static bool draw_to_memory(const struct sprof_profile *profile,
	const struct sprof_output_options *options, int fd, struct sprof_error *err)
{
	struct sprof_out *memory;

	if (!sprof_out_open_fd(fd, "memory", &memory, err))
		return false;
	if (!sprof_format_dot.write(profile, options, memory, err)) {
		sprof_out_discard(memory);
		return false;
	}
	return sprof_out_close(memory, err);
}

static bool run_dot(int fd, struct sprof_out *out, struct sprof_error *err)
{
	char command[64], buffer[16384];
	FILE *pipe;
	size_t got;

	snprintf(command, sizeof(command), "exec dot -Tpng </dev/fd/%d", fd);
	pipe = popen(command, "re");
	if (!pipe)
		return sprof_error_errno(err, errno, "can't run dot");
	while ((got = fread(buffer, 1, sizeof(buffer), pipe)) > 0)
		sprof_out_write(out, buffer, got);
	return sprof_helper_program_judge(&dot, pclose(pipe), err);
}

static bool write_png(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	SPROF_AUTO_CLOSE int fd = memfd_create("graph", 0); /* dot inherits it */

	if (fd < 0)
		return sprof_error_errno(err, errno, "can't make a file in memory");
	return draw_to_memory(profile, options, fd, err) && run_dot(fd, out, err);
}

const struct sprof_format sprof_format_png = {
	.name = "png",
	.suffix = ".png",
	.summary = "the call graph, drawn by Graphviz",
	.write = write_png,
};
