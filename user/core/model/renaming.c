#include "model/renaming.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "model/reframe.h"

void renaming_release(struct renaming *r)
{
	intern_release(&r->texts);
	vec_release(&r->functions);
	vec_release(&r->frames);
	vec_release(&r->spans);
}

/* --- into the profile --------------------------------------------------------------------------
 */

static uint32_t text_in(const struct renaming *r, uint32_t text, struct profile *p)
{
	const char *at = intern_text(&r->texts, text);
	_free_ char *clean = str_clean(at, strlen(at));

	return intern_add(&p->strings, clean);
}

/* The profile's frame for one of a module. */
static uint32_t frame_in(const struct renaming *r, const struct renaming_frame *frame,
			 uint32_t module, bool guessed, struct profile *p)
{
	const struct renaming_function *f = &r->functions.at[frame->function];
	const struct function function = {
		.name = text_in(r, f->name, p),
		.linkage = text_in(r, f->linkage, p),
		.file = text_in(r, f->file, p),
		.line = f->line,
		.module = module,
		.kind = KIND_NATIVE,
		.named = true,
	};
	const struct frame named = {.function = profile_function(p, &function),
				    .line = frame->line,
				    .inlined = frame->inlined != 0,
				    .guessed = guessed};

	return profile_frame(p, &named);
}

void renaming_apply(const struct renaming *r, const struct unnamed *u, struct profile *p)
{
	const size_t n = p->frames.n;
	_free_ uint32_t *of = unnamed_of_frames(u, p);
	_free_ uint32_t *first = mem_zalloc(n + 1, sizeof(*first));
	VEC(uint32_t) by = {0};

	for (size_t i = 0; i < n; i++) {
		const struct renaming_span none = {0};
		const struct renaming_span *s = of[i] ? &r->spans.at[of[i] - 1] : &none;
		const struct frame was = p->frames.at[i];
		const uint32_t module = p->functions.at[was.function].module;

		for (uint32_t k = 0; k < s->n; k++)
			vec_push(&by,
				 frame_in(r, &r->frames.at[s->first + k], module, was.guessed, p));
		first[i + 1] = (uint32_t)by.n;
	}
	if (by.n)
		reframe(p, first, by.at, n);
	vec_release(&by);
}

/* --- as bytes
 * ------------------------------------------------------------------------------------- */

struct head {
	uint64_t functions, frames, spans, text_bytes;
};

#define ADD_ALL(out, v)                                                                  \
	do {                                                                             \
		if ((v)->n)                                                              \
			str_addn(out, (const char *)(v)->at, (v)->n * sizeof(*(v)->at)); \
	} while (0)

void renaming_pack(const struct renaming *r, struct str *out)
{
	const struct head head = {r->functions.n, r->frames.n, r->spans.n, r->texts.bytes.n};

	str_addn(out, (const char *)&head, sizeof(head));
	ADD_ALL(out, &r->functions);
	ADD_ALL(out, &r->frames);
	ADD_ALL(out, &r->spans);
	ADD_ALL(out, &r->texts.bytes);
}

struct rest {
	const char *at;
	size_t n;
};

static const char *take(struct rest *rest, uint64_t n, size_t bytes)
{
	const char *at = rest->at;

	if (n > rest->n / bytes)
		return NULL;
	rest->at += n * bytes;
	rest->n -= n * bytes;
	return at;
}

#define TAKE_ALL(rest, v, count)                                            \
	({                                                                  \
		const char *from_ = take(rest, count, sizeof(*(v)->at));    \
		if (from_) {                                                \
			vec_reserve(v, (count) + 1);                        \
			(v)->n = (count);                                   \
			memcpy((v)->at, from_, (count) * sizeof(*(v)->at)); \
		}                                                           \
		from_ ? 0 : -EINVAL;                                        \
	})

/* In the order of their numbers, each once: then they have the same numbers here. */
static int take_texts(struct rest *rest, uint64_t n, struct renaming *r)
{
	const char *at = take(rest, n, 1), *end;

	if (!at || (n && at[n - 1]))
		return -EINVAL;
	end = at + n;
	for (uint32_t i = 0; at < end; i++, at += strlen(at) + 1)
		if (intern_add(&r->texts, at) != i)
			return -EINVAL;
	return 0;
}

static int check(const struct renaming *r)
{
	const size_t texts = intern_count(&r->texts);

	for (size_t i = 0; i < r->functions.n; i++) {
		const struct renaming_function *f = &r->functions.at[i];

		if (f->name >= texts || f->linkage >= texts || f->file >= texts)
			return -EINVAL;
	}
	for (size_t i = 0; i < r->frames.n; i++)
		if (r->frames.at[i].function >= r->functions.n)
			return -EINVAL;
	for (size_t i = 0; i < r->spans.n; i++) {
		const struct renaming_span *s = &r->spans.at[i];

		if (s->first > r->frames.n || s->n > r->frames.n - s->first)
			return -EINVAL;
	}
	return 0;
}

static int unpack(struct rest rest, struct renaming *r)
{
	const char *at = take(&rest, 1, sizeof(struct head));
	struct head head;
	int rc;

	if (!at)
		return -EINVAL;
	memcpy(&head, at, sizeof(head));
	rc = TAKE_ALL(&rest, &r->functions, head.functions);
	if (!rc)
		rc = TAKE_ALL(&rest, &r->frames, head.frames);
	if (!rc)
		rc = TAKE_ALL(&rest, &r->spans, head.spans);
	if (!rc)
		rc = take_texts(&rest, head.text_bytes, r);
	if (!rc && rest.n)
		rc = -EINVAL;
	return rc ? rc : check(r);
}

int renaming_unpack(const char *at, size_t n, size_t addresses, struct renaming *r)
{
	int rc;

	*r = (struct renaming){0};
	rc = unpack((struct rest){at, n}, r);
	if (!rc && r->spans.n != addresses)
		rc = -EINVAL;
	return rc ? err(rc, "the names that were found cannot be read") : 0;
}
