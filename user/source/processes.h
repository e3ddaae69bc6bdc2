/*
 * processes: options of the source of that name, which every capture has.
 */
#ifndef SOURCE_PROCESSES_H
#define SOURCE_PROCESSES_H

#include <stdbool.h>

struct processes_options {
	bool no_commands; /* --no-cmdline */
};

#endif
