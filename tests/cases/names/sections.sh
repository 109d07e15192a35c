#!/bin/sh
# An object file with more sections than a symbol can say in 16 bits; the function "late" is in one of the last.
i=0
while [ $i -lt "$1" ]; do
	echo ".section .text.f$i,\"ax\",@progbits"
	echo "f$i: .byte 1"
	i=$((i + 1))
done
echo '.section .text.late,"ax",@progbits
.globl late
.type late, @function
late: .byte 1, 1
.size late, .-late'
