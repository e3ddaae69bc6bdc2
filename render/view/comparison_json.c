/* comparison_json(): see comparison.h. */
#include <math.h>

#include "base/json.h"
#include "base/units.h"
#include "compare/gate.h"
#include "view/comparison.h"

static void write_runs(const struct comparison *c, int side, FILE *out)
{
	for (size_t i = 0; i < c->runs[side]; i++) {
		const struct compare_run *r = &c->run[side][i];

		json_text(out, i ? ",\n    {\"version\":" : "\n    {\"version\":", r->version);
		json_text(out, ",\"platform\":", r->platform);
		json_text(out, ",\"run\":", r->name);
		json_text(out, ",\"started\":", time_text(r->started_unix_ns));
		json_text(out, ",\"command\":", r->command);
		json_text(out, ",\"cpu\":", r->cpu);
		putc('}', out);
	}
}

static void write_provenance(const struct comparison *c, const char *tool, FILE *out)
{
	json_text(out, " \"provenance\":{\"tool\":", tool);
	fputs(",\n  \"base\":[", out);
	write_runs(c, BASE, out);
	fputs("],\n  \"new\":[", out);
	write_runs(c, NEW, out);
	json_text_or_null(out, "],\n  \"baseline\":", c->choice);
	json_text(out, ",\"per\":", per_name(c->per));
	json_text_or_null(out, ",\"metric\":", c->metric);
	json_text_or_null(out, ",\"unit\":", c->unit);
	json_text(out, ",\"better\":", c->direction == LOWER_IS_BETTER ? "lower" : "higher");
	json_double(out, ",\"gate\":", c->gate);
	json_double(out, ",\"between\":", c->single ? c->between : NAN);
	json_bool(out, ",\"net\":", c->net);
	json_text_or_null(out, ",\"judged_by\":",
			  !c->metric  ? NULL
			  : c->shares ? "shares"
				      : "amounts");
	json_double(out, ",\"common\":", c->common.functions ? expm1(c->common.amount) : NAN);
	json_double(out, ",\"common_zones\":",
		    c->common_zones.functions ? expm1(c->common_zones.amount) : NAN);
	json_double(out, ",\"spread\":", c->spread);
	fputs(",\n  \"notes\":[", out);
	for (size_t i = 0; i < c->notes.n; i++)
		json_text(out, i ? "," : "", c->notes.at[i]);
	fputs("]},\n", out);
}

static void write_verdict(const struct comparison *c, FILE *out)
{
	const struct gate_sight sight = gate_sight(c, 0);

	json_text(out, " \"verdict\":", verdict_name(comparison_verdict(c)));
	json_text_or_null(out, ",\"not_comparable\":", c->not_comparable);
	fputs(",\"counts\":{", out);
	for (enum verdict v = 0; v < VERDICTS; v++) {
		json_text(out, v ? "," : "", verdict_name(v));
		json_int(out, ":", (int64_t)comparison_count(c, v));
	}
	json_int(out, ",\"suspect\":", (int64_t)comparison_suspects(c));
	json_double(out, "},\n \"sight\":{\"visible\":", sight.visible);
	json_int(out, ",\"more_runs\":", (int64_t)sight.more);
	json_double(out, ",\"then_visible\":", sight.more ? sight.then : NAN);
	fputs("},\n", out);
}

static void write_pair(FILE *out, const char *name, const double *pair)
{
	fprintf(out, ",\"%s\":", name);
	json_double(out, "[", pair[BASE]);
	json_double(out, ",", pair[NEW]);
	putc(']', out);
}

static void write_course(const struct course *c, FILE *out)
{
	json_int(out, ",\"history\":{\"runs\":", (int64_t)c->n);
	json_bool(out, ",\"step\":", c->step);
	json_double(out, ",\"step_change\":", expm1(c->step_size));
	json_bool(out, ",\"drift\":", c->drift);
	json_double(out, ",\"drift_change\":", expm1(c->drift_size));
	if (c->change)
		json_int(out, ",\"changed_at\":", (int64_t)c->change);
	else
		fputs(",\"changed_at\":null", out);
	putc('}', out);
}

static void write_quantiles(const struct compare_row *r, FILE *out)
{
	for (int i = 0; i < COMPARE_QUANTILES; i++) {
		const struct compare_quantile *q = &r->quantile[i];

		json_double(out, i ? ",{\"quantile\":" : ",\"quantiles\":[{\"quantile\":",
			    compare_quantiles[i]);
		json_double(out, ",\"base\":", q->value[BASE]);
		json_double(out, ",\"new\":", q->value[NEW]);
		json_double(out, ",\"change\":", q->change);
		json_double(out, ",\"low\":", q->low);
		json_double(out, ",\"high\":", q->high);
		putc('}', out);
	}
	putc(']', out);
}

static void write_row(const struct compare_row *r, FILE *out)
{
	json_text(out, "  {\"of\":", row_kind_name(r->kind));
	json_text(out, ",\"name\":", r->name);
	json_text(out, ",\"module\":", r->module);
	json_text(out, ",\"verdict\":", verdict_name(r->verdict));
	json_bool(out, ",\"suspect\":", r->suspect);
	json_bool(out, ",\"apparently_better\":", r->better);
	json_text(out, ",\"unit\":", r->unit);
	json_double(out, ",\"base\":", r->value[BASE]);
	json_double(out, ",\"new\":", r->value[NEW]);
	json_double(out, ",\"change\":", r->change);
	json_double(out, ",\"low\":", r->low);
	json_double(out, ",\"high\":", r->high);
	json_double(out, ",\"p\":", r->p);
	json_double(out, ",\"q\":", r->q);
	write_pair(out, "count", r->count);
	if (r->kind == ROW_ZONE) {
		write_pair(out, "cost_per_call", r->cost);
		json_double(out, ",\"by_calls\":", r->by_calls);
		json_double(out, ",\"by_cost\":", r->by_cost);
	}
	if (r->quantile[0].value[BASE] > 0)
		write_quantiles(r, out);
	json_text_or_null(out, ",\"why\":",
			  r->why       ? r->why
			  : r->too_few ? "too few samples"
				       : NULL);
	if (r->course.n)
		write_course(&r->course, out);
	putc('}', out);
}

static void write_only(const struct compare_only *o, FILE *out)
{
	json_text(out, "  {\"side\":", o->is_new ? "new" : "base");
	json_text(out, ",\"of\":", o->is_zone ? "zone" : "total");
	json_text(out, ",\"name\":", o->name);
	json_text(out, ",\"module\":", o->module);
	json_double(out, ",\"value\":", o->value);
	json_double(out, ",\"count\":", o->count);
	json_text_or_null(out, ",\"likely\":", o->other);
	putc('}', out);
}

void comparison_json(const struct comparison *c, const char *tool, FILE *out)
{
	json_int(out, "{\"schema_version\":", COMPARISON_JSON_SCHEMA);
	fputs(",\n", out);
	write_provenance(c, tool, out);
	write_verdict(c, out);
	fputs(" \"results\":[\n", out);
	for (size_t i = 0; i < c->rows.n; i++) {
		fputs(i ? ",\n" : "", out);
		write_row(&c->rows.at[i], out);
	}
	fputs("],\n \"only_one_side\":[\n", out);
	for (size_t i = 0; i < c->only.n; i++) {
		fputs(i ? ",\n" : "", out);
		write_only(&c->only.at[i], out);
	}
	fputs("]}\n", out);
}
