/*
 * reasonbook: why threads were off the CPU, each distinct reason once, known by a dense number,
 * until that is in a file. What a thread waited for is looked up when its record comes, since its
 * process may soon be gone.
 */
#ifndef WAITS_REASONBOOK_H
#define WAITS_REASONBOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/vec.h"
#include "model/profile.h"
#include "process/images.h"
#include "process/procs.h"
#include "waits/callrule.h"
#include "wire_offcpu.h"

/* A zeroed one is empty and valid. */
struct descriptors {
	struct map by_place; /* process, descriptor, inode and name → text */
};

struct opener;

/* Adjacent mappings of one file, and the anonymous memory behind them that holds a module's zeroed
 * data; or one mapping of another kind. */
struct memory_area {
	uint64_t start, end;
	uint64_t code;	      /* where its file's first code is mapped; 0: it is no module */
	uint64_t file_offset; /* of start; only where it is a file */
	char *path;	      /* "/usr/lib/x.so", "[heap]", "" anonymous; owned */
};

struct memory_process {
	uint32_t pid; /* 0: none */
	uint64_t read_ns;
	VEC(struct memory_area) areas; /* ascending */
};

#define MEMORY_PROCESSES 32

/* A zeroed one is empty and valid. */
struct memory {
	struct opener *opener; /* reads them; borrowed; NULL: this process does */
	struct memory_process processes[MEMORY_PROCESSES];
	uint32_t next;		    /* whose place is given away next */
	uint64_t first_ns, read_ns; /* when it was first asked; how long it has read */
	uint64_t refused;	    /* times that there was no time to read */
};

/* The area that holds @address; NULL: none does, or the process is gone. Valid until the next call.
 * @now_ns: CLOCK_MONOTONIC. */
const struct memory_area *memory_find(struct memory *, uint32_t pid, uint64_t address,
				      uint64_t now_ns);
/* Its mappings have changed. */
void memory_forget(struct memory *, uint32_t pid);
void memory_release(struct memory *);

/* A variable of a module, for which there is no name yet. */
struct variable {
	uint32_t image;	   /* 0: none */
	uint32_t serial;   /* of the image: its number may be given to another one */
	uint64_t distance; /* from where the module is mapped */
};

struct reasonbook_row {
	uint8_t kind;	/* enum reason_kind */
	uint8_t state;	/* as in struct reason */
	bool io;	/* it waited for a disk */
	bool is_kernel; /* a thread of the kernel */
	bool restarted; /* the call was one that the kernel had restarted: which is not known */
	uint32_t call, object;	  /* texts of the book */
	struct variable variable; /* the object, where that is one */
};

struct reasonbook {
	struct images *images; /* borrowed; NULL: variables have no names */
	struct intern texts;
	VEC(struct reasonbook_row) rows; /* row 0: none */
	struct map by_hash;
	struct descriptors descriptors;
	struct memory memory;
	uint64_t without; /* samples whose object was left out: there are too many */
	uint64_t refused; /* of earlier windows: see reasonbook_refused() */
};

void reasonbook_init(struct reasonbook *, struct images *);
void reasonbook_release(struct reasonbook *);

/* The number of the reason of @w, a sample of a wait; 0: not known. */
uint32_t reasonbook_take(struct reasonbook *, const struct wire_offcpu *w, struct procs *);
/* Samples in whose case there was no time to look where a lock lies. */
uint64_t reasonbook_refused(const struct reasonbook *);
/* The mappings of @pid have changed. */
void reasonbook_code_changed(struct reasonbook *, uint32_t pid);
/* Forgets the reasons whose @numbers, one for each, are 0. The others have new numbers, which stand
 * there afterwards. */
void reasonbook_keep(struct reasonbook *, uint32_t *numbers);

/* The making of a profile's reasons. */
struct reason_rows {
	const struct reasonbook *book;
	struct profile *p;
	uint32_t *objects;  /* by row of the book: its object, a string of the profile */
	struct map by_kind; /* row of the book and kind by stack → reason of the profile */
	struct waitstack stack;
};

void reason_rows_init(struct reason_rows *, const struct reasonbook *, struct profile *);
void reason_rows_release(struct reason_rows *);
/* The profile's reason for reason @number of a wait whose stack ends at @node. */
uint32_t reason_rows_put(struct reason_rows *, uint32_t number, uint32_t node);

#endif
