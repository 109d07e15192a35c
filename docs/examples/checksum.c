/* The checksum of a file, which it reads itself. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int next_byte(int fd)
{
	unsigned char byte;

	return read(fd, &byte, 1) == 1 ? byte : -1;
}

static unsigned long checksum(int fd)
{
	unsigned long sum = 0;
	int byte;

	while ((byte = next_byte(fd)) >= 0)
		sum = sum * 31 + (unsigned long)byte;
	return sum;
}

int main(int argc, char *argv[])
{
	const int fd = open(argc > 1 ? argv[1] : argv[0], O_RDONLY);

	if (fd < 0) {
		perror("open");
		return 1;
	}
	printf("%lx\n", checksum(fd));
	return 0;
}
