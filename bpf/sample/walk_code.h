/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_code: a part of a process's code, and the table that its frames are walked by.
 */
#ifndef SAMPLE_WALK_CODE_H
#define SAMPLE_WALK_CODE_H

#include "wire.h"

/* Code that has one table: a part of a mapping. Its other parts may have others. */
struct walk_code {
	__u64 start, end;
	__u64 file_offset; /* of start */
	struct wire_table table;
};

#endif
