#include "paint/words.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define NO_BREAK_SPACE "\xc2\xa0"

/* What base/units writes behind a number, and Hz. */
static const char *const units[] = {"ns",  "µs",  "ms",	 "s",	"min", "B",
				    "KiB", "MiB", "GiB", "TiB", "%",   "Hz"};

/* "10.9", "1,234", "(<0.1" */
static bool is_number(const char *word, size_t n)
{
	size_t opening = strspn(word, "(<>-");

	return opening < n && strspn(word + opening, "0123456789.,") == n - opening;
}

/* "ms", and with what may follow it: "ms,", "%)" */
static bool is_unit(const char *word, size_t n)
{
	while (n && strchr(",;:.)", word[n - 1]))
		n--;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i]) == n && !memcmp(units[i], word, n))
			return true;
	return false;
}

size_t words_run(const char *text)
{
	const char *word = text;
	bool is_amount = false; /* the word is the unit of the number before it */

	for (;;) {
		size_t n = strcspn(word, " ");
		const char *next = word + n + 1;

		if (!word[n])
			return strlen(text);
		if (is_number(word, n) && is_unit(next, strcspn(next, " ")))
			is_amount = true;
		else if (is_amount && n == 3 && str_starts(word, "min") &&
			 is_number(next, strcspn(next, " ")))
			is_amount = false; /* 2 min 05 s */
		else
			return (size_t)(word + n - text);
		word = next;
	}
}

char *words_tie(const char *text)
{
	struct str out = {0};

	while (*text) {
		size_t end = words_run(text);

		for (size_t i = 0; i < end; i++) {
			if (text[i] == ' ')
				str_add(&out, NO_BREAK_SPACE);
			else
				str_addc(&out, text[i]);
		}
		text += end;
		if (*text)
			str_addc(&out, *text++);
	}
	return str_steal(&out);
}

#define LABEL_MIDDLE 12 /* columns from which a label keeps its end */

char *cut_middle(const char *s, size_t columns)
{
	return str_cut_middle(s, columns, "…");
}

char *cut_label(const char *s, size_t columns)
{
	if (columns >= LABEL_MIDDLE || !columns || str_width(s) <= columns)
		return cut_middle(s, columns);
	return mem_printf("%.*s…", (int)(str_fit(s, columns - 1) - s), s);
}
