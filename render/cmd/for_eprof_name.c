/* for-eprof unnamed, rename: what eprof names afterwards. It looks for debug files itself, and is
 * told what for; the profile is read and written here. */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "cmd/enter.h"
#include "cmd/for_eprof.h"
#include "model/meta.h"
#include "model/renaming.h"
#include "store/store.h"

#define NAMES_MOST (1u << 30) /* bytes */

/* unnamed FILE VERSION PLATFORM RUN
 * rename FILE VERSION PLATFORM RUN NAMES how [OUT], how: "force", or "" */
struct names {
	const char *file;
	struct store_key key;
	const char *names;  /* path of the bytes: u64, so many bytes of unnamed_pack(), the rest of
			     * renaming_pack() */
	const char *output; /* NULL: in the place of what was read */
	bool force;
	struct profile *p; /* owned */
};

static const char *given(const char *word)
{
	return *word ? word : NULL;
}

static struct names parse(const struct for_eprof *f)
{
	return (struct names){
		.file = f->words[0],
		.key = {given(f->words[1]), given(f->words[2]), given(f->words[3])},
		.names = f->n > 4 ? f->words[4] : NULL,
		.force = f->n > 5 && *f->words[5],
		.output = f->n > 6 ? f->words[6] : NULL,
	};
}

/* With what would be lost when the profile is written anew. */
static int load(struct names *n)
{
	const char *unknown;
	int rc = store_load(n->file, &n->key, &n->p);

	if (rc)
		return rc;
	unknown = profile_run(n->p, RUN_UNKNOWN_PARTS);
	if (!unknown || !unknown[0])
		return 0;
	return err(-ENOTSUP,
		   "'%s' has parts that this program does not know (%s) and would lose: use a "
		   "newer eprof",
		   n->file, unknown);
}

int for_eprof_unnamed(struct for_eprof *f)
{
	struct names n = parse(f);
	struct unnamed u = {0};
	struct str out = {0};
	struct allowed s = {0};
	int rc;

	allowed_read(&s, n.file);
	render_enter(&s);
	rc = load(&n);
	if (!rc) {
		unnamed_find(&u, n.p);
		unnamed_pack(&u, &out);
		rc = for_eprof_answer(&out);
	}
	str_release(&out);
	unnamed_release(&u);
	profile_free(n.p);
	return rc;
}

/* Those that @at is about are those that the profile has now. */
static int check_same(const struct names *n, const struct unnamed *now, const char *at,
		      size_t bytes)
{
	struct str packed = {0};
	bool same;

	unnamed_pack(now, &packed);
	same = packed.n == bytes && !memcmp(packed.s, at, bytes);
	str_release(&packed);
	return same ? 0
		    : err(-ESTALE, "cannot read '%s': somebody changed it meanwhile: try again",
			  n->file);
}

static int apply(struct names *n, const char *at, size_t bytes)
{
	struct unnamed now = {0};
	struct renaming r = {0};
	uint64_t head = 0;
	int rc = -EINVAL;

	if (bytes >= sizeof(head))
		memcpy(&head, at, sizeof(head));
	if (bytes < sizeof(head) || head > bytes - sizeof(head))
		return err(rc, "the names that were found cannot be read");
	at += sizeof(head);
	unnamed_find(&now, n->p);
	rc = check_same(n, &now, at, head);
	if (!rc)
		rc = renaming_unpack(at + head, bytes - sizeof(head) - head, unnamed_count(&now),
				     &r);
	if (!rc)
		renaming_apply(&r, &now, n->p);
	renaming_release(&r);
	unnamed_release(&now);
	return rc;
}

/* To a file of its own; else in the place of what was read: of a store's run, or of a file that has
 * no other. That one is written anew, for it may be of several windows. */
static int save(const struct names *n)
{
	bool single = false;
	int rc = n->output ? 0 : store_is_single(n->file, &single);

	if (rc)
		return rc;
	if (n->output || single)
		return store_save(n->output ? n->output : n->file, n->force || !n->output, n->p);
	return store_replace(n->file, &n->key, n->p);
}

static void enter(const struct names *n)
{
	struct allowed s = {0};

	allowed_read(&s, n->names);
	if (n->output) {
		allowed_read(&s, n->file);
		allowed_make(&s, n->output, n->force);
	} else {
		allowed_change(&s, n->file);
		allowed_make(&s, n->file, true);
	}
	render_enter(&s);
}

int for_eprof_rename(struct for_eprof *f)
{
	struct names n = parse(f);
	char *bytes = NULL;
	size_t count = 0;
	int rc;

	enter(&n);
	rc = file_read(n.names, NAMES_MOST, &bytes, &count);
	if (!rc)
		rc = load(&n);
	if (!rc)
		rc = apply(&n, bytes, count);
	if (!rc)
		rc = save(&n);
	free(bytes);
	profile_free(n.p);
	return rc;
}
