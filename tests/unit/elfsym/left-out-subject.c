/*
 * A function that the linker leaves out (--gc-sections), longer than what lies before _start() in the file. Where the
 * ELF header is in a segment of code, debug information has this function in that place.
 */
static volatile unsigned number;

#define STEP number = number * 3 + 1;
#define STEPS STEP STEP STEP STEP STEP STEP STEP STEP
#define MANY STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS

void left_out(void);
void left_out(void)
{
	MANY MANY MANY MANY MANY MANY MANY MANY
}

int main(void)
{
	return (int)number;
}
