/*
 * svg_out: what a canvas draws, as SVG: boxes are rects, text is text in the fonts of the canvas.
 * canvas.to is the FILE.
 */
#ifndef PAINT_SVG_OUT_H
#define PAINT_SVG_OUT_H

#include "paint/canvas.h"

extern const struct canvas_out CANVAS_SVG;

/* The rules of style that the texts refer to, for a <style>. */
void svg_out_style(FILE *out);

#endif
