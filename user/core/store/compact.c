/* store_compact(): see store.h. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file_new.h"
#include "store/put.h"

/* HDF5 copies groups recursively, and never ends on a circle of links. So groups may be nested so
 * deep (a run's samples are five deep), and no object may be linked twice. */
#define MOST_DEPTH 16

/* A group still to be inspected. */
struct todo {
	hid_t group;
	unsigned depth;
};

struct inspection {
	struct reader *reader;
	VEC(struct todo) todo;
	unsigned depth; /* of the group that is inspected */
	int rc;
};

static int inspect(struct inspection *in, hid_t group, const char *name, const H5L_info_t *link)
{
	struct reader *r = in->reader;
	H5O_info_t info;
	hid_t child;

	if (link->type != H5L_TYPE_HARD || strchr(name, '/'))
		return reader_err(r, -EINVAL, "'%s' is a link to elsewhere", name);
	if (!r->groups--)
		return reader_err(r, -EFBIG, "it holds too many groups");
	if (H5Oget_info_by_name2(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
		return reader_err(r, -EINVAL, "'%s' is damaged", name);
	if (info.rc != 1)
		return reader_err(r, -EINVAL, "'%s' is linked from several places", name);
	if (info.type != H5O_TYPE_GROUP)
		return 0;
	if (in->depth == MOST_DEPTH)
		return reader_err(r, -EINVAL, "'%s' is too deep in groups", name);
	child = H5Gopen2(group, name, H5P_DEFAULT);
	if (child < 0)
		return reader_err(r, -EINVAL, "'%s' is damaged", name);
	vec_push(&in->todo, ((struct todo){child, in->depth + 1}));
	return 0;
}

static herr_t on_link(hid_t group, const char *name, const H5L_info_t *link, void *arg)
{
	struct inspection *in = arg;

	in->rc = inspect(in, group, name, link);
	return in->rc ? -1 : 0;
}

/* Whether HDF5 may copy all of the file. */
static int check_tree(struct reader *r)
{
	struct inspection in = {.reader = r};

	H5Iinc_ref(r->file);
	vec_push(&in.todo, ((struct todo){r->file, 0}));
	while (in.todo.n) {
		const struct todo t = in.todo.at[--in.todo.n];
		hsize_t at = 0;

		in.depth = t.depth;
		if (!in.rc)
			in.rc = links_check(r, t.group);
		if (!in.rc &&
		    H5Literate(t.group, H5_INDEX_NAME, H5_ITER_NATIVE, &at, on_link, &in) < 0 &&
		    !in.rc)
			in.rc = reader_err(r, -EINVAL, "a list of groups is damaged");
		h5_cleanup(&t.group);
	}
	vec_release(&in.todo);
	return in.rc;
}

static herr_t copy_link(hid_t from, const char *name, const H5L_info_t *link, void *arg)
{
	const hid_t *to = arg;

	(void)link;
	return H5Ocopy(from, name, *to, name, H5P_DEFAULT, H5P_DEFAULT);
}

static herr_t copy_attr(hid_t from, const char *name, const H5A_info_t *info, void *arg)
{
	const hid_t *to = arg;
	_h5_ hid_t old = H5Aopen(from, name, H5P_DEFAULT);
	_h5_ hid_t type = H5Aget_type(old), space = H5Aget_space(old);
	_h5_ hid_t new = H5Acreate2(*to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
	_free_ char *value = NULL;

	/* A stranger's attribute may have any size, or hold pointers. */
	if (old < 0 || info->data_size > READER_TEXT_BYTES ||
	    H5Tdetect_class(type, H5T_VLEN) != 0 || H5Tis_variable_str(type) != 0 ||
	    H5Aget_storage_size(old) > READER_TEXT_BYTES)
		return -1;
	value = mem_zalloc(H5Aget_storage_size(old) + 1, 1);
	return H5Aread(old, type, value) < 0 || H5Awrite(new, type, value) < 0 ? -1 : 0;
}

static H5_index_t order_of(hid_t file)
{
	_h5_ hid_t plist = H5Fget_create_plist(file);
	unsigned order = 0;

	H5Pget_link_creation_order(plist, &order);
	return order & H5P_CRT_ORDER_INDEXED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
}

static int copy_all(struct reader *r, hid_t to)
{
	hsize_t at = 0, attr_at = 0;
	const H5_index_t order = order_of(r->file);

	if (H5Aiterate2(r->file, order, H5_ITER_INC, &attr_at, copy_attr, &to) < 0 ||
	    H5Literate(r->file, order, H5_ITER_INC, &at, copy_link, &to) < 0)
		return reader_err(r, -EINVAL, "HDF5 could not copy it");
	return 0;
}

/* Writes the new file directly; the overlay knows if a write failed. */
static int write_copy(struct reader *r, struct overlay *o)
{
	_h5_ hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
	hid_t to;
	int rc;

	if (overlay_set_access(o, access) || h5_set_format(access) || put_keep_order(creation))
		return reader_err(r, -EIO, "HDF5 does not take it");
	to = H5Fcreate("eprof", H5F_ACC_TRUNC, creation, access);
	rc = to < 0 ? reader_err(r, -EIO, "HDF5 does not take it") : copy_all(r, to);
	if (to >= 0 && H5Fclose(to) < 0 && !rc)
		rc = reader_err(r, -EIO, "HDF5 could not write the copy");
	return o->error ? o->error : rc;
}

static int compact(struct reader *r, const char *path, uint64_t *after)
{
	struct overlay o;
	struct file_new f;
	struct stat st;
	int rc = file_begin_again(&f, path);

	if (rc)
		return rc;
	overlay_init(&o, f.fd, 0);
	o.direct = true;
	rc = write_copy(r, &o);
	if (o.error)
		rc = err(o.error, "cannot write a copy of '%s': %s: it is as it was", path,
			 strerror(-o.error));
	overlay_release(&o);
	*after = fstat(f.fd, &st) ? 0 : (uint64_t)st.st_size;
	if (!rc)
		return file_commit(&f);
	file_drop(&f);
	return rc;
}

int store_compact(const char *path, uint64_t *before, uint64_t *after)
{
	/* If the path is a link, the file that it leads to is replaced, not the link. */
	_free_ char *real = realpath(path, NULL);
	struct reader r;
	struct stat st;
	int rc = reader_open_to_copy(&r, real ? real : path);

	*before = !rc && !fstat(r.fd, &st) ? (uint64_t)st.st_size : 0;
	if (!rc)
		rc = check_tree(&r);
	if (!rc)
		rc = compact(&r, r.path, after);
	reader_close(&r);
	return rc;
}
