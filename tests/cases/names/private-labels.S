// As NASM writes it: only the function that other files call has a type; the other is a label like those inside it.
	.text
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
	.section .note.GNU-stack, "", @progbits
