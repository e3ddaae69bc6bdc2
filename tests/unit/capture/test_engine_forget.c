/* What a capture of zones holds is what runs, not what ran. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probe/engine.h"
#include "process/maps.h"

/* Above the kernel's largest pid: nothing is read from /proc for these. */
enum { SERVER = 5000001, CHILD };

static struct engine z;

static int setup(void **state)
{
	(void)state;
	z = (struct engine){.in.images = images_new()};
	z.in.procs = procs_new(z.in.images);
	z.in.images->separate_copies = true;
	/* A thread of it lives. */
	procs_fork(z.in.procs, SERVER, SERVER, SERVER, SERVER + 1000000, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (size_t i = 0; i < z.at.n; i++) {
		probed_image_release(z.at.at[i]);
		free(z.at.at[i]);
	}
	for (size_t i = 0; i < z.met.n; i++) {
		vec_release(&z.met.at[i]->images);
		free(z.met.at[i]);
	}
	vec_release(&z.at);
	vec_release(&z.met);
	vec_release(&z.processes);
	vec_release(&z.unused_slots);
	map_release(&z.by_image);
	map_release(&z.by_pid);
	procs_free(z.in.procs);
	images_free(z.in.images);
	return 0;
}

/* The kernel tells that @pid maps a file; nothing is looked for where its name is in brackets. */
static void map_file(uint32_t pid, uint64_t start, uint32_t inode, const char *build)
{
	struct proc_mmap r = {.pid = pid,
			      .tid = pid,
			      .start = start,
			      .end = start + 0x1000,
			      .id = {.path = "[file]", .inode = inode}};

	if (build) {
		r.id.build_id_bytes = 8;
		memcpy(r.id.build_id, build, 8);
	}
	procs_mmap(z.in.procs, &r);
}

static void add_mapped(void *context, uint32_t image)
{
	struct probed_process *p = context;
	const uint32_t number = engine_number_of(&z, image);

	for (size_t i = 0; i < p->images.n; i++)
		if (p->images.at[i] == number)
			return;
	vec_push(&p->images, number);
}

/* It was looked at. */
static struct probed_process *see(uint32_t pid)
{
	struct probed_process *p = engine_process_of(&z, pid);

	procs_each_image(z.in.procs, pid, add_mapped, p);
	return p;
}

static void end(uint32_t pid)
{
	procs_exit(z.in.procs, pid, pid);
	engine_leader_exit(&z, pid);
}

static void end_windows(int n)
{
	while (n--) {
		uint8_t *used = calloc(z.in.images->at.n + 1, 1);

		procs_forget(z.in.procs, NULL, false);
		procs_mark_images(z.in.procs, used);
		engine_forget(&z, used);
		images_forget(z.in.images, used);
		free(used);
	}
}

/* As if its file had been read: one zone of that name. */
static struct probed_image *read_zone(size_t at, const char *name, uint32_t slot)
{
	struct probed_image *image = z.at.at[at];
	const struct zone_def def = {.name = mem_strdup(name), .actions = 1, .address = 0x1234};

	vec_push(&image->list.zones, def);
	image->list.problem = mem_strdup("not harmless");
	image->slot = slot;
	image->generation = 7;
	if (!engine_forget_revive(&z, image)) {
		image->first = z.used++;
		vec_push(&image->refused, false);
		vec_push(&image->modes, 0);
	}
	return image;
}

static void programs_that_came_and_went_are_forgotten(void **state)
{
	(void)state;
	map_file(SERVER, 0x1000, 1, NULL);
	see(SERVER);
	for (uint32_t i = 0; i < 1000; i++) {
		map_file(CHILD + i, 0x1000, 1, NULL);
		map_file(CHILD + i, 0x3000, 100 + i, NULL);
		see(CHILD + i);
		end(CHILD + i);
		end_windows(1);
	}
	assert_int_equal(z.met.n, 1);
	assert_int_equal(z.processes.n, 1);
	assert_in_range(z.at.n, 1, 4);
	assert_in_range(z.in.images->at.n, IMAGE_FIRST, IMAGE_FIRST + 4);
	/* What runs is there, under whatever number. */
	assert_int_equal(see(SERVER)->images.n, 1);
	assert_int_equal(images_at(z.in.images, z.at.at[see(SERVER)->images.at[0]]->image)->inode,
			 1);
}

static void files_that_were_unmapped_are_forgotten(void **state)
{
	(void)state;
	map_file(SERVER, 0x1000, 1, NULL);
	for (uint32_t i = 0; i < 1000; i++) {
		map_file(SERVER, 0x3000, 100 + i, NULL);
		see(SERVER);
		end_windows(1);
	}
	assert_in_range(see(SERVER)->images.n, 2, 4);
	assert_in_range(z.at.n, 2, 4);
}

/* It may map anything, though nobody knows. */
static void of_who_is_not_read_nothing_is_forgotten(void **state)
{
	(void)state;
	map_file(SERVER, 0x1000, 1, NULL);
	map_file(SERVER, 0x3000, 2, NULL);
	see(SERVER);
	map_file(SERVER, 0x3000, 3, NULL);
	see(SERVER)->dirty = true;
	end_windows(5);
	assert_int_equal(see(SERVER)->images.n, 3);
	see(SERVER)->dirty = false;
	end_windows(5);
	assert_int_equal(see(SERVER)->images.n, 2);
}

static void rows_of_zones_stay_and_are_taken_up(void **state)
{
	struct probed_image *image;

	(void)state;
	map_file(CHILD, 0x1000, 5, "build-id");
	see(CHILD);
	image = read_zone(0, "work", 11);
	end(CHILD);
	assert_false(probed_image_is_past(image));
	end_windows(5);
	assert_true(probed_image_is_past(image));
	assert_int_equal(z.at.n, 1);
	assert_string_equal(engine_file(&z, image)->path, "[file]");
	assert_int_equal(image->list.zones.n, 1);
	assert_int_equal(z.in.images->at.n, IMAGE_FIRST + 1);
	assert_null(images_at(z.in.images, IMAGE_FIRST));
	/* Its row of generations is another's, which counts on from there. */
	assert_int_equal(z.unused_slots.n, 1);
	assert_int_equal(z.unused_slots.at[0].slot, 11);
	assert_int_equal(z.unused_slots.at[0].generation, 7);
	/* The same build in another file, each time: the same zones. */
	for (uint32_t i = 0; i < 100; i++) {
		map_file(CHILD, 0x1000, 100 + i, "build-id");
		see(CHILD);
		image = read_zone(z.at.n - 1, "work", 11);
		assert_int_equal(image->first, 0);
		end(CHILD);
		end_windows(5);
		assert_int_equal(z.at.n, 1);
	}
	assert_int_equal(z.used, 1);
	/* Of others there are others. */
	map_file(CHILD, 0x1000, 500, "build-ie");
	see(CHILD);
	assert_int_equal(read_zone(z.at.n - 1, "work", 11)->first, 1);
	map_file(CHILD, 0x1000, 501, "build-id");
	see(CHILD);
	assert_int_equal(read_zone(z.at.n - 1, "other", 12)->first, 2);
}

#define ON_FRESH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_FRESH(programs_that_came_and_went_are_forgotten),
		ON_FRESH(files_that_were_unmapped_are_forgotten),
		ON_FRESH(of_who_is_not_read_nothing_is_forgotten),
		ON_FRESH(rows_of_zones_stay_and_are_taken_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
