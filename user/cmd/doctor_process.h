/*
 * doctor_process: what a profile of a process would lack, and how to get it: names of generated
 * code, symbols of its files, waits of goroutines.
 */
#ifndef CMD_DOCTOR_PROCESS_H
#define CMD_DOCTOR_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* Texts are owned. */
struct doctor_finding {
	bool ok;
	char *what, *found, *get; /* get: "" where it is ok */
};

struct doctor_process {
	uint32_t pid;
	char *command; /* owned */
	VEC(struct doctor_finding) findings;
};

/* -ESRCH with a text: there is no such process, or its mappings cannot be read. To be released in
 * either case. @programs: a capture may load BPF programs. */
int doctor_process_look(struct doctor_process *, uint32_t pid, bool programs);
void doctor_process_release(struct doctor_process *);

#endif
