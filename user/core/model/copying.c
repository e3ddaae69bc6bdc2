#include "model/copying.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static struct copying_numbers new_numbers(size_t n)
{
	return (struct copying_numbers){mem_zalloc(n + 1, sizeof(uint32_t)), n};
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

void copying_init_after(struct copying *c, const struct profile *from, struct profile *to,
			const struct copying *before)
{
	copying_init(c, from, to);
	c->before = before;
}

void copying_release(struct copying *c)
{
	free(c->strings.at);
	free(c->modules.at);
	free(c->functions.at);
	free(c->frames.at);
	free(c->reasons.at);
	*c = (struct copying){0};
}

/* What had this number before; 0: nothing had. */
static uint32_t before(const struct copying_numbers *numbers, uint32_t i)
{
	return i < numbers->n ? numbers->at[i] : 0;
}

static uint32_t text_before(const struct copying *c, const char *text, uint32_t i)
{
	uint32_t old = c->before ? before(&c->before->strings, i) : 0;

	return old && !strcmp(profile_text(c->to, old), text) ? old : 0;
}

static uint32_t function_before(const struct copying *c, const struct function *f, uint32_t i)
{
	uint32_t old = c->before ? before(&c->before->functions, i) : 0;
	const struct function *g = &c->to->functions.at[old];

	return old && f->name == g->name && f->file == g->file && f->line == g->line &&
			       f->module == g->module && f->kind == g->kind
		       ? old
		       : 0;
}

static uint32_t frame_before(const struct copying *c, const struct frame *f, uint32_t i)
{
	uint32_t old = c->before ? before(&c->before->frames, i) : 0;
	const struct frame *g = &c->to->frames.at[old];

	return old && f->function == g->function && f->line == g->line &&
			       f->inlined == g->inlined && f->guessed == g->guessed &&
			       f->address == g->address
		       ? old
		       : 0;
}

uint32_t copy_text(struct copying *c, uint32_t i)
{
	if (i && !c->strings.at[i]) {
		const char *text = profile_text(c->from, i);
		uint32_t old = text_before(c, text, i);

		c->strings.at[i] = old ? old : intern_add(&c->to->strings, text);
	}
	return c->strings.at[i];
}

uint32_t copy_module(struct copying *c, uint32_t i)
{
	const struct module *m = &c->from->modules.at[i];

	if (i && !c->modules.at[i])
		c->modules.at[i] = profile_module(c->to, profile_text(c->from, m->path),
						  profile_text(c->from, m->build_id));
	return c->modules.at[i];
}

uint32_t copy_function(struct copying *c, uint32_t i)
{
	struct function f = c->from->functions.at[i];

	if (i && !c->functions.at[i]) {
		uint32_t old;

		f.name = copy_text(c, f.name);
		f.linkage = copy_text(c, f.linkage);
		f.file = copy_text(c, f.file);
		f.module = copy_module(c, f.module);
		old = function_before(c, &f, i);
		c->functions.at[i] = old ? old : profile_function(c->to, &f);
	}
	return c->functions.at[i];
}

uint32_t copy_frame(struct copying *c, uint32_t i)
{
	struct frame f = c->from->frames.at[i];

	if (i && !c->frames.at[i]) {
		uint32_t old;

		f.function = copy_function(c, f.function);
		old = frame_before(c, &f, i);
		c->frames.at[i] = old ? old : profile_frame(c->to, &f);
	}
	return c->frames.at[i];
}

uint32_t copy_reason(struct copying *c, uint32_t i)
{
	if (i && !c->reasons.at[i]) {
		struct reason r = c->from->reasons.at[i];

		r.call = copy_text(c, r.call);
		r.object = copy_text(c, r.object);
		c->reasons.at[i] = profile_reason(c->to, &r);
	}
	return c->reasons.at[i];
}

void copy_attributes(const struct profile *from, struct profile *to)
{
	for (size_t i = 0; i < from->meta.n; i++)
		profile_set_meta(to, profile_text(from, from->meta.at[i].key),
				 profile_text(from, from->meta.at[i].text));
	for (size_t i = 0; i < from->run.n; i++) {
		const char *key = profile_text(from, from->run.at[i].key);

		/* Of the profile as a whole, and its tables are not copied. */
		if (!str_starts(key, REGRESSION_PREFIX))
			profile_set_run(to, key, profile_text(from, from->run.at[i].text));
	}
	to->started_unix_ns = from->started_unix_ns;
	to->duration_ns = from->duration_ns;
}
