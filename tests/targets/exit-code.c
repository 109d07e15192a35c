/* Writes a line to each of its output streams and exits with the code it is told. */
#include <unistd.h>

#include "tests/targets/target.h"

static const char error_line[] = "a line for stderr\n";

int main(int argc, char *argv[])
{
	target_init(&argc, argv);
	target_ready("%ld", target_number(argc, argv, 1, 0));
	if (write(STDERR_FILENO, error_line, sizeof(error_line) - 1) < 0)
		return 99;
	return (int)target_number(argc, argv, 1, 0);
}
