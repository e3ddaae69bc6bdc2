/*
 * zone: what the targets of the zones tests share, besides prog.h. Such a target does the same
 * work in every round, so that its output is the same however it is watched: it says at its end
 * "ok RESULT", and how often it called some of its functions in lines "calls FUNCTION N".
 *
 * ROUNDS, its last argument, says how many rounds there are. Where the environment has
 * ZONE_GATE=FILE, the rounds go on until the file's first byte is not 0, and nothing is said of
 * calls: a capture may come and go meanwhile.
 */
#ifndef ZONE_H
#define ZONE_H

#include <fcntl.h>
#include <sys/mman.h>

#include "prog.h"

static struct {
	const volatile char *gate; /* first byte of the file; NULL: none */
	long wanted, done;
	uint64_t result; /* of the first round */
	int differs;	 /* number of the first round whose result was another, 0 none */
} rounds;

static inline void rounds_open(int argc, char **argv, int i, long otherwise)
{
	const char *path = getenv("ZONE_GATE");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *gate = fd < 0 ? MAP_FAILED : mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);

	if (path && gate == MAP_FAILED)
		exit(99);
	rounds.gate = path ? (const volatile char *)gate : NULL;
	rounds.wanted = arg(argc, argv, i, otherwise);
	if (fd >= 0)
		close(fd);
}

/* Whether another round is due. */
static inline int rounds_next(void)
{
	if (rounds.gate ? *rounds.gate != '0' : rounds.done >= rounds.wanted)
		return 0;
	rounds.done++;
	return 1;
}

/* What a round made: the same in each. */
static inline void rounds_result(uint64_t result)
{
	if (rounds.done == 1)
		rounds.result = result;
	else if (result != rounds.result && !rounds.differs)
		rounds.differs = rounds.done;
}

/* Calls of a function in each round. */
static inline void rounds_calls(const char *function, uint64_t n)
{
	if (!rounds.gate)
		printf("calls %s %lu\n", function, (unsigned long)(n * rounds.done));
}

/* The last line; the exit status, @status where all was well. */
static inline int rounds_end(int status)
{
	if (rounds.differs || !rounds.done) {
		printf("round %d differs\n", rounds.differs);
		return 98;
	}
	printf("ok %lu\n", (unsigned long)rounds.result);
	fflush(stdout);
	return status;
}

#endif
