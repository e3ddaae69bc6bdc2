#include "script/detect.h"

bool script_detect(const struct elffile *f, struct interpreter *out)
{
	const struct script_language *language;
	Elf64_Shdr state;

	*out = (struct interpreter){0};
	for (uint32_t i = 0; i < script_languages; i++) {
		language = script_language(i);
		if (!language || elffile_section(f, language->section, &state))
			continue;
		language->detect(f, &state, out);
		out->language = (enum wire_script_language)i;
		return true;
	}
	return false;
}

struct wire_script_proc script_proc(const struct interpreter *i, uint64_t base)
{
	const struct script_language *language = script_language(i->language);
	struct wire_script_proc out = {0};

	if (!language || i->reason[0])
		return out;
	language->layout(i, &out);
	out.language = (uint8_t)i->language;
	out.runtime = i->runtime + base;
	out.code_type = i->code_type ? i->code_type + base : 0;
	return out;
}
