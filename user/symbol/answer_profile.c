#include "symbol/answer_profile.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

uint32_t answer_clean_text(struct profile *p, const char *s)
{
	_free_ char *text = str_clean(s, strlen(s));

	return intern_add(&p->strings, text);
}

uint32_t answer_function_in(struct profile *p, const struct answer_view *v, uint32_t number,
			    uint32_t module, enum frame_kind kind, bool named)
{
	const struct answer_function *f = &v->functions[number];
	const struct function function = {
		.name = answer_clean_text(p, v->text + f->name),
		.linkage = answer_clean_text(p, v->text + f->linkage),
		.file = answer_clean_text(p, v->text + f->file),
		.line = f->line,
		.module = module,
		.kind = (uint8_t)kind,
		.named = named,
	};

	return profile_function(p, &function);
}
