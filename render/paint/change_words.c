#include "paint/change_words.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"

#define ALL (1 - 1e-12)

char *change_value(const char *unit, double value)
{
	char buf[UNITS_BUF];

	/* All of it is all, whatever a sum of quotients is off. */
	if (!strcmp(unit, "share"))
		return mem_strdup(units_percent(buf, sizeof(buf), value > ALL ? 1 : value, 1));
	return mem_strdup(units_value(buf, sizeof(buf), value, unit));
}

char *change_text(double ratio)
{
	const double percent = 100 * ratio;

	if (!isfinite(ratio))
		return mem_strdup("–");
	if (percent >= 1000)
		return mem_printf("×%.3g", 1 + ratio);
	if (fabs(percent) >= 99.95)
		return mem_printf("%+.0f %%", percent);
	return mem_printf(fabs(percent) < 9.995 ? "%+.2f %%" : "%+.1f %%", percent);
}
