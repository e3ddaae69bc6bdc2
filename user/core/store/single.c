/* store_is_single(): see store.h. */
#include <errno.h>
#include <string.h>

#include "store/links.h"

/* The group of that name, or where it is NULL the only thing in @parent; negative where there is
 * more, or less. */
static hid_t open_only(const struct reader *r, hid_t parent, const char *name, hsize_t links)
{
	char only[256];
	H5G_info_t info;

	if (H5Gget_info(parent, &info) < 0 || info.nlinks != links)
		return -1;
	if (name)
		return H5Gopen2(parent, name, H5P_DEFAULT);
	if (links_check(r, parent))
		return -1;
	if (H5Lget_name_by_idx(parent, ".", H5_INDEX_NAME, H5_ITER_INC, 0, only, sizeof(only),
			       H5P_DEFAULT) >= (ssize_t)sizeof(only))
		return -1;
	return H5Gopen2(parent, only, H5P_DEFAULT);
}

int store_is_single(const char *path, bool *single)
{
	struct reader r;
	int rc = reader_open(&r, path);

	if (!rc) {
		_h5_ hid_t version = open_only(&r, r.file, NULL, 1);
		_h5_ hid_t platform = version < 0 ? -1 : open_only(&r, version, NULL, 1);
		/* Beside the runs stands what is known of the machine. */
		_h5_ hid_t runs = platform < 0 ? -1 : open_only(&r, platform, "profiles", 2);
		H5G_info_t info;

		*single = runs >= 0 && H5Gget_info(runs, &info) >= 0 && info.nlinks == 1;
	}
	reader_close(&r);
	return rc;
}
