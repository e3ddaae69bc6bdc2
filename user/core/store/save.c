/* store_save(): see store.h. HDF5 builds the file in memory and eprof writes the bytes, so that it
 * is our write(2) that fails on a full disk, not HDF5 while it closes the file. */
#include "store/store.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file_new.h"
#include "store/put.h"

/* HDF5's core driver grows the image by this much at a time. */
#define IMAGE_STEP_BYTES (256 << 10)

/* The allocator of HDF5's core driver. When the file is closed, and only then complete, the memory
 * stays with us. */
static void *image_realloc(void *at, size_t n, H5FD_file_image_op_t op, void *image)
{
	void *moved = realloc(at, n);

	(void)op;
	if (moved)
		*(void **)image = moved;
	return moved;
}

static void *image_malloc(size_t n, H5FD_file_image_op_t op, void *image)
{
	return image_realloc(NULL, n, op, image);
}

static void *image_memcpy(void *to, const void *from, size_t n, H5FD_file_image_op_t op,
			  void *image)
{
	(void)op, (void)image;
	return memcpy(to, from, n);
}

static herr_t image_keep(void *at, H5FD_file_image_op_t op, void *image)
{
	(void)at, (void)op, (void)image;
	return 0;
}

static void *image_same(void *image)
{
	return image;
}

static herr_t image_leave(void *image)
{
	(void)image;
	return 0;
}

/* Makes a file whose bytes are in *@image once it is closed. */
static hid_t make_file(char **image)
{
	H5FD_file_image_callbacks_t calls = {
		.image_malloc = image_malloc,
		.image_memcpy = image_memcpy,
		.image_realloc = image_realloc,
		.image_free = image_keep,
		.udata_copy = image_same,
		.udata_free = image_leave,
		.udata = image,
	};
	_h5_ hid_t access = H5Pcreate(H5P_FILE_ACCESS);
	_h5_ hid_t creation = H5Pcreate(H5P_FILE_CREATE);

	if (H5Pset_fapl_core(access, IMAGE_STEP_BYTES, false) < 0 ||
	    H5Pset_file_image_callbacks(access, &calls) < 0 || h5_set_format(access) ||
	    put_keep_order(creation))
		return -1;
	return H5Fcreate("eprof", H5F_ACC_TRUNC, creation, access);
}

/* HDF5 format, version 2 and 3 of the superblock, "End of File Address". */
size_t store_image_bytes(const void *head, size_t n)
{
	static const char signature[] = "\x89HDF\r\n\x1a\n";
	const char *at = head;
	uint64_t end;

	if (n < STORE_HEAD_BYTES || memcmp(at, signature, 8) != 0 || at[8] < 2 || at[8] > 3 ||
	    at[9] != sizeof(end))
		return 0;
	memcpy(&end, at + 28, sizeof(end));
	return le64toh(end) >= STORE_HEAD_BYTES ? le64toh(end) : 0;
}

/* Makes the bytes of the file, freed by the caller, also on failure. */
static int make_image(const struct profile *p, char **image)
{
	hid_t file = make_file(image);
	int rc = file < 0 ? -EIO : put_profile(NULL, file, p, 1);

	if (file >= 0 && H5Fclose(file) < 0)
		rc = -EIO;
	return rc || !*image ? -EIO : 0;
}

int store_image(const struct profile *p, char **image, size_t *n)
{
	int rc = h5_begin();

	*image = NULL;
	if (rc)
		return rc;
	if (make_image(p, image))
		return err(-EIO, "HDF5 could not take the profile");
	/* The driver's memory may be longer than the file. */
	*n = store_image_bytes(*image, STORE_HEAD_BYTES);
	return 0;
}

int store_save(const char *path, bool force, const struct profile *p)
{
	_free_ char *image = NULL;
	struct file_new f;
	int rc = file_begin(&f, path, force);
	size_t n = 0;

	if (rc)
		return rc;
	if (store_image(p, &image, &n))
		rc = err(-EIO, "cannot write '%s': %s", path, err_text());
	if (!rc)
		rc = file_write(&f, image, n);
	if (rc)
		file_drop(&f);
	return rc ? rc : file_commit(&f);
}
