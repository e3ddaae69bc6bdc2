#include "script/detect.h"

#include "elf/dynsym.h"

static bool has(const struct elffile *f, const struct script_language *language)
{
	Elf64_Shdr section;
	Elf64_Sym symbol;

	return (language->section && !elffile_section(f, language->section, &section)) ||
	       (language->symbol && dynsym_find(f, language->symbol, &symbol));
}

bool script_detect(const struct elffile *f, struct interpreter *out)
{
	const struct script_language *language;

	*out = (struct interpreter){0};
	for (uint32_t i = 0; i < script_languages; i++) {
		language = script_language(i);
		if (!language || !has(f, language))
			continue;
		language->detect(f, out);
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
	out.runtime = i->runtime ? i->runtime + base : 0;
	out.code_type = i->code_type ? i->code_type + base : 0;
	if (i->tls)
		out.code_type = i->tls;
	out.loop = i->loop.function.at + base;
	out.loop_bytes = i->loop.function.bytes;
	out.cold = i->loop.cold.at + base;
	out.cold_bytes = i->loop.cold.bytes;
	out.core = i->loop.core.at + base;
	out.core_bytes = i->loop.core.bytes;
	return out;
}
