/*
 * pprof_word: metrics of memory by the names that pprof's users and tools know.
 */
#ifndef QUERY_PPROF_WORD_H
#define QUERY_PPROF_WORD_H

struct pprof_word {
	const char *metric;	 /* HEAP_METRIC_… */
	const char *type, *unit; /* "inuse_space", "bytes" */
};

/* NULL: it has the same name there. */
const struct pprof_word *pprof_word_of(const char *metric);
const struct pprof_word *pprof_word_named(const char *type);

#endif
