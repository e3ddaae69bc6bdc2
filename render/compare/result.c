#include "compare/result.h"

#include <math.h>
#include <stdlib.h>

const char *verdict_name(enum verdict v)
{
	static const char *const names[VERDICTS] = {
		[VERDICT_REGRESSED] = "regressed", [VERDICT_IMPROVED] = "improved",
		[VERDICT_MOVED] = "moved",	   [VERDICT_UNDECIDED] = "undecided",
		[VERDICT_UNCHANGED] = "unchanged", [VERDICT_NOT_COMPARABLE] = "not comparable",
	};

	return v < VERDICTS ? names[v] : "unknown";
}

const char *row_kind_name(enum row_kind kind)
{
	static const char *const names[ROW_KINDS] = {
		[ROW_WHOLE] = "run", [ROW_ZONE] = "zone",   [ROW_CALLS] = "calls",
		[ROW_SELF] = "self", [ROW_TOTAL] = "total",
	};

	return kind < ROW_KINDS ? names[kind] : "unknown";
}

const char *per_name(enum per per)
{
	static const char *const names[] = {"auto", "run", "second", "work"};

	return per <= PER_WORK ? names[per] : "unknown";
}

const double compare_quantiles[COMPARE_QUANTILES] = {.5, .9, .99};

const char *comparison_own(struct comparison *c, char *text)
{
	if (text)
		vec_push(&c->texts, text);
	return text;
}

void comparison_note(struct comparison *c, char *text)
{
	vec_push(&c->notes, comparison_own(c, text));
}

const char *comparison_method(const struct comparison *c)
{
	if (c->single)
		return "one run against one: what runs differ by is a guess";
	if (c->runs[BASE] >= 3 && c->runs[NEW] >= 3)
		return c->runs[BASE] >= 6 && c->runs[NEW] >= 6
			       ? "Welch's t on runs, and ranks (Mann and Whitney)"
			       : "Welch's t on runs";
	return c->runs[NEW] == 1 || c->runs[BASE] == 1 ? "one run against the spread of several"
						       : "the pooled spread of the runs";
}

size_t comparison_count(const struct comparison *c, enum verdict v)
{
	size_t n = 0;

	for (size_t i = 0; i < c->rows.n; i++)
		n += c->rows.at[i].verdict == v;
	return n;
}

size_t comparison_suspects(const struct comparison *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->rows.n; i++)
		n += c->rows.at[i].suspect;
	return n;
}

double comparison_delta(const struct comparison *c, const struct compare_row *r)
{
	const bool function = r->kind == ROW_SELF || r->kind == ROW_TOTAL;

	return r->value[NEW] * (function ? exp(-c->common.amount) : 1) - r->value[BASE];
}

enum verdict comparison_verdict(const struct comparison *c)
{
	if (c->not_comparable)
		return VERDICT_NOT_COMPARABLE;
	if (comparison_count(c, VERDICT_REGRESSED))
		return VERDICT_REGRESSED;
	if (comparison_count(c, VERDICT_IMPROVED))
		return VERDICT_IMPROVED;
	if (!comparison_suspects(c) && comparison_count(c, VERDICT_UNCHANGED))
		return VERDICT_UNCHANGED;
	return VERDICT_UNDECIDED;
}

bool comparison_regressed(const struct comparison *c, double percent)
{
	for (size_t i = 0; i < c->rows.n; i++)
		if (c->rows.at[i].verdict == VERDICT_REGRESSED &&
		    fabs(c->rows.at[i].change) * 100 >= percent)
			return true;
	return false;
}

bool comparison_fires(const struct comparison *c, const struct fail_on *f)
{
	if (f->what == FAIL_SUSPECT && comparison_suspects(c))
		return true;
	return f->what != FAIL_NEVER && comparison_regressed(c, f->percent);
}

void comparison_release(struct comparison *c)
{
	vec_each (text, &c->texts)
		free(*text);
	vec_release(&c->texts);
	free(c->run[BASE]);
	free(c->run[NEW]);
	vec_release(&c->rows);
	vec_release(&c->only);
	vec_release(&c->notes);
	subjects_release(&c->subjects);
	*c = (struct comparison){0};
}
