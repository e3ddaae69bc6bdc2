#include "process/owner.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/mem.h"
#include "confine/capabilities.h"
#include "process/procfs.h"

/* "1000\t1000\t1000\t1000": real, effective, saved, and file system id. */
static bool read_id(const char *status, const char *key, uint32_t *out)
{
	const char *at = procfs_field(status, key);
	char *end;

	if (!at)
		return false;
	for (int i = 0; i < 3; i++, at = end)
		(void)strtoul(at, &end, 10);
	*out = (uint32_t)strtoul(at, NULL, 10);
	return true;
}

static void read_groups(const char *status, struct owner *out)
{
	const char *at = procfs_field(status, "Groups");
	char *end;

	for (at = at ? at : ""; out->n_groups < OWNER_GROUPS; at = end) {
		const unsigned long group = strtoul(at, &end, 10);

		if (end == at || memchr(at, '\n', (size_t)(end - at)))
			break;
		out->groups[out->n_groups++] = (gid_t)group;
	}
}

bool owner_of(uint32_t pid, struct owner *out)
{
	_free_ char *status = procfs_status(pid);

	*out = (struct owner){0};
	if (!status || !read_id(status, "Uid", &out->uid) || !read_id(status, "Gid", &out->gid))
		return false;
	read_groups(status, out);
	return true;
}

uid_t owner_uid(uint32_t pid)
{
	struct owner o;

	return owner_of(pid, &o) ? o.uid : OWNER_NOBODY;
}

struct owner owner_reader(const struct owner *user)
{
	const struct caller c = caller();

	if (user->uid)
		return *user;
	if (c.is_other || c.uid)
		return (struct owner){.uid = c.uid, .gid = c.gid};
	return (struct owner){.uid = OWNER_NOBODY, .gid = OWNER_NOBODY};
}

static bool has_file_ids(uid_t uid, gid_t gid)
{
	/* These calls return the previous value, whether they succeed or not. */
	return setfsuid((uid_t)-1) == (int)uid && setfsgid((gid_t)-1) == (int)gid;
}

/* Without the right to change groups, a user who is not root keeps those it has. */
static int set_groups(size_t n, const gid_t *groups)
{
	return !setgroups(n, groups) || (errno == EPERM && geteuid()) ? 0 : -errno;
}

int owner_become(const struct owner *o)
{
	int rc = set_groups(o->n_groups, o->groups);

	if (rc)
		return rc;
	setfsgid(o->gid);
	setfsuid(o->uid);
	rc = has_file_ids(o->uid, o->gid) ? capabilities_lower_files() : -EPERM;
	if (rc)
		(void)owner_return();
	return rc;
}

int owner_return(void)
{
	const uid_t uid = geteuid();
	const gid_t gid = getegid();

	int rc = capabilities_raise_files();

	setfsuid(uid);
	setfsgid(gid);
	if (!rc)
		rc = set_groups(0, NULL);
	if (rc)
		return rc;
	return has_file_ids(uid, gid) ? 0 : -EPERM;
}

int owner_become_for_good(const struct owner *o)
{
	if (setgroups(o->n_groups, o->groups) || setresgid(o->gid, o->gid, o->gid) ||
	    setresuid(o->uid, o->uid, o->uid))
		return -errno;
	/* The kernel drops capabilities on a change of user only for uid 0. */
	if (capabilities_drop())
		return -EPERM;
	return prctl(PR_SET_DUMPABLE, 0) || prctl(PR_SET_PDEATHSIG, 9) ? -errno : 0;
}
