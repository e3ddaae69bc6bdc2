#include "elf/symbolname.h"

#include <string.h>

#include "base/str.h"

size_t symbolname_bytes(const char *text)
{
	return str_ends(text, SYMBOLNAME_STUB) ? strlen(text) : strcspn(text, "@");
}

bool symbolname_is_one_of(const char *text, const char *const *names, size_t n)
{
	const size_t bytes = symbolname_bytes(text);

	for (size_t i = 0; i < n; i++) {
		if (strlen(names[i]) == bytes && !strncmp(names[i], text, bytes))
			return true;
	}
	return false;
}

const char *symbolname_copy_ending(const char *name)
{
	static const char *const forms[] = {".constprop.", ".isra.", ".lto_priv.", ".llvm."};
	const char *clone = strstr(name, " [clone ");
	const char *first = NULL;

	if (strstr(name, ".part."))
		return NULL;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const char *at = strstr(name, forms[i]);

		if (at && at > name && (!first || at < first))
			first = at;
	}
	return first && clone && clone < first ? clone : first;
}
