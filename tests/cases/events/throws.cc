/* 20 calls of work(). An exception leaves 10 of them, and the program continues right after the call. */

__attribute__((noinline)) void work(int number)
{
	if (number % 2)
		throw number;
	__asm__ volatile("" ::: "memory");
}

int main()
{
	for (volatile int i = 0; i < 20; i = i + 1) {
		try {
			work(i);
		} catch (int) {
		}
	}
	return 0;
}
