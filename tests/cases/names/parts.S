// A function in parts (-fbasic-block-sections): the second one has a symbol without a type.
	.text
	.globl halves
	.type halves, @function
halves:
	.cfi_startproc
	movq $100000, %rcx
1:	decq %rcx
	jnz 1b
	jmp halves.__part.1
	.cfi_endproc
	.size halves, . - halves
	nop
halves.__part.1:
	.cfi_startproc
	movq $100000, %rcx
1:	decq %rcx
	jnz 1b
	ret
	.cfi_endproc
	.size halves.__part.1, . - halves.__part.1
	.section .note.GNU-stack, "", @progbits
