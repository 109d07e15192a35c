/* Two closures of one function of Rust: their names differ in the hash at the end only. */

#include "tests/cases/work.h"

static volatile long sum;

__attribute__((noinline)) void first(void) __asm__(
	"_ZN3app4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE");
__attribute__((noinline)) void second(void) __asm__(
	"_ZN3app4main28_$u7b$$u7b$closure$u7d$$u7d$17hfedcba9876543210E");

void first(void)
{
	for (int i = 0; i < 100000; i++)
		sum++;
}

void second(void)
{
	for (int i = 0; i < 100000; i++)
		sum += 3;
}

int main(void)
{
	while (has_work()) {
		first();
		second();
	}
	return 0;
}
