/* The names that the writer of a window sends back to the loader. */
#include "base/err.h"
#include "symbol/namebook.h"

#define FUZZ_RUN fuzz_namebook_run
#include "fuzz.h"

/* Where a book's beginnings stand, so that what follows fits what is there. */
#define SINCE sizeof(uint64_t)

static bool receive(struct namebook *book, const uint8_t *bytes, size_t n)
{
	const int fd = fuzz_file(bytes, n);
	const int rc = namebook_receive(book, fd);

	close(fd);
	for (size_t i = 0; i < book->entries.n; i++)
		expect((uint64_t)book->entries.at[i].first + book->entries.at[i].n <=
		       book->frames.n);
	expect(!rc || !book->entries.n);
	expect(!book->names || !profile_check(book->names));
	return !rc;
}

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	struct namebook book = {0};
	struct namebook_mark mark;
	uint8_t *copy = malloc(n + 1);

	memcpy(copy, bytes, n);
	for (int i = 0; i < 2 && receive(&book, copy, n); i++) {
		mark = namebook_mark(&book);
		memcpy(copy + SINCE, &mark, sizeof(mark));
	}
	namebook_release(&book);
	free(copy);
}
