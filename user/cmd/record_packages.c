#include "cmd/record_packages.h"

#include <string.h>

#include "base/mem.h"
#include "cmd/record_version.h"
#include "model/meta.h"
#include "symbol/buildversion.h"

/* Looking a file up reads the lists of all packages. */
#define MODULES_MOST 3
/* The part of the samples that a module's functions without a name must have. */
#define SHARE_LEAST 0.01

/* Packages whose debug package has another name than theirs. */
static const char *const others[][2] = {
	{"libc6", "libc6-dbg"},
	{"libpython3.11-minimal", "python3.11-dbg"},
	{"python3.11-minimal", "python3.11-dbg"},
};

void packages_add_debug(struct str *s, const char *package)
{
	const size_t n = strcspn(package, ":");

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (strlen(others[i][0]) == n && !memcmp(others[i][0], package, n)) {
			str_add(s, others[i][1]);
			return;
		}
	}
	str_addn(s, package, n);
	str_add(s, "-dbgsym");
}

/* By module: samples in functions without a name. Freed by the caller. */
static uint64_t *unnamed_samples(const struct profile *p)
{
	uint64_t *n = mem_zalloc(p->modules.n, sizeof(*n));

	for (size_t i = 0; i < p->samples.n; i++) {
		const struct node *node = &p->nodes.at[p->samples.at[i].node];
		const struct frame *frame = &p->frames.at[node->frame];
		const struct function *f = &p->functions.at[frame->function];

		n[f->module] += f->kind == KIND_NATIVE && !f->named;
	}
	return n;
}

/* The module of most such samples, which is then left out; 0: none has enough of them. */
static uint32_t take_largest(const struct profile *p, uint64_t *n)
{
	uint32_t largest = 0;

	for (uint32_t i = 1; i < p->modules.n; i++)
		if (n[i] > (largest ? n[largest] : 0))
			largest = i;
	if (largest && (double)n[largest] < SHARE_LEAST * (double)p->samples.n)
		return 0;
	n[largest] = 0;
	return largest;
}

void record_packages_set(struct profile *p, struct opener *opener)
{
	static const char origin[] = "Debian package ";
	_free_ uint64_t *n = unnamed_samples(p);
	struct str s = {0};
	uint32_t module;

	for (int i = 0; i < MODULES_MOST && (module = take_largest(p, n)); i++) {
		const char *path = profile_text(p, p->modules.at[module].path);
		const char *id = profile_text(p, p->modules.at[module].build_id);
		struct buildversion v;

		record_version_find(opener, path, id, &v);
		if (!str_starts(v.origin, origin))
			continue;
		str_add(&s, s.n ? ", " : "");
		packages_add_debug(&s, v.origin + strlen(origin));
		str_addf(&s, " (%s)", str_base(path));
	}
	if (s.n)
		profile_set_run(p, RUN_DEBUG_PACKAGES, s.s);
	str_release(&s);
}
