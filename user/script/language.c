#include "script/language.h"

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
