#include "base/clock.h"

void share_open(struct share *s, const struct share_rate *rate, uint64_t now_ns)
{
	*s = (struct share){rate, rate->most_ns, now_ns};
}

bool share_refill(struct share *s, uint64_t now_ns)
{
	const uint64_t passed = now_ns > s->at_ns ? now_ns - s->at_ns : 0;
	/* An hour at most, so that the product fits. */
	const int64_t ns = passed < UINT64_C(1) << 42 ? (int64_t)passed : INT64_C(1) << 42;

	s->left_ns += ns * s->rate->percent / 100;
	if (s->left_ns > s->rate->most_ns)
		s->left_ns = s->rate->most_ns;
	s->at_ns = now_ns;
	return s->left_ns > 0;
}
