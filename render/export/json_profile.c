/*
 * json-profile: the whole profile, table by table, as the file has it:
 *
 *	{"format":"eprof","schema":3,"started_unix_ns":1772366400000000000,"duration_ns":10000000000,
 *	 "hz":100,"parts":"samples","meta":{"version":"3.40.1"},"run":{"command":"sqlite3"},
 *	 "tables":{
 *	  "modules":{"path":["","/usr/bin/sqlite3"],"build_id":["","0a1b2c"]}, …
 *	  "samples":{"time_ns":[0],"thread":[0],"node":[7],"zone":[0],"reason":[0],
 *	   "wait_ns":[0],"values":{"cpu-clock":[10000000]}}}}
 *
 * Columns are arrays, texts stand in them. A number that refers to another table is its row there.
 */
#include "export/export.h"

#include "export/cells.h"
#include "paint/json_write.h"
#include "store/store.h"

struct writer {
	const struct profile *p;
	FILE *out;
};

/* Texts that were set under one key once: a key is there once. */
static void attributes_write(struct writer *w, const char *key, const struct attr *at, size_t n)
{
	fprintf(w->out, ",\n\"%s\":{", key);
	for (size_t i = 0; i < n; i++) {
		json_text(w->out, i ? "," : "", profile_text(w->p, at[i].key));
		json_text(w->out, ":", profile_text(w->p, at[i].text));
	}
	putc('}', w->out);
}

static void column_write(struct writer *w, const struct table_place *t, const struct column *c)
{
	const struct any_vec *rows = table_vec(t, w->p);

	json_text(w->out, c == t->table->columns ? "" : ",\n ", c->name);
	fputs(":[", w->out);
	for (size_t i = 0; i < rows->n && !ferror(w->out); i++) {
		const char *row = rows->at + i * t->table->row_bytes;

		if (c->type == COLUMN_TEXT) {
			json_text(w->out, i ? "," : "", cell_text(w->p, c, row));
			continue;
		}
		if (i)
			putc_unlocked(',', w->out);
		cell_number(c, row, w->out);
	}
	putc(']', w->out);
}

static void values_write(struct writer *w)
{
	const struct samples *s = &w->p->samples;

	fputs(",\n \"values\":{", w->out);
	for (size_t m = 0; m < s->values.n; m++) {
		json_text(w->out, m ? ",\n " : "", profile_text(w->p, w->p->metrics.at[m].name));
		fputs(":[", w->out);
		for (size_t i = 0; i < s->values.at[m].n; i++)
			json_int(w->out, i ? "," : "", s->values.at[m].at[i]);
		putc(']', w->out);
	}
	putc('}', w->out);
}

static void table_write(struct writer *w, const struct table_place *t)
{
	json_text(w->out, t == profile_tables ? "\n" : ",\n", t->table->name);
	fputs(":{", w->out);
	for (size_t c = 0; c < t->table->n_columns; c++)
		if (!t->table->columns[c].inner)
			column_write(w, t, &t->table->columns[c]);
	if (t->table->valued)
		values_write(w);
	putc('}', w->out);
}

static int json_profile_write(const struct export_input *in, FILE *out)
{
	struct writer w = {in->part, out};
	_free_ char *parts = profile_parts(w.p);

	json_int(out, "{\"format\":\"eprof\",\"schema\":", STORE_SCHEMA);
	json_int(out, ",\"started_unix_ns\":", w.p->started_unix_ns);
	json_int(out, ",\"duration_ns\":", w.p->duration_ns);
	fprintf(out, ",\"hz\":%.17g", w.p->hz);
	json_text(out, ",\"parts\":", parts ? parts : "");
	attributes_write(&w, "meta", w.p->meta.at, w.p->meta.n);
	attributes_write(&w, "run", w.p->run.at, w.p->run.n);
	fputs(",\n\"tables\":{", out);
	for (const struct table_place *t = profile_tables; t->table; t++)
		table_write(&w, t);
	fputs("}}\n", out);
	return 0;
}

const struct export json_profile_export = {
	.name = "json-profile",
	.extension = "profile.json",
	.about = "the whole profile, every table",
	.reads = EXPORT_TABLES,
	.write = json_profile_write,
};
