#include "paint/cut.h"

#include "base/mem.h"
#include "base/str.h"

#define LABEL_MIDDLE 12 /* columns from which a label keeps its end */

char *cut_middle(const char *s, size_t columns)
{
	return str_cut_middle(s, columns, "…");
}

char *cut_label(const char *s, size_t columns)
{
	if (columns >= LABEL_MIDDLE || !columns || str_width(s) <= columns)
		return cut_middle(s, columns);
	return mem_printf("%.*s…", (int)(str_fit(s, columns - 1) - s), s);
}
