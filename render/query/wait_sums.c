#include "query/wait_sums.h"

#include "base/mem.h"
#include "base/units.h"
#include "query/filter.h"

int wait_class_sums(const struct profile *p, const struct selection *sel,
		    int64_t sums[WAIT_CLASSES], struct measure *measure)
{
	struct selection all = *sel;
	const struct wait_classes *classes;
	struct wait_classes own;
	struct filter f;
	int rc;

	all.omit_idle = false;
	rc = filter_init(&f, p, &all);
	*measure = f.measure;
	for (size_t i = 0; i < WAIT_CLASSES; i++)
		sums[i] = 0;
	if (!rc) {
		classes = wait_classes_of(p, sel->waits, &own);
		for (size_t i = 0; i < p->samples.n; i++)
			sums[classes->of[i]] += filter_value(&f, i);
		wait_classes_release(&own);
	}
	filter_release(&f);
	return rc;
}

char *wait_left_out(const struct profile *p, const struct selection *sel)
{
	char amounts[WAIT_CLASSES][UNITS_BUF];
	int64_t sums[WAIT_CLASSES];
	struct measure measure;

	if (!sel->omit_idle || wait_class_sums(p, sel, sums, &measure))
		return NULL;
	for (size_t i = 0; i < WAIT_CLASSES; i++)
		units_value(amounts[i], sizeof(amounts[i]), (double)sums[i], measure.unit);
	return mem_printf(
		"--omit-idle left out %s of idle waits, and kept %s held up and %s undecided",
		amounts[WAIT_IDLE], amounts[WAIT_HELD_UP], amounts[WAIT_UNDECIDED]);
}
