#!/bin/sh
# A program with 400 functions, each of which is called three times.
i=0
while [ $i -lt 400 ]; do
	echo "__attribute__((noinline, noclone)) int many$i(int x) { volatile int y = x; return y + $i; }"
	i=$((i + 1))
done
echo 'int main(void) { for (int k = 0; k < 3; k++) {'
i=0
while [ $i -lt 400 ]; do
	echo "if (many$i(k) != k + $i) return 1;"
	i=$((i + 1))
done
echo '} return 42; }'
