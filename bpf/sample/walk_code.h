/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_code: a part of a process's code, and the table with its unwind rules.
 */
#ifndef SAMPLE_WALK_CODE_H
#define SAMPLE_WALK_CODE_H

#include "wire.h"

/* Code with one table: a part of a mapping, whose other parts may have other tables. */
struct walk_code {
	__u64 start, end;
	__u64 file_offset; /* of start */
	struct wire_table table;
};

#endif
