#include "query/wait_class.h"

#include <stdlib.h>

#include "base/mem.h"
#include "query/measure.h"
#include "query/wait_peers.h"

struct judged {
	struct wait_paths paths;
	uint8_t *rule; /* per path: enum wait_rule */
};

const char *wait_class_name(enum wait_class class)
{
	static const char *const names[WAIT_CLASSES] = {"", "held up", "idle", "undecided"};

	return class < WAIT_CLASSES ? names[class] : "";
}

static const struct wait_path *path_of(const struct judged *j, uint32_t path)
{
	return &j->paths.at.at[path];
}

static enum wait_class class_by(enum wait_rule rule, uint8_t kind)
{
	const bool polls = kind == REASON_POLL || kind == REASON_EPOLL;

	switch (rule) {
	case RULE_IDLE:
		return WAIT_IDLE;
	case RULE_HELD_UP:
		return WAIT_HELD_UP;
	case RULE_IDLE_POLL:
		return polls ? WAIT_IDLE : WAIT_HELD_UP;
	case RULE_OPEN_POLL:
		return polls ? WAIT_IDLE : WAIT_UNDECIDED;
	case RULE_UNDECIDED_POLL:
		return polls ? WAIT_UNDECIDED : WAIT_HELD_UP;
	case RULE_NONE:
	case RULE_UNDECIDED:
		break;
	}
	return WAIT_UNDECIDED;
}

/* A thread of the kernel, whose state says it: it sleeps interruptibly until there is work. */
static bool is_kernel_thread(const struct judged *j, const struct reason *r, uint32_t site)
{
	const struct wait_path *path = path_of(j, site);

	return r->kind == REASON_KERNEL && !r->call && path->parent == site && !path->first_child;
}

static enum wait_class class_of(const struct judged *j, const struct profile *p, size_t row)
{
	const uint32_t site = j->paths.site[row];
	const struct reason none = {0};
	const struct reason *r =
		p->samples.at[row].reason ? &p->reasons.at[p->samples.at[row].reason] : &none;
	const struct wait_path *path = path_of(j, site);

	switch ((enum wait_row)j->paths.row[row]) {
	case WAIT_ROW_NONE:
	case WAIT_ROW_WORK:
		return WAIT_NONE;
	case WAIT_ROW_CLEAR:
		return WAIT_HELD_UP;
	case WAIT_ROW_LOCK:
		return path_of(j, path->root)->stacks > 1 ? WAIT_HELD_UP : WAIT_UNDECIDED;
	case WAIT_ROW_OPEN:
		break;
	}
	if (site && is_kernel_thread(j, r, site))
		return r->state == 'I' || r->state == 'S' ? WAIT_IDLE : WAIT_HELD_UP;
	return class_by((enum wait_rule)j->rule[site], r->kind);
}

/* The function of the script that waits for the interpreter's lock; 0: it does not, or there is
 * none. What takes the lock is the interpreter's own. */
static uint32_t script_site(const struct profile *p, size_t row)
{
	const struct sample *s = &p->samples.at[row];
	const bool waits = s->reason && p->reasons.at[s->reason].kind == REASON_GIL;
	const uint32_t node = waits ? profile_script_node(p, s->node) : 0;

	return node ? p->frames.at[p->nodes.at[node].frame].function : 0;
}

/* The function of each path or of one above it, in which no wait is idle or undecided. */
static void name_sites(const struct judged *j, const struct profile *p, struct wait_classes *out)
{
	const size_t n = j->paths.at.n;
	_free_ bool *waits = mem_zalloc(n + 1, sizeof(*waits));
	_free_ bool *common = mem_zalloc(p->functions.n + 1, sizeof(*common));
	_free_ uint32_t *site = mem_zalloc(n + 1, sizeof(*site));

	for (size_t i = 0; i < p->samples.n; i++)
		waits[j->paths.site[i]] |= out->of[i] == WAIT_IDLE || out->of[i] == WAIT_UNDECIDED;
	for (size_t i = n; i-- > 1;) {
		const struct wait_path *path = &j->paths.at.at[i];

		waits[path->parent] |= waits[i];
		common[path->function] |= waits[i];
	}
	for (uint32_t i = 1; i < n; i++) {
		const struct wait_path *path = path_of(j, i);

		site[i] = common[path->function] ? site[path->parent] : path->function;
	}
	for (size_t i = 0; i < p->samples.n; i++) {
		const uint32_t at = j->paths.site[i];
		const uint32_t script = script_site(p, i);

		if (script) {
			out->site[i] = script;
			continue;
		}
		out->site[i] = site[at] && j->paths.row[i] == WAIT_ROW_OPEN
				       ? site[at]
				       : path_of(j, at)->function;
	}
}

/* Most captures have none, and reports ask for the classes of all samples several times. */
static bool has_waits(const struct profile *p)
{
	struct measure blocked;

	return p->reasons.n > 1 || measure_has(p, METRIC_BLOCKED, &blocked);
}

void wait_classes_init(struct wait_classes *out, const struct profile *p)
{
	struct judged j = {0};

	*out = (struct wait_classes){.profile = p,
				     .of = mem_zalloc(p->samples.n + 1, sizeof(*out->of)),
				     .site = mem_zalloc(p->samples.n + 1, sizeof(*out->site))};
	if (!has_waits(p))
		return;
	wait_paths_init(&j.paths, p);
	j.rule = wait_judge(&j.paths);
	wait_peers_agree(&j.paths, j.rule);
	for (size_t i = 0; i < p->samples.n; i++)
		out->of[i] = (uint8_t)class_of(&j, p, i);
	name_sites(&j, p, out);
	wait_paths_release(&j.paths);
	free(j.rule);
}

const struct wait_classes *wait_classes_of(const struct profile *p, struct wait_classes *kept,
					   struct wait_classes *own)
{
	struct wait_classes *use = kept && (!kept->profile || kept->profile == p) ? kept : own;

	*own = (struct wait_classes){0};
	if (!use->profile)
		wait_classes_init(use, p);
	return use;
}

void wait_classes_release(struct wait_classes *w)
{
	free(w->of);
	free(w->site);
	*w = (struct wait_classes){0};
}
