/*
 * take: rows of tables as they are read from a file: whether its columns are those of the table,
 * and what the numbers of texts mean. Used by store only.
 */
#ifndef STORE_TAKE_H
#define STORE_TAKE_H

#include "store/reader.h"

struct events_left;

/* A run that is being read. */
struct load {
	struct reader *reader;
	struct profile *profile;
	uint32_t *strings; /* number in the file → number in the profile */
	size_t n_strings;
	struct events_left
		*left; /* what reads the events later; NULL: they are read with the rest */
};

/* A number of at most 64 bits, of the kind of the column's own. */
bool take_fits(hid_t type, const struct column *);
/* Whether the dataset @set is such a table. -EINVAL with a text. */
int take_check(const struct reader *, const struct table *, hid_t set);
/* Decodes the rows just read into @v, from row @number on, from a table of type @stored. */
int take_rows(struct load *, const struct table *, hid_t stored, struct any_vec *v, size_t number);

#endif
