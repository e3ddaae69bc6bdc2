#include "select/nearest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

/* Of longer names only the first bytes are compared. */
#define MAX_LENGTH 96

/* The distance if one name contains the other: like a few wrong letters. */
#define WITHIN 2

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Letters to change, insert, delete or swap; a result above @most may be inexact. */
static uint32_t edits(const char *a, size_t na, const char *b, size_t nb, uint32_t most)
{
	uint32_t rows[3][MAX_LENGTH + 1];

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = (uint32_t)j;
	for (size_t i = 1; i <= na; i++) {
		uint32_t *row = rows[i % 3], *before = rows[(i + 2) % 3], *two = rows[(i + 1) % 3];
		uint32_t least = row[0] = (uint32_t)i;

		for (size_t j = 1; j <= nb; j++) {
			const bool same = lower(a[i - 1]) == lower(b[j - 1]);
			uint32_t best = before[j - 1] + !same;

			best = before[j] + 1 < best ? before[j] + 1 : best;
			best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]) && two[j - 2] + 1 < best)
				best = two[j - 2] + 1;
			row[j] = best;
			least = best < least ? best : least;
		}
		if (least > most)
			return least;
	}
	return rows[na % 3][nb];
}

/* Copies @wanted without its wildcards; returns the length. */
static size_t plain_part(const char *wanted, char out[MAX_LENGTH + 1])
{
	size_t n = 0;

	for (; *wanted && n < MAX_LENGTH; wanted++) {
		if (!strchr("*?[]\\", *wanted))
			out[n++] = *wanted;
	}
	out[n] = '\0';
	return n;
}

uint32_t nearest_distance(const char *wanted, const char *name)
{
	char plain[MAX_LENGTH + 1];
	const size_t n = plain_part(wanted, plain), length = strnlen(name, MAX_LENGTH);
	const uint32_t most = n < 6 ? 2 : (uint32_t)(n / 3);
	uint32_t found;

	if (!n)
		return NEAREST_FAR;
	if (!strcasecmp(plain, name))
		return 0;
	if (n >= 3 && strcasestr(name, plain))
		return WITHIN + (uint32_t)(length - (n < length ? n : length)) / 8;
	if (length + most < n || n + most < length)
		return NEAREST_FAR;
	found = edits(plain, n, name, length, most);
	return found <= most ? found : NEAREST_FAR;
}

static bool is_before(const char *name, uint32_t distance, const struct near *other)
{
	if (distance != other->distance)
		return distance < other->distance;
	return strcmp(name, other->name) < 0;
}

void nearest_add(struct nearest *nearest, const char *name, uint32_t distance)
{
	size_t at = nearest->n;

	if (distance == NEAREST_FAR)
		return;
	for (size_t i = 0; i < nearest->n; i++) {
		if (!strcmp(nearest->at[i].name, name))
			return;
	}
	while (at && is_before(name, distance, &nearest->at[at - 1]))
		at--;
	if (at == NEAREST_MAX)
		return;
	if (nearest->n == NEAREST_MAX)
		free(nearest->at[--nearest->n].name);
	memmove(&nearest->at[at + 1], &nearest->at[at], (nearest->n - at) * sizeof(*nearest->at));
	nearest->at[at] = (struct near){mem_strdup(name), distance};
	nearest->n++;
}

void nearest_release(struct nearest *nearest)
{
	while (nearest->n)
		free(nearest->at[--nearest->n].name);
}

void nearest_try(struct nearest *nearest, const char *wanted, const char *name)
{
	nearest_add(nearest, name, nearest_distance(wanted, name));
}

char *nearest_hint(struct nearest *nearest)
{
	const struct near *at = nearest->at;
	char *hint = !nearest->n ? mem_strdup("")
		     : nearest->n == 1 || at[1].distance > at[0].distance
			     ? mem_printf(" (did you mean '%s'?)", at[0].name)
			     : mem_printf(" (did you mean '%s' or '%s'?)", at[0].name, at[1].name);

	nearest_release(nearest);
	return hint;
}
