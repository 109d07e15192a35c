/* What the files of twins.c know of each other. */

#pragma once

extern volatile unsigned long twins_sum;

void read_all(unsigned long count);
void write_all(unsigned long count);
