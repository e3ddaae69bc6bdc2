#include "model/copying.h"

#include <stdlib.h>

#include "base/mem.h"

static uint32_t *new_numbers(size_t n)
{
	return mem_zalloc(n + 1, sizeof(uint32_t));
}

void copying_init(struct copying *c, const struct profile *from, struct profile *to)
{
	*c = (struct copying){.from = from,
			      .to = to,
			      .strings = new_numbers(intern_count(&from->strings)),
			      .modules = new_numbers(from->modules.n),
			      .functions = new_numbers(from->functions.n),
			      .frames = new_numbers(from->frames.n),
			      .reasons = new_numbers(from->reasons.n)};
}

void copying_release(struct copying *c)
{
	free(c->strings);
	free(c->modules);
	free(c->functions);
	free(c->frames);
	free(c->reasons);
	*c = (struct copying){0};
}

uint32_t copy_text(struct copying *c, uint32_t i)
{
	if (i && !c->strings[i])
		c->strings[i] = intern_add(&c->to->strings, profile_text(c->from, i));
	return c->strings[i];
}

uint32_t copy_module(struct copying *c, uint32_t i)
{
	const struct module *m = &c->from->modules.at[i];

	if (i && !c->modules[i])
		c->modules[i] = profile_module(c->to, profile_text(c->from, m->path),
					       profile_text(c->from, m->build_id));
	return c->modules[i];
}

uint32_t copy_function(struct copying *c, uint32_t i)
{
	struct function f = c->from->functions.at[i];

	if (i && !c->functions[i]) {
		f.name = copy_text(c, f.name);
		f.linkage = copy_text(c, f.linkage);
		f.file = copy_text(c, f.file);
		f.module = copy_module(c, f.module);
		c->functions[i] = profile_function(c->to, &f);
	}
	return c->functions[i];
}

uint32_t copy_frame(struct copying *c, uint32_t i)
{
	struct frame f = c->from->frames.at[i];

	if (i && !c->frames[i]) {
		f.function = copy_function(c, f.function);
		c->frames[i] = profile_frame(c->to, &f);
	}
	return c->frames[i];
}

uint32_t copy_reason(struct copying *c, uint32_t i)
{
	if (i && !c->reasons[i]) {
		struct reason r = c->from->reasons.at[i];

		r.call = copy_text(c, r.call);
		r.object = copy_text(c, r.object);
		c->reasons[i] = profile_reason(c->to, &r);
	}
	return c->reasons[i];
}
