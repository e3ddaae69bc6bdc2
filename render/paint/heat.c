#include "paint/heat.h"

#include <stddef.h>

#define STOPS 5
#define SEEN  0.06 /* of the scale: the least that is not 0 */

static const struct rgb stops[][STOPS] = {
	{{244, 241, 236}, {253, 212, 158}, {246, 143, 76}, {204, 52, 40}, {96, 8, 32}},
	{{40, 43, 50}, {96, 44, 58}, {186, 66, 56}, {244, 152, 70}, {255, 240, 176}},
};

static uint8_t between(uint8_t from, uint8_t to, double part)
{
	return (uint8_t)(from + (to - from) * part + 0.5);
}

struct rgb heat_colour(double share, bool dark)
{
	const struct rgb *s = stops[dark];
	double at;
	size_t i;

	if (share <= 0)
		return s[0];
	at = (SEEN + (1 - SEEN) * (share > 1 ? 1 : share)) * (STOPS - 1);
	i = at >= STOPS - 1 ? STOPS - 2 : (size_t)at;
	return (struct rgb){between(s[i].r, s[i + 1].r, at - (double)i),
			    between(s[i].g, s[i + 1].g, at - (double)i),
			    between(s[i].b, s[i + 1].b, at - (double)i)};
}
