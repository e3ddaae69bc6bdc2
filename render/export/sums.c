#include "export/sums.h"

void sums_build(const struct profile *p, struct sums *out)
{
	const struct samples *s = &p->samples;
	const size_t metrics = s->values.n;

	*out = (struct sums){0};
	for (size_t i = 0; i < s->n; i++) {
		const struct sum key = {.node = s->at[i].node,
					.thread = s->at[i].thread,
					.zone = s->at[i].zone,
					.reason = s->at[i].reason};
		uint32_t row;
		bool fresh;

		if (!sample_has_value(s, i))
			continue;
		row = numbering_put(&out->keys,
				    (struct key){{key.node, key.thread, key.zone, key.reason}},
				    &fresh);
		if (fresh) {
			vec_push(&out->rows, key);
			for (size_t m = 0; m < metrics; m++)
				vec_push(&out->values, 0);
		}
		out->rows.at[row].samples++;
		for (size_t m = 0; m < metrics; m++)
			out->values.at[row * metrics + m] += s->values.at[m].at[i];
	}
}

void sums_release(struct sums *s)
{
	vec_release(&s->rows);
	vec_release(&s->values);
	numbering_release(&s->keys);
}
