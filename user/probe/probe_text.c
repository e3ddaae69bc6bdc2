#include "probe/probe_text.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* Bytes of a name; names in a list. */
#define MOST_BYTES 60
#define MOST_NAMES 4

static const char *name_of(const struct engine *z, uint32_t number)
{
	for (size_t i = 0; i < z->at.n; i++) {
		const struct probed_image *image = z->at.at[i];

		if (probed_image_is_read(image) && number >= image->first &&
		    number - image->first < image->list.zones.n)
			return image->list.zones.at[number - image->first].name;
	}
	return "?";
}

char *probe_text_name(const struct engine *z, uint32_t number)
{
	const char *name = name_of(z, number);
	char *clean = str_clean(name, strlen(name));
	size_t n = strlen(clean), cut = MOST_BYTES;

	if (n <= MOST_BYTES)
		return clean;
	/* Do not cut within a character. */
	while (cut && ((unsigned char)clean[cut] & 0xc0) == 0x80)
		cut--;
	clean[cut] = '\0';
	_free_ char *whole = clean;

	return mem_printf("%s…", whole);
}

void probe_text_add(const struct engine *z, struct str *s, uint32_t number, size_t before)
{
	_free_ char *name = before < MOST_NAMES ? probe_text_name(z, number) : NULL;

	if (name)
		str_addf(s, "%s%s", before ? ", " : "", name);
	else if (before == MOST_NAMES)
		str_add(s, " and others");
}

char *probe_text_percent(char buf[UNITS_BUF], double part)
{
	double percent = 100 * part;

	if (percent < 100)
		snprintf(buf, UNITS_BUF, "%.2g %%", percent);
	else
		snprintf(units_count(buf, UNITS_BUF, (int64_t)percent) + strlen(buf),
			 UNITS_BUF - strlen(buf), " %%");
	return buf;
}
