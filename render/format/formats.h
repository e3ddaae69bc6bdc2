/*
 * formats: the formats there are, for the table alone; everybody else asks format_find(). And
 * what several of them share.
 */
#ifndef FORMAT_FORMATS_H
#define FORMAT_FORMATS_H

#include "format/format.h"

extern const struct format txt_format, html_format, svg_format, png_format, pdf_format, csv_format;

#endif
