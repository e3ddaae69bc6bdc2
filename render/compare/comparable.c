#include "compare/comparable.h"

#include <string.h>

#include "base/str.h"
#include "compare/gather.h"
#include "model/meta.h"

/* The first text of that key that differs from *@first, the first one that is known; NULL: none. */
static const char *other_text(const struct compare_input *in, const char *key, const char **first)
{
	*first = NULL;
	for (size_t i = 0; i < in->n[BASE] + in->n[NEW]; i++) {
		const char *text = profile_meta(gather_run(in, i), key);

		if (!text || !*text)
			continue;
		if (!*first)
			*first = text;
		else if (strcmp(*first, text) != 0)
			return text;
	}
	return NULL;
}

static void check_machine(const struct compare_input *in, struct comparison *c)
{
	static const struct {
		const char *key, *what;
	} must[] = {{META_ARCH, "architecture"}, {META_CPU_FINGERPRINT, "CPU"}},
	  may[] = {{META_RELEASE, "kernel"}, {META_CORES, "number of CPUs"}};
	const char *first, *other;

	for (size_t i = 0; i < sizeof(must) / sizeof(*must) && !c->not_comparable; i++) {
		other = other_text(in, must[i].key, &first);
		if (other)
			c->not_comparable =
				comparison_own(c, mem_printf("the %s differs: %s and %s",
							     must[i].what, first, other));
	}
	for (size_t i = 0; i < sizeof(may) / sizeof(*may); i++) {
		other = other_text(in, may[i].key, &first);
		if (other)
			comparison_note(c, mem_printf("The %s differs: %s and %s.", may[i].what,
						      first, other));
	}
}

/* --- captures of different kinds -------------------------------------------------------------- */

/* What samples were taken of: "cpu-clock, page-faults". Freed by the caller. */
static char *events_of(const struct profile *p)
{
	struct str s = {0};

	vec_each (m, &p->metrics)
		if (m->kind != METRIC_VARIANCE)
			str_addf(&s, "%s%s", s.n ? ", " : "", profile_text(p, m->name));
	return str_steal(&s);
}

/* Whether samples of both are of one metric: of others it is said that they are not compared. */
static bool has_common_metric(const struct profile *a, const struct profile *b)
{
	vec_each (m, &a->metrics)
		vec_each (n, &b->metrics)
			if (!strcmp(profile_text(a, m->name), profile_text(b, n->name)))
				return true;
	return false;
}

/* How the target was chosen, in words. */
static char *kind_of_target(const struct profile *p)
{
	static const struct {
		const char *begins, *words;
	} kinds[] = {{"-a", "the whole machine"},
		     {"-G", "a cgroup"},
		     {"-p", "processes that ran already"},
		     {"-t", "a thread"},
		     {"-- ", "a command from its start"}};
	const char *target = profile_run(p, RUN_TARGET);

	for (size_t i = 0; target && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (str_starts(target, kinds[i].begins))
			return mem_strdup(kinds[i].words);
	return mem_strdup("");
}

static char *rate_of(const struct profile *p)
{
	return p->hz > 0 ? mem_printf("%g Hz", p->hz) : mem_strdup("");
}

/* The program of a capture of processes; "" of others. */
static char *command_of(const struct profile *p)
{
	const char *target = profile_run(p, RUN_TARGET), *command = profile_run(p, RUN_COMMAND);
	const bool is_one = target && command &&
			    (str_starts(target, "-- ") || str_starts(target, "-p ")) &&
			    !strchr(target, ',');

	return is_one ? str_program(command) : mem_strdup("");
}

/* What was captured, where it is not the same of both sides: the figures then differ for that. Of
 * imports other programs decided it. */
static void check_captures(const struct compare_input *in, struct comparison *c)
{
	static const struct {
		char *(*of)(const struct profile *); /* freed by the caller; "": unknown */
		const char *what;
	} facts[] = {{events_of, "What was measured"},
		     {rate_of, "The sampling rate"},
		     {kind_of_target, "The kind of target"},
		     {command_of, "The program"}};
	const struct profile *base = in->runs[BASE][0], *new = in->runs[NEW][0];

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		_free_ char *before = facts[i].of(base), *now = facts[i].of(new);

		if (facts[i].of == events_of && !has_common_metric(base, new))
			continue;
		if (facts[i].of == command_of && c->subjects.alias)
			continue;
		if (*before && *now && strcmp(before, now) != 0)
			comparison_note(c, mem_printf("%s differs: %s in the base, %s in the new "
						      "runs.",
						      facts[i].what, before, now));
	}
}

bool comparable_is_whole(const struct profile *p)
{
	const char *target = profile_run(p, RUN_TARGET), *end = profile_run(p, RUN_END);

	return target && end && str_starts(target, "-- ") && str_starts(end, "the command's exit");
}

static enum per per_of(const struct compare_input *in)
{
	for (size_t i = 0; i < gather_runs(in); i++)
		if (!comparable_is_whole(gather_run(in, i)))
			return PER_WORK;
	return PER_RUN;
}

/* The base name of the program that was captured; NULL: not one. Freed by the caller. */
static char *program_of(const struct profile *p)
{
	const char *command = profile_run(p, RUN_COMMAND);

	return command && comparable_is_whole(p) ? str_program(command) : NULL;
}

static const char *module_called(const struct profile *p, const char *name)
{
	for (size_t i = 1; i < p->modules.n; i++) {
		const char *base = str_base(profile_text(p, p->modules.at[i].path));

		if (!strcmp(base, name))
			return base;
	}
	return NULL;
}

bool comparable_alias(const struct compare_input *in, const char **alias, const char **of)
{
	const struct profile *base = in->runs[BASE][0], *new = in->runs[NEW][0];
	_free_ char *old_name = program_of(base), *new_name = program_of(new);

	*alias = *of = NULL;
	if (!old_name || !new_name || !strcmp(old_name, new_name) ||
	    module_called(base, new_name) || module_called(new, old_name))
		return false;
	*alias = module_called(new, new_name);
	*of = module_called(base, old_name);
	if (!*alias || !*of)
		*alias = NULL;
	return *alias;
}

static void alias_program(const struct compare_input *in, struct comparison *c)
{
	if (comparable_alias(in, &c->subjects.alias, &c->subjects.alias_of))
		comparison_note(c, mem_printf("The program '%s' is taken for '%s' of the base.",
					      c->subjects.alias, c->subjects.alias_of));
}

static const char *copy(struct comparison *c, const char *text)
{
	return text ? comparison_own(c, mem_strdup(text)) : "";
}

static void describe_runs(const struct compare_input *in, struct comparison *c)
{
	for (int side = BASE; side < SIDES; side++) {
		c->run[side] = mem_zalloc(in->n[side], sizeof(*c->run[side]));
		for (size_t i = 0; i < in->n[side]; i++) {
			const struct profile *p = in->runs[side][i];

			c->run[side][i] = (struct compare_run){
				.version = copy(c, profile_meta(p, META_VERSION)),
				.platform = copy(c, profile_meta(p, META_PLATFORM)),
				.name = copy(c, profile_run(p, RUN_NAME)),
				.command = copy(c, profile_run(p, RUN_COMMAND)),
				.cpu = copy(c, profile_meta(p, META_PROCESSOR)),
				.started_unix_ns = p->started_unix_ns,
			};
		}
	}
}

/* Users easily swap the sides: then what became faster is called slower. Of imports the time of the
 * capture is not certain. */
static void check_order(const struct compare_input *in, struct comparison *c)
{
	int64_t first_base = INT64_MAX, last_new = 0;

	for (size_t i = 0; i < in->n[BASE] + in->n[NEW]; i++)
		if (profile_run(gather_run(in, i), RUN_SOURCE))
			return;
	for (size_t i = 0; i < in->n[BASE]; i++)
		if (in->runs[BASE][i]->started_unix_ns < first_base)
			first_base = in->runs[BASE][i]->started_unix_ns;
	for (size_t i = 0; i < in->n[NEW]; i++)
		if (in->runs[NEW][i]->started_unix_ns > last_new)
			last_new = in->runs[NEW][i]->started_unix_ns;
	if (last_new > 0 && last_new < first_base)
		comparison_note(c, mem_strdup("The new side was captured before the base: are "
					      "they the right way round?"));
}

void comparable_check(const struct compare_input *in, struct comparison *c)
{
	describe_runs(in, c);
	check_order(in, c);
	check_machine(in, c);
	if (c->per == PER_AUTO)
		c->per = per_of(in);
	alias_program(in, c);
	if (!profile_run(in->runs[BASE][0], RUN_SOURCE) &&
	    !profile_run(in->runs[NEW][0], RUN_SOURCE))
		check_captures(in, c);
}
