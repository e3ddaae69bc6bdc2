/*
 * rgb: a colour of a screen, sRGB. For all that paints.
 */
#ifndef PAINT_RGB_H
#define PAINT_RGB_H

#include <stdint.h>

struct rgb {
	uint8_t r, g, b;
};

#endif
