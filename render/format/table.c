#include "format/format.h"

#include <string.h>

#define FORMAT(name) extern const struct format name##_format;
#include "format/formats.def"
#undef FORMAT

const struct format *const formats[] = {
#define FORMAT(name) &name##_format,
#include "format/formats.def"
#undef FORMAT
	NULL,
};

const struct format *format_find(const char *extension)
{
	for (const struct format *const *f = formats; *f; f++)
		if (!strcmp((*f)->extension, extension))
			return *f;
	return NULL;
}
