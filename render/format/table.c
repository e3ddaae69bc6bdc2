#include <string.h>

#include "format/formats.h"

const struct format *const formats[] = {
	&html_format, &pdf_format, &svg_format, &png_format, &csv_format, &txt_format, NULL,
};

const struct format *format_find(const char *extension)
{
	for (const struct format *const *f = formats; *f; f++)
		if (!strcmp((*f)->extension, extension))
			return *f;
	return NULL;
}
