#include "import/pprof_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/err.h"
#include "base/str.h"
#include "import/protobuf_fields.h"
#include "import/unzip.h"

#define LINES_MOST 1024

#define BITS_GZIP (15 + 16)

/* --- the message ------------------------------------------------------------------------------ */

/* Counts what is given, and never what is given back: no file can ask for much again and again. */
static void *give(void *data, size_t n)
{
	struct pprof_file *f = data;

	if (n > f->left)
		return NULL;
	f->left -= n;
	return malloc(n);
}

static void take_back(void *data, void *memory)
{
	(void)data;
	free(memory);
}

static int unpack(struct pprof_file *f, const char *name, const uint8_t *at, size_t n)
{
	if (n > PPROF_BYTES_MAX)
		return err(-EFBIG, "'%s' is larger than %zu MiB", name, PPROF_BYTES_MAX >> 20);
	f->bytes = n;
	f->message = pprof__profile__unpack(&f->allocator, n, at);
	if (f->message)
		return 0;
	if (f->left < n)
		return err(-EFBIG, "'%s' is larger than it looks: it takes more than %zu MiB", name,
			   PPROF_MEMORY_MAX >> 20);
	return err(-EINVAL, "'%s' is no pprof profile, or is damaged", name);
}

int pprof_file_read(struct pprof_file *f, struct input *in)
{
	struct span file;
	unzip_bytes plain = {0};
	int rc;

	*f = (struct pprof_file){.left = PPROF_MEMORY_MAX};
	f->allocator = (ProtobufCAllocator){give, take_back, f};
	rc = input_all(in, INPUT_ALL_MAX, &file);
	if (!rc && unzip_is(file))
		rc = unzip(in->name, file, &plain);
	else if (!rc)
		return unpack(f, in->name, (const uint8_t *)file.s, file.n);
	if (!rc)
		rc = unpack(f, in->name, plain.at, plain.n);
	vec_release(&plain);
	return rc;
}

void pprof_file_release(struct pprof_file *f)
{
	if (f->message)
		pprof__profile__free_unpacked(f->message, &f->allocator);
	f->message = NULL;
}

/* Fields of a Profile, as bits: those that are numbers, those that have a length, and of these the
 * ones that are messages. Comments (13) may be either. */
#define NUMBERS	 0xf780u
#define LENGTHS	 0x287eu
#define MESSAGES 0x083eu

/* Takes one field of a Profile; *@message: it is a message that begins with its first fields. */
static bool take_field(struct span *at, bool *message)
{
	uint64_t tag, value;

	if (!protobuf_varint(at, &tag) || tag >> 3 > 15 || !protobuf_varint(at, &value))
		return false;
	if ((tag & 7) == 0)
		return NUMBERS >> (tag >> 3) & 1;
	if ((tag & 7) != 2 || !(LENGTHS >> (tag >> 3) & 1))
		return false;
	*message |= MESSAGES >> (tag >> 3) & 1 && value && at->n && at->s[0] >= 0x08 &&
		    at->s[0] <= 0x1a && ((at->s[0] & 7) == 0 || (at->s[0] & 7) == 2);
	value = value < at->n ? value : at->n;
	*at = (struct span){at->s + value, at->n - value};
	return true;
}

/* Whether it begins with fields of a Profile, in any order, as far as it is whole. */
static bool begins_message(struct span head)
{
	bool message = false;

	while (head.n) {
		const size_t left = head.n;

		/* The last one may be cut in its tag or length: of 10 bytes at most each. */
		if (!take_field(&head, &message))
			return message && left < 20;
	}
	return message;
}

bool pprof_file_is(struct span head)
{
	char plain[512];
	z_stream z = {.next_in = (Bytef *)head.s,
		      .avail_in = (uInt)head.n,
		      .next_out = (Bytef *)plain,
		      .avail_out = sizeof(plain)};
	bool is;

	if (!unzip_is(head))
		return begins_message(head);
	if (inflateInit2(&z, BITS_GZIP) != Z_OK)
		return false;
	(void)inflate(&z, Z_SYNC_FLUSH);
	is = begins_message((struct span){plain, sizeof(plain) - z.avail_out});
	inflateEnd(&z);
	return is;
}

/* --- tables ----------------------------------------------------------------------------------- */

int pprof_bad(const struct pprof *f, const char *what, size_t row)
{
	return err(-EINVAL, "'%s' is no sound pprof profile: %s %zu", f->name, what, row);
}

const char *pprof_string(const struct pprof *f, int64_t number)
{
	if (number >= 0 && (uint64_t)number < f->m->n_string_table)
		return f->m->string_table[number];
	err(-EINVAL, "'%s' is no sound pprof profile: there is no string %" PRId64, f->name,
	    number);
	return NULL;
}

uint32_t pprof_text(struct pprof *f, int64_t number, int *rc)
{
	const char *s = pprof_string(f, number);

	if (!s)
		*rc = -EINVAL;
	return s ? builder_text(f->b, s, strlen(s)) : 0;
}

/* Notes that @id is that of @row. */
static int number(struct pprof *f, struct map *ids, uint64_t id, const char *what, size_t row)
{
	bool fresh;
	uint32_t *at;

	if (!id)
		return pprof_bad(f, "no id has", row);
	at = map_put(ids, id, &fresh);
	if (!fresh)
		return err(-EINVAL, "'%s' is no sound pprof profile: two %ss have the id %" PRIu64,
			   f->name, what, id);
	*at = (uint32_t)row;
	return 0;
}

static int read_mappings(struct pprof *f)
{
	int rc = 0;

	f->modules = mem_zalloc(f->m->n_mapping + 1, sizeof(*f->modules));
	for (size_t i = 0; !rc && i < f->m->n_mapping; i++) {
		const Pprof__Mapping *mapping = f->m->mapping[i];
		const char *path = pprof_string(f, mapping->filename);
		const char *id = pprof_string(f, mapping->build_id);
		_free_ char *clean_path = path ? str_clean(path, strlen(path)) : NULL;
		_free_ char *clean_id = id ? str_clean(id, strlen(id)) : NULL;

		rc = path && id ? number(f, &f->mappings, mapping->id, "mapping", i) : -EINVAL;
		if (!rc && (*clean_path || *clean_id))
			f->modules[i] = profile_module(f->b->profile, clean_path, clean_id);
	}
	return rc;
}

static uint32_t line_number(int64_t line)
{
	return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
}

/* The address as symbols count, by which `eprof name` may name it later. Where a mapping has a
 * place in memory, only that in the file is known. */
static uint64_t address_in(const Pprof__Location *l, const Pprof__Mapping *mapping)
{
	return mapping && !mapping->memory_start && !mapping->file_offset ? l->address : 0;
}

/* The frame of a line of a location in @module, at @address if it has no name. */
static int read_line(struct pprof *f, const Pprof__Line *line, uint32_t module, bool inlined,
		     uint64_t address)
{
	const uint32_t *row = map_get(&f->functions, line->function_id);
	const Pprof__Function *from = row ? f->m->function[*row] : NULL;
	struct frame frame = {.line = line_number(line->line), .inlined = inlined};
	struct function e = {.module = module};
	struct span name;
	int rc = 0;

	if (!from)
		return err(-EINVAL, "'%s' is no sound pprof profile: there is no function %" PRIu64,
			   f->name, line->function_id);
	e.name = pprof_text(f, from->name, &rc);
	e.linkage = pprof_text(f, from->system_name, &rc);
	e.linkage = e.linkage == e.name ? 0 : e.linkage;
	e.file = pprof_text(f, from->filename, &rc);
	e.line = line_number(from->start_line);
	name = span_of(profile_text(f->b->profile, e.name));
	e.kind = builder_code_kind(f->b, module, name);
	e.named = !builder_is_unnamed(name) && e.kind != KIND_UNKNOWN;
	frame.function = profile_function(f->b->profile, &e);
	frame.address = e.named ? 0 : address;
	vec_push(&f->frames, profile_frame(f->b->profile, &frame));
	return rc;
}

/* Nobody named it: "libfoo.so+0x1f30", or where in no mapping, "[unknown] 0x7f00". */
static void read_address(struct pprof *f, const Pprof__Location *l, const Pprof__Mapping *mapping,
			 uint32_t module)
{
	const char *path = profile_text(f->b->profile, f->b->profile->modules.at[module].path);
	_free_ char *name =
		mapping && *path
			? mem_printf("%s+0x%" PRIx64, str_base(path),
				     l->address - mapping->memory_start + mapping->file_offset)
			: mem_printf("[unknown] 0x%" PRIx64, l->address);
	struct function e = {.name = builder_text(f->b, name, strlen(name)), .module = module};

	e.kind = builder_code_kind(f->b, module, span_of(name));
	vec_push(&f->frames,
		 profile_frame(f->b->profile,
			       &(struct frame){.function = profile_function(f->b->profile, &e)}));
}

static int read_location(struct pprof *f, size_t i)
{
	const Pprof__Location *l = f->m->location[i];
	const uint32_t *row = map_get(&f->mappings, l->mapping_id);
	const Pprof__Mapping *mapping = row ? f->m->mapping[*row] : NULL;
	const uint32_t module = row ? f->modules[*row] : 0;
	int rc = number(f, &f->locations, l->id, "location", i);

	if (!rc && l->mapping_id && !row)
		rc = err(-EINVAL, "'%s' is no sound pprof profile: there is no mapping %" PRIu64,
			 f->name, l->mapping_id);
	if (!rc && l->n_line > LINES_MOST)
		rc = pprof_bad(f, "more than 1024 lines at location", i);
	f->spans[i].first = f->frames.n;
	for (size_t k = rc ? 0 : l->n_line; !rc && k-- > 0;)
		rc = read_line(f, l->line[k], module, k + 1 < l->n_line, address_in(l, mapping));
	if (!rc && !l->n_line)
		read_address(f, l, mapping, module);
	f->spans[i].n = (uint32_t)(f->frames.n - f->spans[i].first);
	return rc;
}

int pprof_read_tables(struct pprof *f)
{
	int rc = read_mappings(f);

	for (size_t i = 0; !rc && i < f->m->n_function; i++)
		rc = number(f, &f->functions, f->m->function[i]->id, "function", i);
	f->spans = mem_zalloc(f->m->n_location + 1, sizeof(*f->spans));
	for (size_t i = 0; !rc && i < f->m->n_location; i++)
		rc = read_location(f, i);
	return rc;
}
