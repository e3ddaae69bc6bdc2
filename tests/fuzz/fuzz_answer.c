/* What a worker process answers that a hostile file has taken over: names of addresses. All that a
 * reader follows must lead into the answer. */
#include "symbol/answer.h"

#define FUZZ_RUN fuzz_answer_run
#include "fuzz.h"

static void follow(const struct answer_view *v)
{
	size_t sum = 0;

	for (uint32_t i = 0; i < v->n_queries; i++)
		expect(v->ends[i] <= v->n_frames && (!i || v->ends[i - 1] <= v->ends[i]));
	for (uint32_t i = 0; i < v->n_frames; i++)
		expect(v->frames[i].function < v->n_functions);
	for (uint32_t i = 0; i < v->n_functions; i++)
		sum += strlen(v->text + v->functions[i].name) +
		       strlen(v->text + v->functions[i].linkage) +
		       strlen(v->text + v->functions[i].file);
	for (uint32_t i = 0; i < v->n_splits; i++)
		sum += strlen(v->text + v->splits[i].name) + strlen(v->text + v->splits[i].folder);
	for (uint32_t i = 0; v->split_of && i < v->n_queries; i++)
		expect(v->split_of[i] <= v->n_splits);
	expect(sum < SIZE_MAX);
}

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	uint8_t *copy = malloc(n + 1); /* aligned, and nothing behind it */
	struct answer_view v;
	size_t used;

	memcpy(copy, bytes, n);
	for (size_t at = 0; at < n && (used = answer_read(copy + at, n - at, &v)); at += used) {
		expect(used <= n - at && used % 4 == 0);
		follow(&v);
	}
	free(copy);
}
