/* The table of source lines: see source_line.h. */
#include "model/source_line.h"

#include "model/check.h"

static const struct column columns[] = {
	TABLE_COLUMN(source_line, file, TEXT),
	TABLE_COLUMN(source_line, line, U32, .coding = CODING_DELTA),
	TABLE_COLUMN(source_line, text, TEXT),
};

const struct table source_lines_table = {
	.name = "source_lines",
	TABLE_OF(source_line, columns),
	.part = PART_SOURCE,
};
