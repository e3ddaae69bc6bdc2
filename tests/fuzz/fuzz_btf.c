/* The kernel's type information, out of which a few types are cut. */
#include "load/btf_cut.h"

#define FUZZ_RUN fuzz_btf_run
#include "fuzz.h"

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	struct btf_cut_id ids[] = {{"btf_trace_born", 0}, {"bpf_iter_task", 0}};
	struct btf_cut c = {.ids = ids, .n_ids = 2};
	uint8_t *copy = malloc(n + 1);

	memcpy(copy, bytes, n);
	btf_cut_want(&c, "task");
	btf_cut_want(&c, "entity");
	if (!btf_cut(&c, copy, n))
		expect(c.bytes.n <= n + 4096);
	btf_cut_release(&c);
	free(copy);
}
