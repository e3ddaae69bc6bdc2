#include "paint/cut.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* Where the @n-th code point of @s starts; the end where it has fewer. */
static const char *cut_at(const char *s, size_t n)
{
	while (*s && n--) {
		s++;
		while (((unsigned char)*s & 0xc0) == 0x80)
			s++;
	}
	return s;
}

#define LABEL_MIDDLE 12 /* columns from which a label keeps its end */

char *cut_middle(const char *s, size_t columns)
{
	return str_cut_middle(s, columns, "…");
}

char *cut_label(const char *s, size_t columns)
{
	if (columns >= LABEL_MIDDLE || !columns || str_width(s) <= columns)
		return cut_middle(s, columns);
	return mem_printf("%.*s…", (int)(cut_at(s, columns - 1) - s), s);
}
