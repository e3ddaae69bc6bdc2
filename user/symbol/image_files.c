#include "symbol/image_files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/budget.h"
#include "elf/debugfile.h"
#include "elf/elffile.h"
#include "process/opener.h"

/* Candidates for an image's debug file: two by build-id, six by link. */
#define MOST_CANDIDATES 8

/* An image whose debug file is searched for. */
struct debug_search {
	const struct image *image;
	struct stat st; /* of the image's file */
};

/* A path beside the image may lead anywhere: open it only if its mode lets the image's owner read
 * it. */
static int open_below(void *context, bool own_root, const char *path)
{
	const struct debug_search *l = context;
	const struct opener_request r = {.what = OPENER_PATH,
					 .path = path,
					 .root_fd = own_root ? OPENER_OWN_ROOT : l->image->root_fd};
	struct opener_answer a;
	struct stat st;

	if (opener_ask(l->image->opener, &r, &a))
		return -1;
	if (!a.is_copy && !fstat(a.fd, &st) && S_ISREG(st.st_mode) &&
	    (st.st_mode & S_IROTH || (st.st_uid == l->st.st_uid && st.st_mode & S_IRUSR)))
		return a.fd;
	opener_answer_release(l->image->opener, &a);
	return -1;
}

static void give_debug_files(struct crew_ask *ask, const struct image *image, int fd)
{
	struct debug_search debug_search = {.image = image};
	const struct debugfile_open by = {open_below, &debug_search, image->root_fd >= 0};
	int fds[MOST_CANDIDATES];
	struct budget budget;
	struct elffile f;
	Elf64_Shdr s;
	size_t n = 0;

	budget_open_small(NULL, 0, &budget);
	/* Do not search beside a file on a mount that may not answer. */
	if (fd < 0 || image->is_copy || fstat(fd, &debug_search.st) ||
	    elffile_open_within(fd, &budget, &f))
		return;
	if (elffile_section(&f, ".debug_info", &s))
		n = debugfile_candidates(&f, image->path, &by, fds, MOST_CANDIDATES);
	elffile_release(&f);
	for (size_t i = 0; i < n; i++)
		crew_give(ask, fds[i]);
}

static void give_files(struct crew_ask *ask, const struct image *image, bool is_debug)
{
	const int again = image->fd < 0 && !is_debug && image->kind != IMAGE_KIND_JIT
				  ? images_open_again(image)
				  : -1;

	if (again >= 0)
		crew_give(ask, again);
	else
		crew_lend(ask, image->fd);
	if (is_debug)
		return;
	if (image->kind == IMAGE_KIND_JIT)
		crew_give(ask, images_open_perf_map(image));
	else
		give_debug_files(ask, image, again >= 0 ? again : image->fd);
}

void image_files_ask(struct crew_ask *ask, const struct image *image, bool is_debug)
{
	const size_t n = strlen(image->path) + 1, padding = -n % 8;
	const struct image_files_head head = {.kind = image->kind,
					      .is_debug = is_debug,
					      .path_bytes = (uint32_t)n,
					      .padding = (uint32_t)padding};

	str_addn(&ask->bytes, (const char *)&head, sizeof(head));
	str_addn(&ask->bytes, image->path, n);
	str_addn(&ask->bytes, "\0\0\0\0\0\0\0", padding);
	give_files(ask, image, is_debug);
}
