#include "work.h"

uint64_t work_steps;

void work_step(void)
{
	work_steps++;
}
