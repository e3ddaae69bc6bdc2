#include "perf/tracepoint_fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define SUM "sum="

/* A line of a format: "\tfield:unsigned int dev;\toffset:8;\tsize:4;\tsigned:0;". */
struct line {
	char *type, *name;
	unsigned offset, bytes, is_signed;
	bool is_array;
};

/* Splits "unsigned long args[6]", "__data_loc char[] cmd", "dev_t dev". */
static bool split(char *text, struct line *out)
{
	char *bracket, *space = strrchr(text, ' ');

	if (!space)
		return false;
	*space = '\0';
	out->type = text;
	out->name = space + 1;
	bracket = strchr(out->name, '[');
	out->is_array = bracket || strchr(text, '[');
	if (bracket)
		*bracket = '\0';
	return true;
}

static bool parse_line(char *text, struct line *out)
{
	char *end;

	if (strncmp(text, "\tfield:", 7) != 0)
		return false;
	text += 7;
	end = strchr(text, ';');
	if (!end || sscanf(end + 1, " offset:%u; size:%u; signed:%u;", &out->offset, &out->bytes,
			   &out->is_signed) != 3)
		return false;
	*end = '\0';
	return split(text, out) && strncmp(out->name, "common_", 7) != 0;
}

static enum tracepoint_meaning meaning_of(const char *event, const struct line *l)
{
	if (!strcmp(l->type, "dev_t"))
		return FIELD_DEVICE;
	if (!strcmp(l->name, "prev_state"))
		return FIELD_STATE;
	if (str_starts(event, "raw_syscalls:") && !strcmp(l->name, "id"))
		return FIELD_CALL;
	if (strchr(l->type, '*') || strstr(l->name, "flags") || str_ends(l->name, "addr") ||
	    str_ends(l->name, "address") || str_ends(l->name, "call_site") ||
	    str_ends(l->name, "ptr"))
		return FIELD_HEX;
	return l->is_signed ? FIELD_SIGNED : FIELD_NUMBER;
}

/* Of what such fields count in all of the kernel's tracepoints. */
static const char *unit_of(const char *name)
{
	if (strstr(name, "bytes") || !strcmp(name, "len") || !strcmp(name, "size"))
		return "bytes";
	if (str_ends(name, "_ns") || !strcmp(name, "runtime") || !strcmp(name, "delay"))
		return "ns";
	return NULL;
}

/* False: it is neither a number nor a text. */
static bool describe(const char *event, const struct line *l, struct tracepoint_field *out)
{
	const bool is_far = str_starts(l->type, "__data_loc char");

	*out = (struct tracepoint_field){
		.at = {.offset = (uint16_t)l->offset, .bytes = (uint16_t)l->bytes}};
	snprintf(out->name, sizeof(out->name), "%s", l->name);
	if (is_far || (l->is_array && !strcmp(l->type, "char"))) {
		out->at.kind = is_far ? WIRE_FIELD_FAR : WIRE_FIELD_TEXT;
		out->meaning = FIELD_TEXT;
		return l->offset <= UINT16_MAX && l->bytes <= UINT16_MAX;
	}
	out->at.kind = WIRE_FIELD_NUMBER;
	out->meaning = meaning_of(event, l);
	out->unit = unit_of(l->name);
	return !l->is_array && l->offset <= UINT16_MAX &&
	       (l->bytes == 1 || l->bytes == 2 || l->bytes == 4 || l->bytes == 8);
}

/* Looks through all lines. False: no such field; then @names has those that there are. */
static bool find(const char *event, const char *format, const char *name,
		 struct tracepoint_field *out, struct str *names)
{
	_free_ char *copy = mem_strdup(format);
	char *save = NULL;

	for (char *text = strtok_r(copy, "\n", &save); text; text = strtok_r(NULL, "\n", &save)) {
		struct line l;

		if (!parse_line(text, &l) || !describe(event, &l, out))
			continue;
		if (!strcmp(l.name, name))
			return true;
		str_addf(names, "%s%s", names->n ? ", " : "", l.name);
	}
	return false;
}

static int take(const char *event, const char *format, const char *word,
		struct tracepoint_fields *out)
{
	const bool is_sum = str_starts(word, SUM);
	const char *name = is_sum ? word + strlen(SUM) : word;
	struct tracepoint_field found;
	struct str names = {0};
	int rc = 0;

	if (!find(event, format, name, &found, &names))
		rc = err(-EINVAL, "tracepoint '%s' has no field '%s' that can be %s; it has: %s",
			 event, name, is_sum ? "summed up" : "a label", names.n ? names.s : "none");
	else if (is_sum && (found.at.kind != WIRE_FIELD_NUMBER || out->has_sum))
		rc = err(-EINVAL, "tracepoint '%s': %s", event,
			 out->has_sum ? "only one field can be summed up"
				      : "a text cannot be summed up");
	else if (!is_sum && out->n == WIRE_LABELS)
		rc = err(-EINVAL, "tracepoint '%s': at most %d fields can be labels", event,
			 WIRE_LABELS);
	str_release(&names);
	if (rc)
		return rc;
	if (is_sum)
		out->sum = found;
	else
		out->labels[out->n++] = found;
	out->has_sum |= is_sum;
	return 0;
}

int tracepoint_fields_find(const char *event, const char *format, const char *wanted,
			   struct tracepoint_fields *out)
{
	_free_ char *copy = mem_strdup(wanted);
	char *save = NULL;
	int rc = 0;

	*out = (struct tracepoint_fields){0};
	for (char *word = strtok_r(copy, ",", &save); !rc && word;
	     word = strtok_r(NULL, ",", &save))
		rc = take(event, format, word, out);
	if (!rc && !tracepoint_fields_any(out))
		rc = err(-EINVAL, "event '%s': name a field between the slashes", event);
	return rc;
}
