#include "symbol/image_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "elf/budget.h"
#include "elf/debugfile.h"
#include "elf/elffile.h"
#include "process/opener.h"

/* Candidates for an image's debug file: two by build-id, six by link. */
#define MOST_DEBUG 8
/* For the file it shares with others: two by build-id, two by path. */
#define MOST_ALT 4
/* For each .dwo file: where it was compiled, and beside the image. */
#define MOST_PLACES 2
/* Packages of them. */
#define MOST_PACKAGES 4

/* A larger .dwo file is not read: it is of one source file. */
#define DWO_BYTES (INT64_C(1) << 30)
#define DWP_BYTES (INT64_C(64) << 30)

/* An image whose debug files are searched for. */
struct debug_search {
	const struct image *image;
	struct stat st;		 /* of the image's file */
	char *paths[MOST_DEBUG]; /* of the files that were opened; owned */
	size_t n_paths;
};

/* A path beside the image may lead anywhere: open it only if its mode lets the image's owner read
 * it. */
static int open_allowed(const struct debug_search *l, bool own_root, const char *path,
			bool no_links, struct stat *st)
{
	const struct opener_request r = {.what = OPENER_PATH,
					 .path = path,
					 .no_links = no_links,
					 .root_fd = own_root ? OPENER_OWN_ROOT : l->image->root_fd};
	struct opener_answer a;

	if (opener_ask(l->image->opener, &r, &a))
		return -1;
	if (!a.is_copy && !fstat(a.fd, st) && S_ISREG(st->st_mode) &&
	    (st->st_mode & S_IROTH || (st->st_uid == l->st.st_uid && st->st_mode & S_IRUSR)))
		return a.fd;
	opener_answer_release(l->image->opener, &a);
	return -1;
}

static int open_below(void *context, bool own_root, const char *path)
{
	struct debug_search *l = context;
	struct stat st;
	const int fd = open_allowed(l, own_root, path, false, &st);

	if (fd >= 0 && l->n_paths < MOST_DEBUG)
		l->paths[l->n_paths++] = mem_strdup(path);
	return fd;
}

static void give(struct crew_ask *ask, struct image_files_head *head, enum image_files_kind kind,
		 int fd)
{
	crew_give(ask, fd);
	head->n[kind]++;
}

/* --- debug files ------------------------------------------------------------------------------ */

/* Opens what @debug_fd, at @path, shares with others. */
static size_t open_alt(struct debug_search *search, int debug_fd, const char *path, int *fds)
{
	const struct debugfile_open by = {open_below, search, search->image->root_fd >= 0};
	struct budget budget;
	struct elffile f;
	size_t n = 0;

	budget_open_small(NULL, 0, &budget);
	if (elffile_open_within(debug_fd, &budget, &f))
		return 0;
	n = debugfile_alt_candidates(&f, path, &by, fds, MOST_ALT);
	elffile_release(&f);
	return n;
}

static void give_debug_files(struct crew_ask *ask, struct debug_search *search, int fd,
			     bool is_debug, struct image_files_head *head)
{
	const struct image *image = search->image;
	const struct debugfile_open by = {open_below, search, image->root_fd >= 0};
	int fds[MOST_DEBUG], alt[MOST_ALT];
	struct budget budget;
	struct elffile f;
	Elf64_Shdr s;
	size_t n = 0, n_alt = 0;

	budget_open_small(NULL, 0, &budget);
	if (elffile_open_within(fd, &budget, &f))
		return;
	if (!is_debug && elffile_section(&f, ".debug_info", &s))
		n = debugfile_candidates(&f, image->path, &by, fds, MOST_DEBUG);
	elffile_release(&f);
	if (!n)
		n_alt = open_alt(search, fd, image->path, alt);
	for (size_t i = 0; i < n; i++) {
		if (!n_alt)
			n_alt = open_alt(search, fds[i], search->paths[i], alt);
		give(ask, head, IMAGE_FILES_DEBUG, fds[i]);
	}
	for (size_t i = 0; i < n_alt; i++)
		give(ask, head, IMAGE_FILES_ALT, alt[i]);
}

/* --- .dwo files --------------------------------------------------------------------------------
 *
 * The name and the folder are an untrusted file's word. Only a regular file, no link, that is
 * called *.dwo, is opened, below the root of the process, if the image's owner may read it.
 */

/* The path of place number @place; owned; NULL: no such place. */
static char *dwo_path(const struct image *image, const struct split_file *file, size_t place)
{
	const char *slash = strrchr(image->path, '/');
	const int dir = slash ? (int)(slash - image->path) : 0;
	const bool is_path = strchr(file->name, '/') != NULL;

	switch (place) {
	case 0:
		return file->name[0] == '/' ? mem_strdup(file->name)
					    : mem_printf("%s/%s", file->folder, file->name);
	case 1:
		return mem_printf("%.*s/%s", dir, image->path, file->name);
	default:
		return is_path ? mem_printf("%.*s/%s", dir, image->path, str_base(file->name))
			       : NULL;
	}
}

/* The places of a .dwo file: see dwo_path(). */
#define DWO_PLACES 3

static void give_dwo(struct crew_ask *ask, const struct debug_search *search,
		     const struct split_file *file, struct image_files_head *head)
{
	struct stat st, before = {0};
	size_t n = 0;

	if (!str_ends(file->name, ".dwo"))
		return;
	for (size_t place = 0; place < DWO_PLACES && n < MOST_PLACES; place++) {
		_free_ char *path = dwo_path(search->image, file, place);
		const int fd =
			path && path[0] == '/'
				? open_allowed(search, search->image->root_fd < 0, path, true, &st)
				: -1;

		if (fd >= 0 && (st.st_size > DWO_BYTES ||
				(n && st.st_dev == before.st_dev && st.st_ino == before.st_ino))) {
			close(fd);
		} else if (fd >= 0) {
			give(ask, head, IMAGE_FILES_DWO, fd);
			before = st;
			n++;
		}
	}
}

/* Gives the package at @path.dwp, unless it is the same as before. */
static void give_package(struct crew_ask *ask, const struct debug_search *search, const char *path,
			 struct stat *before, struct image_files_head *head)
{
	_free_ char *package = mem_printf("%s.dwp", path);
	const bool own_root = search->image->root_fd < 0;
	struct stat st;
	const int fd = package[0] == '/' ? open_allowed(search, own_root, package, false, &st) : -1;

	if (fd >= 0 && st.st_size <= DWP_BYTES && head->n[IMAGE_FILES_DWP] < MOST_PACKAGES &&
	    (st.st_dev != before->st_dev || st.st_ino != before->st_ino)) {
		*before = st;
		give(ask, head, IMAGE_FILES_DWP, fd);
	} else if (fd >= 0) {
		close(fd);
	}
}

/* Packages are beside the program, and beside files that may be its debug file, also of its path
 * where these are. */
static void give_packages(struct crew_ask *ask, const struct debug_search *search,
			  struct image_files_head *head)
{
	_free_ char *apart = mem_printf(DEBUGFILE_ROOT "%s", search->image->path);
	struct stat before = {0};

	give_package(ask, search, search->image->path, &before, head);
	give_package(ask, search, apart, &before, head);
	for (size_t i = 0; i < search->n_paths; i++) {
		const char *path = search->paths[i];
		const size_t n = strlen(path) - (str_ends(path, ".debug") ? strlen(".debug") : 0);
		_free_ char *stem = mem_strndup(path, n);

		give_package(ask, search, path, &before, head);
		give_package(ask, search, stem, &before, head);
	}
}

static void give_split(struct crew_ask *ask, const struct debug_search *search,
		       const struct image_files_wish *wish, struct image_files_head *head)
{
	for (size_t i = 0; i < wish->n && i < IMAGE_FILES_SPLIT; i++)
		give_dwo(ask, search, &wish->files[i], head);
	give_packages(ask, search, head);
}

/* --- all -------------------------------------------------------------------------------------- */

static void give_files(struct crew_ask *ask, const struct image *image,
		       const struct image_files_wish *wish, struct image_files_head *head)
{
	struct debug_search search = {.image = image};
	const int again = image->fd < 0 && !wish->is_debug && image->kind != IMAGE_KIND_JIT
				  ? images_open_again(image)
				  : -1;
	const int fd = again >= 0 ? again : image->fd;

	if (again >= 0)
		crew_give(ask, again);
	else
		crew_lend(ask, image->fd);
	head->n[IMAGE_FILES_OWN] = 1;
	if (image->kind == IMAGE_KIND_JIT) {
		give(ask, head, IMAGE_FILES_DEBUG, images_open_perf_map(image));
		return;
	}
	/* Do not search beside a file on a mount that may not answer. */
	if (fd < 0 || image->is_copy || fstat(fd, &search.st))
		return;
	give_debug_files(ask, &search, fd, wish->is_debug, head);
	if (wish->split)
		give_split(ask, &search, wish, head);
	for (size_t i = 0; i < search.n_paths; i++)
		free(search.paths[i]);
}

void image_files_ask(struct crew_ask *ask, const struct image *image,
		     const struct image_files_wish *wish)
{
	const size_t n = strlen(image->path) + 1, padding = -n % 8;
	struct image_files_head head = {.kind = image->kind,
					.is_debug = wish->is_debug,
					.path_bytes = (uint32_t)n,
					.padding = (uint32_t)padding,
					.split = wish->split};

	give_files(ask, image, wish, &head);
	str_addn(&ask->bytes, (const char *)&head, sizeof(head));
	str_addn(&ask->bytes, image->path, n);
	str_addn(&ask->bytes, "\0\0\0\0\0\0\0", padding);
}
