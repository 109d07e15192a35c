/* Values that are narrower or wider than usual, in a frame that stays. */

#include "tests/cases/ready.h"

struct narrow {
	int five : 5;
	signed char three : 3;
	long wide : 33;
	unsigned without_sign : 5;
	int one : 1;
};
enum sign { MINUS = -2, PLUS = 1 };
struct of_enum {
	enum sign sign : 3;
};
struct open_ended {
	int count;
	char data[0];
};
static volatile long sum;

APART void stay(void)
{
	say_ready();
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	volatile struct narrow narrow = {-7, -1, -4000000000L, 25, -1};
	volatile struct of_enum of_enum = {MINUS};
	volatile struct {
		struct open_ended it;
		char behind[4];
	} open = {{2}, "zyx"};
	volatile __int128 huge = ((__int128)1 << 100) + 5;
	volatile unsigned char digest[6] = {1, 0, 2};
	volatile int of_size[argc + 2];

	(void)argv;
	for (int i = 0; i < argc + 2; i++)
		of_size[i] = i + 40;
	stay();
	sum += narrow.five + of_enum.sign + open.it.count + (long)huge + digest[0] + of_size[0];
	return 0;
}
