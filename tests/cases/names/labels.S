// As NASM writes it: functions have a type and no size, and their local labels are symbols.
	.text
	.globl scan
	.type scan, @function
scan:
	pushq %rbx
	pushq %rbx
	pushq %rbx
scan.loop:
	call ready_and_wait
scan.end:
	popq %rbx
	popq %rbx
	popq %rbx
	ret
	.globl scan_all
	.type scan_all, @function
scan_all:
	pushq %rbx
	pushq %rbx
	pushq %rbx
	call scan
scan_all.after:
	popq %rbx
	popq %rbx
	popq %rbx
	ret
	.section .note.GNU-stack, "", @progbits
