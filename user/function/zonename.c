#include "function/zonename.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symbol/demangle.h"

/* "_Z1fi.part.0" → ".part.0". */
static const char *ending_of(const char *linkage)
{
	const char *dot = strchr(linkage, '.');

	return linkage[0] == '_' && dot ? dot : "";
}

static char *with_ending(char *readable, const char *ending)
{
	char *whole;

	if (!readable || !*ending || strstr(readable, " [clone "))
		return readable;
	whole = mem_printf("%s [clone %s]", readable, ending);
	free(readable);
	return whole;
}

void zonename_spell(const char *linkage, char **name, char **full)
{
	*name = with_ending(demangle(linkage), ending_of(linkage));
	*full = *name ? with_ending(demangle_full(linkage), ending_of(linkage)) : NULL;
	if (!*name)
		*name = mem_strdup(linkage);
}
