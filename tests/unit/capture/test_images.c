#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "elf/elffile.h"
#include "process/images.h"
#include "process/maps.h"
#include "process/owner.h"
#include "snippet.h"

static const char source[] = "int main(void) { return 0; }\n";

/* The identity of a file as /proc/PID/maps gives it. */
static struct image_id id_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (struct image_id){.path = path,
				 .dev_major = major(st.st_dev),
				 .dev_minor = minor(st.st_dev),
				 .inode = st.st_ino};
}

static uint32_t add(struct images *m, const struct image_id *id)
{
	return images_file(m, (uint32_t)getpid(), 0x1000, 0x2000, id);
}

static void fixed_images_come_first(void **state)
{
	struct images *m = images_new();

	(void)state;
	assert_int_equal(m->at.n, IMAGE_FIRST);
	assert_int_equal(images_at(m, IMAGE_KERNEL)->kind, IMAGE_KIND_KERNEL);
	assert_int_equal(images_at(m, IMAGE_VDSO)->kind, IMAGE_KIND_VDSO);
	assert_true(images_at(m, IMAGE_VDSO)->fd >= 0);
	assert_null(images_at(m, IMAGE_FIRST));
	images_free(m);
	images_free(NULL);
}

/* Known by inode here, by build-id there, copied elsewhere: one image. */
static void one_build_is_one_image(void **state)
{
	struct images *m = images_new();
	_free_ char *path = snippet_path("a"), *copy_path = snippet_path("copy");
	struct image_id by_inode, copy, by_build_id = {.path = "/elsewhere", .build_id_bytes = 4};
	uint32_t image;

	(void)state;
	snippet_build("a", source, "-Wl,--build-id=0x01020304");
	snippet_run("cp a copy");
	memcpy(by_build_id.build_id, "\1\2\3\4", 4);
	by_inode = id_of(path);
	copy = id_of(copy_path);
	image = add(m, &by_inode);
	assert_int_equal(image, IMAGE_FIRST);
	assert_true(images_at(m, image)->fd >= 0);
	assert_null(images_at(m, image)->note);
	assert_int_equal(images_at(m, image)->build_id_bytes, 4);
	assert_memory_equal(images_at(m, image)->build_id, "\1\2\3\4", 4);
	assert_string_equal(images_at(m, image)->path, path);
	assert_int_equal(add(m, &by_inode), image);
	assert_int_equal(add(m, &copy), image);
	assert_int_equal(add(m, &by_build_id), image);
	assert_int_equal(m->at.n, IMAGE_FIRST + 1);
	images_free(m);
}

/* Where copies are asked for, each file is an image, by whatever names. */
static void copies_are_parted(void **state)
{
	struct images *m = images_new();
	_free_ char *path = snippet_path("c"), *copy_path = snippet_path("c_copy"),
		    *link_path = snippet_path("c_link"), *third_path = snippet_path("c_third");
	struct image_id id, copy_id, link_id, third_id;
	uint32_t first, copy, third;

	(void)state;
	m->separate_copies = true;
	snippet_build("c", source, "-Wl,--build-id=0x0c0c0c0c");
	snippet_run("cp c c_copy && ln c c_link && cp c c_third");
	id = id_of(path);
	copy_id = id_of(copy_path);
	link_id = id_of(link_path);
	third_id = id_of(third_path);
	first = add(m, &id);
	copy = add(m, &copy_id);
	third = add(m, &third_id);
	assert_int_equal(first, IMAGE_FIRST);
	assert_int_equal(copy, first + 1);
	assert_int_equal(third, first + 2);
	assert_int_equal(add(m, &link_id), first);
	assert_int_equal(add(m, &copy_id), copy);
	assert_int_equal(add(m, &third_id), third);
	assert_int_equal(images_at(m, first)->first, first);
	assert_int_equal(images_at(m, copy)->first, first);
	assert_int_equal(images_at(m, third)->first, first);
	assert_string_equal(images_at(m, copy)->path, copy_path);
	assert_true(images_at(m, copy)->fd >= 0);
	assert_int_equal(m->at.n, IMAGE_FIRST + 3);
	images_free(m);
}

static void other_files_are_refused(void **state)
{
	struct images *m = images_new();
	_free_ char *path = snippet_path("b");
	struct image_id id, absent = {.path = "/no/such/file", .inode = 77};
	struct image_id unknown = {.path = path};
	uint32_t image;

	(void)state;
	snippet_build("b", source, "-Wl,--build-id=0x0b0b0b0b");
	id = id_of(path);
	id.inode++;
	image = add(m, &id);
	assert_int_equal(images_at(m, image)->fd, -1);
	assert_string_equal(images_at(m, image)->note, "replaced since it was mapped");
	id = id_of(path);
	id.build_id_bytes = 4;
	memcpy(id.build_id, "\xb\xb\xb\xc", 4);
	assert_int_equal(images_at(m, add(m, &id))->fd, -1);
	memcpy(id.build_id, "\xb\xb\xb\xb", 4);
	assert_true(images_at(m, add(m, &id))->fd >= 0);
	assert_string_equal(images_at(m, add(m, &absent))->note, "deleted");
	/* Nothing known of it: whatever stands at its path now may be another. */
	assert_int_equal(images_at(m, add(m, &unknown))->fd, -1);
	images_free(m);
}

/* Kept by descriptor, a file may go. */
static void outlives_its_file(void **state)
{
	struct images *m = images_new();
	_free_ char *path = snippet_path("gone");
	struct image_id id;
	struct elffile f;
	uint32_t image;

	(void)state;
	snippet_build("gone", source, "-Wl,--build-id=0x60e0");
	id = id_of(path);
	image = add(m, &id);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(elffile_open(images_at(m, image)->fd, &f), 0);
	elffile_release(&f);
	assert_int_equal(add(m, &id), image);
	images_free(m);
}

/* Deleted before it was seen: the mapping itself still leads to it. Following that link takes
 * privileges (CAP_CHECKPOINT_RESTORE); without them the image is known, and noted, as deleted. */
static void finds_deleted_files_by_their_mapping(void **state)
{
	struct images *m = images_new();
	_free_ char *path = snippet_path("d"), *mapped_path = NULL;
	struct image_id id;
	struct stat st;
	struct image *image;
	void *at;
	int fd;

	(void)state;
	snippet_build("d", source, "-Wl,--build-id=0xde1e7ed0");
	id = id_of(path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(at != MAP_FAILED);
	close(fd);
	assert_int_equal(unlink(path), 0);
	mapped_path = mem_printf("%s (deleted)", path);
	id.path = mapped_path;
	image = images_at(
		m, images_file(m, (uint32_t)getpid(), (uintptr_t)at, (uintptr_t)at + 4096, &id));
	assert_string_equal(image->path, path);
	assert_string_equal(image->note, "deleted");
	if (!geteuid()) {
		assert_true(image->fd >= 0);
		assert_int_equal(image->build_id_bytes, 4);
		assert_int_equal(fstat(image->fd, &st), 0);
		assert_int_equal(st.st_ino, id.inode);
	}
	munmap(at, 4096);
	images_free(m);
}

static void tells_when_descriptors_run_out(void **state)
{
	struct images *m = images_new();
	_free_ char *path = snippet_path("e");
	struct rlimit old, low = {.rlim_cur = 0};
	struct image_id id;
	struct image *image;
	int fd;

	(void)state;
	snippet_build("e", source, "-Wl,--build-id=0xeeee");
	id = id_of(path);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	low.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	image = images_at(m, add(m, &id));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(image->fd, -1);
	assert_string_equal(image->note, "too many open files");
	/* Later there is room, and the path is still right. */
	fd = images_open_again(image);
	assert_true(fd >= 0);
	close(fd);
	snippet_run("mv e aside && cp /bin/true e");
	assert_int_equal(images_open_again(image), -1);
	images_free(m);
}

/* A process of somebody who is not root. */
static pid_t start_other(void)
{
	const pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!geteuid() && setuid(OWNER_NOBODY))
			_exit(1);
		for (;;)
			pause();
	}
	while (!owner_uid((uint32_t)pid))
		usleep(1000);
	return pid;
}

/* How many of the files f0 … f149 that @pid has mapped are open, where there may be 264. */
static int open_of_many(uint32_t pid)
{
	const struct rlimit low = {264, 264};
	struct images *m;
	int open = 0;

	if (setrlimit(RLIMIT_NOFILE, &low))
		return -1;
	m = images_new();
	for (int i = 0; i < 150; i++) {
		_free_ char *path = mem_printf("%s/f%d", snippet_dir, i);
		const struct image_id id = id_of(path);

		open += images_at(m, images_file(m, pid, 0x1000, 0x2000, &id))->fd >= 0;
	}
	return open;
}

/* Who maps one new file after the other has half of what is left: 64 are for eprof itself. */
static void who_maps_many_files_leaves_some_to_others(void **state)
{
	const pid_t other = start_other();
	pid_t child;
	int status;

	(void)state;
	snippet_run("for i in $(seq 0 149); do echo $i >f$i; done");
	child = fork();
	if (!child)
		_exit(open_of_many((uint32_t)other));
	assert_int_equal(waitpid(child, &status, 0), child);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 100);
}

static void jit_images_are_per_process(void **state)
{
	_free_ char *map = mem_printf("/tmp/perf-%d.map", getpid());
	struct images *m = images_new();
	uint32_t first = images_jit(m, (uint32_t)getpid()), second;

	(void)state;
	assert_int_equal(images_at(m, first)->kind, IMAGE_KIND_JIT);
	assert_int_equal(images_at(m, first)->jit_pid, getpid());
	assert_int_equal(images_at(m, first)->fd, -1);
	assert_int_equal(images_jit(m, (uint32_t)getpid()), first);
	assert_int_not_equal(images_jit(m, (uint32_t)getppid()), first);
	/* The map is looked for once more at the end, then the pid is free. */
	fclose(fopen(map, "w"));
	images_jit_end(m, (uint32_t)getpid());
	assert_true(images_at(m, first)->fd >= 0);
	second = images_jit(m, (uint32_t)getpid());
	assert_int_not_equal(second, first);
	unlink(map);
	images_free(m);
}

/* Where a map may lead whose folder its process has made itself. */
static void perf_maps_lead_nowhere_else(void **state)
{
	_free_ char *map = mem_printf("%s/root/tmp/perf-7.map", snippet_dir);
	_free_ char *folder = mem_printf("%s/root", snippet_dir);
	_free_ char *own = mem_printf("%s/own", snippet_dir);
	int root, fd;

	(void)state;
	snippet_run("mkdir -p root/tmp && echo 10 10 f >own && echo 10 10 f >root/own");
	root = open(folder, O_PATH | O_DIRECTORY);
	assert_true(root >= 0);
	assert_int_equal(symlink("../own", map), 0);
	assert_int_equal(perf_map_open(NULL, root, 7, geteuid()), -1);
	assert_int_equal(unlink(map), 0);
	assert_int_equal(link(own, map), 0);
	assert_int_equal(perf_map_open(NULL, root, 7, geteuid()), -1);
	assert_int_equal(unlink(own), 0);
	fd = perf_map_open(NULL, root, 7, geteuid());
	assert_true(fd >= 0);
	close(fd);
	/* Another's, and one that only root may read, which a user can mount there. */
	assert_int_equal(chmod(map, 0600), 0);
	assert_int_equal(perf_map_open(NULL, root, 7, geteuid() + 1), -1);
	assert_int_equal(unlink(map), 0);
	assert_int_equal(mkfifo(map, 0644), 0);
	assert_int_equal(perf_map_open(NULL, root, 7, geteuid()), -1);
	assert_int_equal(unlink(map), 0);
	assert_int_equal(mkdir(map, 0755), 0);
	assert_int_equal(perf_map_open(NULL, root, 7, geteuid()), -1);
	close(root);
}

/* One that forbids its core files is root's by /proc, and still its user's. */
static void perf_maps_are_of_who_started_it(void **state)
{
	(void)state;
	assert_int_equal(perf_map_user((uint32_t)getpid()), getuid());
	assert_int_equal(prctl(PR_SET_DUMPABLE, 0), 0);
	assert_int_equal(perf_map_user((uint32_t)getpid()), getuid());
	assert_int_equal(prctl(PR_SET_DUMPABLE, 1), 0);
	assert_int_equal(perf_map_user(0x7fffffff), UINT32_MAX);
}

static size_t open_files(void)
{
	size_t n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* One that was asked for of late stays a while: it may be again. */
static void what_nobody_refers_to_is_forgotten(void **state)
{
	struct images *m = images_new();
	_free_ char *path = snippet_path("a"), *other_path = snippet_path("b");
	uint8_t used[IMAGE_FIRST + 3] = {0};
	const size_t before = open_files();
	struct image_id id, other;
	uint32_t image, kept, jit, serial;

	(void)state;
	snippet_build("a", source, "-Wl,--build-id=0x01020304");
	snippet_build("b", source, "-Wl,--build-id=0x01020305");
	id = id_of(path);
	other = id_of(other_path);
	image = add(m, &id);
	kept = add(m, &other);
	jit = images_jit(m, (uint32_t)getpid());
	serial = images_at(m, image)->serial;
	used[kept] = 1;
	images_forget(m, used);
	assert_null(images_at(m, jit));
	assert_int_equal(add(m, &id), image);
	images_forget(m, used);
	images_forget(m, used);
	assert_int_equal(images_at(m, image)->serial, serial);
	images_forget(m, used);
	assert_null(images_at(m, image));
	assert_int_equal(open_files(), before + 1);
	assert_int_equal(add(m, &other), kept);
	/* The number is given to another. */
	assert_true(images_jit(m, (uint32_t)getpid()) < m->at.n);
	assert_true(add(m, &id) < m->at.n);
	assert_int_equal(m->at.n, IMAGE_FIRST + 3);
	assert_int_not_equal(images_at(m, add(m, &id))->serial, serial);
	images_free(m);
}

/* The first image of a build is the next copy then, if others have that. */
static void copies_are_forgotten_one_by_one(void **state)
{
	struct images *m = images_new();
	char *paths[] = {snippet_path("c"), snippet_path("c_copy"), snippet_path("c_third")};
	uint8_t used[IMAGE_FIRST + 4] = {0};
	struct image_id id[3];
	uint32_t at[3], again;

	(void)state;
	m->separate_copies = true;
	snippet_build("c", source, "-Wl,--build-id=0x0c0c0c0c");
	snippet_run("cp c c_copy && cp c c_third");
	for (int i = 0; i < 3; i++) {
		id[i] = id_of(paths[i]);
		at[i] = add(m, &id[i]);
	}
	const size_t open = open_files();

	used[at[1]] = used[at[2]] = 1;
	for (int i = 0; i < 3; i++)
		images_forget(m, used);
	assert_null(images_at(m, at[0]));
	assert_int_equal(open_files(), open - 1);
	assert_int_equal(images_at(m, at[1])->first, images_at(m, at[2])->first);
	assert_int_equal(add(m, &id[1]), at[1]);
	assert_int_equal(add(m, &id[2]), at[2]);
	again = add(m, &id[0]);
	assert_int_equal(images_at(m, again)->first, images_at(m, at[1])->first);
	assert_int_equal(m->at.n, IMAGE_FIRST + 3);
	memset(used, 0, sizeof(used));
	used[again] = 1;
	for (int i = 0; i < 3; i++)
		images_forget(m, used);
	assert_int_equal(images_at(m, again)->first, again);
	assert_int_equal(add(m, &id[0]), again);
	assert_int_equal(open_files(), open - 2);
	images_free(m);
	free(paths[0]);
	free(paths[1]);
	free(paths[2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_images_come_first),
		cmocka_unit_test(one_build_is_one_image),
		cmocka_unit_test(copies_are_parted),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(outlives_its_file),
		cmocka_unit_test(finds_deleted_files_by_their_mapping),
		cmocka_unit_test(tells_when_descriptors_run_out),
		cmocka_unit_test(who_maps_many_files_leaves_some_to_others),
		cmocka_unit_test(jit_images_are_per_process),
		cmocka_unit_test(perf_maps_lead_nowhere_else),
		cmocka_unit_test(perf_maps_are_of_who_started_it),
		cmocka_unit_test(what_nobody_refers_to_is_forgotten),
		cmocka_unit_test(copies_are_forgotten_one_by_one),
	};

	return cmocka_run_group_tests(tests, snippet_setup, snippet_teardown);
}
