#include "export/cells.h"

#include <inttypes.h>

#include "paint/json_write.h"

const char *cell_text(const struct profile *p, const struct column *c, const char *row)
{
	return profile_text(p, *(const uint32_t *)(row + c->offset));
}

void cell_number(const struct column *c, const char *row, FILE *out)
{
	const char *at = row + c->offset;

	switch ((enum column_type)c->type) {
	case COLUMN_U8:
		json_int(out, "", *(const uint8_t *)at);
		break;
	case COLUMN_U32:
		json_int(out, "", *(const uint32_t *)at);
		break;
	case COLUMN_U64:
		fprintf(out, "%" PRIu64, *(const uint64_t *)at);
		break;
	case COLUMN_I64:
		json_int(out, "", *(const int64_t *)at);
		break;
	case COLUMN_F64:
		fprintf(out, "%.17g", *(const double *)at);
		break;
	case COLUMN_TEXT:
	case COLUMN_I128:
		break;
	}
}
