/* Writes a profile with toys to the file that argv[1] names, as a source would. */
#include <stdio.h>

#include "base/err.h"
#include "model/toy.h"
#include "store/store.h"

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int64_t count;
	} toys[] = {{"bear", 1204}, {"kite", 17}, {"yo-yo", 1000000}};
	struct profile *p = profile_new();

	for (size_t i = 0; i < sizeof(toys) / sizeof(*toys); i++)
		vec_push(&p->toys,
			 ((struct toy){intern_add(&p->strings, toys[i].name), toys[i].count}));
	p->duration_ns = 1000000000;
	if (argc != 2 || store_save(argv[1], true, p)) {
		fprintf(stderr, "%s\n", err_text());
		return 1;
	}
	profile_free(p);
	return 0;
}
