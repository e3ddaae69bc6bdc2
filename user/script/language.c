#include "script/language.h"

#include <inttypes.h>
#include <stdio.h>

static const struct script_language *const languages[] = {
#define SCRIPT(name, NAME, number) [number] = &name##_language,
#include "scripts.def"
#undef SCRIPT
};

const uint32_t script_languages = sizeof(languages) / sizeof(*languages);

const struct script_language *script_language(uint32_t number)
{
	return number < script_languages ? languages[number] : NULL;
}

void interpreter_refuse(struct interpreter *i, const char *title, const char *unknown,
			const char *why)
{
	if (i->major)
		snprintf(i->reason, sizeof(i->reason), "%s %" PRIu32 ".%" PRIu32 ": %s", title,
			 i->major, i->minor, why);
	else
		snprintf(i->reason, sizeof(i->reason), "%s: %s", unknown, why);
}
