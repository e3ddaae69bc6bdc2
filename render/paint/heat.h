/*
 * heat: the colours of a heat map: from few to many, light to dark on white paper and dark to light
 * on black, so that it reads in grey and with any eyes. For png, svg, pdf.
 */
#ifndef PAINT_HEAT_H
#define PAINT_HEAT_H

#include <stdbool.h>

#include "paint/flame.h"

/* @share of the fullest cell, 0 … 1. What is not empty is seen: above 0 it differs from 0. */
struct rgb heat_colour(double share, bool dark);

#endif
