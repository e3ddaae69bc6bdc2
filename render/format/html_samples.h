/*
 * html_samples: the samples of a profile as data of the HTML report, which adds them up by itself
 * for any range of time and any threads (web/model.js). For format/html only.
 *
 * What is written, in this order (LEB128, see web/pack.h; strings by number):
 *	whether a sample has a reason (is of a wait);
 *	the palette: how many classes; each label and both ends of its colours as 0xrrggbb;
 *	frames: html_frames_pack_shades(); how many nodes, and their shape (html_shape);
 *	metrics: how many; each name, unit, value a sample (mean), whether exact, whether sums;
 *	threads: how many; each pid, tid, name, process, cgroup, start and birth in ns,
 *	and how much of the first metric it was active (struct thread_row);
 *	steps of time: how many, ns of each;
 *	rows: how many; which metrics they are of: how many sets, each a flag a metric; then the
 *	columns: rows of each node (less 1 of a leaf, which has one for certain), by row thread,
 *reason kind (if any has one), step of time (less 1 and that of the row before, where this one
 *differs in nothing else), set (if there is more than one), samples less 1, and for each metric, of
 *the rows that are of it, value less samples times the mean. A row is all samples of one node,
 *thread, reason, set and step of time; rows stand in this order.
 */
#ifndef FORMAT_HTML_SAMPLES_H
#define FORMAT_HTML_SAMPLES_H

#include "format/html_union.h"

/* Adds the samples of all trees in it to @out, and says where nodes stand: html_union_place(). */
void html_samples_pack(struct html_union *, struct pack *out);

#endif
