/* Code that is written again at one place, 20 times, as a JIT compiler does; each time it calls work() and returns. */

#include <string.h>
#include <sys/mman.h>

__attribute__((noinline, noclone)) int work(void)
{
	__asm__ volatile("" ::: "memory");
	return 1;
}

static int (*write_code(unsigned char *place))(void)
{
	static const unsigned char begin[] = {
		0x48, 0x83, 0xec, 0x08, 0x48, 0xb8}; /* sub $8,%rsp; mov $...,%rax */
	static const unsigned char end[] = {
		0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08, 0xc3}; /* call *%rax; add $8,%rsp; ret */
	int (*const called)(void) = work;

	memcpy(place, begin, sizeof(begin));
	memcpy(place + sizeof(begin), &called, sizeof(called));
	memcpy(place + sizeof(begin) + sizeof(called), end, sizeof(end));
	return (int (*)(void))place;
}

int main(void)
{
	void *place = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sum = 0;

	if (place == MAP_FAILED)
		return 1;
	for (int i = 0; i < 20; i++)
		sum += write_code(place)();
	return sum != 20;
}
