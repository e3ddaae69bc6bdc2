#include "debuginfo/dwofiles.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "debuginfo/dwoview.h"
#include "debuginfo/dwpindex.h"
#include "debuginfo/unitwalk.h"

/* One of the files. */
struct source {
	struct dwoview view;
	struct dwpindex units, types; /* of a package */
};

/* What libdw reads as a file: one section of entries, and what its units refer to. */
struct piece {
	struct source *source;
	struct dwoview_part parts[DWOVIEW_PARTS];
	uint32_t n;
	bool tried;
	Elf *elf;
	Dwarf *dwarf;
};

struct dwofiles {
	VEC(struct source *) sources;
	VEC(struct piece *) pieces;
	VEC(struct dwo_unit *) found;
	struct map units, types; /* id → 1 + where it is in .found; 0: in none */
	struct map in_piece;	 /* type's id → 1 + the piece to open for it */
};

/* --- pieces ----------------------------------------------------------------------------------- */

struct noting {
	struct dwofiles *files;
	const struct piece *piece;
};

/* Notes the unit by its id; the first one of an id stays. */
static void note_unit(void *noting, struct dwarf_unit *unit)
{
	const struct noting *n = noting;
	struct dwo_unit *found = NULL;
	Dwarf_Die entry;
	uint32_t *known;
	uint64_t id;
	uint8_t type;
	bool fresh;

	if (dwarf_cu_info(unit->die.cu, NULL, &type, NULL, &entry, &id, NULL, NULL))
		return;
	switch (type) {
	case DW_UT_split_compile:
		known = map_put(&n->files->units, id, &fresh);
		entry = unit->die;
		break;
	case DW_UT_type:
	case DW_UT_split_type:
		known = map_put(&n->files->types, id, &fresh);
		break;
	default:
		return;
	}
	if (*known || !entry.addr)
		return;
	found = mem_zalloc(1, sizeof(*found));
	*found = (struct dwo_unit){n->piece->elf, entry, unit->bytes};
	vec_push(&n->files->found, found);
	*known = (uint32_t)n->files->found.n;
}

static void open_piece(struct dwofiles *files, struct piece *p)
{
	struct noting noting = {files, p};

	if (p->tried)
		return;
	p->tried = true;
	p->elf = dwoview_make(&p->source->view, p->parts, p->n);
	p->dwarf = p->elf ? dwarf_begin_elf(p->elf, DWARF_C_READ, NULL) : NULL;
	if (!p->dwarf)
		return;
	unitwalk_each(p->dwarf, false, note_unit, &noting);
	unitwalk_each(p->dwarf, true, note_unit, &noting);
}

static struct piece *add_piece(struct dwofiles *files, struct source *source)
{
	struct piece *p = mem_zalloc(1, sizeof(*p));

	p->source = source;
	vec_push(&files->pieces, p);
	return p;
}

/* libdw takes no file for DWARF that has only .debug_types: it gets an empty .debug_info, too. */
static void add_empty(struct piece *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (!strcmp(p->parts[i].name, ".debug_info.dwo"))
			return;
	if (p->n < DWOVIEW_PARTS)
		p->parts[p->n++] = (struct dwoview_part){".debug_info.dwo", p->parts[0].offset, 0};
}

/* --- packages --------------------------------------------------------------------------------- */

/* Opens the unit with @id of each package; @types: the unit of a type. */
static void search_packages(struct dwofiles *files, uint64_t id, bool types)
{
	vec_each (s, &files->sources) {
		const struct dwpindex *x = types ? &(*s)->types : &(*s)->units;
		struct dwoview_part parts[DWOVIEW_PARTS];
		const uint32_t n = dwpindex_find(x, &(*s)->view, id, parts);
		struct piece *p;

		if (!n)
			continue;
		p = add_piece(files, *s);
		memcpy(p->parts, parts, n * sizeof(*parts));
		p->n = n;
		add_empty(p);
		open_piece(files, p);
	}
}

/* --- .dwo files ------------------------------------------------------------------------------- */

/* What a unit's header says of it. */
struct unit_head {
	bool is_type;
	uint64_t signature;
};

/* Reads the header of a unit, and moves on to the next one. */
static bool take_head(struct split_bytes *b, bool in_types, struct unit_head *out)
{
	struct split_bytes unit;
	uint64_t length, version, kind = 0, skipped;
	unsigned int offset_bytes = 4;

	if (!split_bytes_fixed(b, 4, &length))
		return false;
	if (length == UINT32_MAX) {
		offset_bytes = 8;
		if (!split_bytes_fixed(b, 8, &length))
			return false;
	}
	if (!length || length > split_bytes_left(b))
		return false;
	unit = (struct split_bytes){b->at, b->at + length};
	b->at = unit.end;
	if (!split_bytes_fixed(&unit, 2, &version) ||
	    (version >= 5 && !split_bytes_fixed(&unit, 1, &kind)))
		return false;
	out->is_type = in_types || kind == DW_UT_split_type || kind == DW_UT_type;
	return split_bytes_fixed(&unit, 1, &skipped) &&
	       split_bytes_fixed(&unit, offset_bytes, &skipped) &&
	       split_bytes_fixed(&unit, 8, &out->signature);
}

/* What the entries of each section of a .dwo file refer to. */
static void find_common(struct source *source, struct piece *out)
{
	static const char *const names[] = {".debug_abbrev.dwo", ".debug_line.dwo",
					    ".debug_str_offsets.dwo", ".debug_str.dwo",
					    ".debug_rnglists.dwo"};

	*out = (struct piece){.source = source};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct dwoview_part *part = dwoview_section(&source->view, names[i]);

		if (part)
			out->parts[out->n++] = *part;
	}
}

/* Notes a section of entries: its types are read once they are needed, other units now. */
static void add_entries(struct dwofiles *files, const struct piece *common,
			const struct dwoview_part *section)
{
	const bool in_types = !strcmp(section->name, ".debug_types.dwo");
	struct split_bytes b = dwoview_bytes(&common->source->view, section);
	struct piece *p = add_piece(files, common->source);
	struct unit_head head;
	bool now = false;

	*p = *common;
	p->parts[p->n++] = *section;
	add_empty(p);
	while (take_head(&b, in_types, &head)) {
		bool fresh;
		uint32_t *piece;

		now |= !head.is_type;
		if (!head.is_type)
			continue;
		piece = map_put(&files->in_piece, head.signature, &fresh);
		if (fresh)
			*piece = (uint32_t)files->pieces.n;
	}
	if (now)
		open_piece(files, p);
}

static void add_file(struct dwofiles *files, int fd)
{
	struct source *s = mem_zalloc(1, sizeof(*s));
	struct piece common;

	if (!dwoview_open(fd, &s->view)) {
		dwoview_release(&s->view);
		free(s);
		return;
	}
	vec_push(&files->sources, s);
	if (dwoview_section(&s->view, ".debug_cu_index") ||
	    dwoview_section(&s->view, ".debug_tu_index")) {
		dwpindex_read(&s->view, ".debug_cu_index", &s->units);
		dwpindex_read(&s->view, ".debug_tu_index", &s->types);
		return;
	}
	find_common(s, &common);
	vec_each (section, &s->view.sections)
		if (!strcmp(section->name, ".debug_types.dwo") ||
		    !strcmp(section->name, ".debug_info.dwo"))
			add_entries(files, &common, section);
}

/* --- all -------------------------------------------------------------------------------------- */

struct dwofiles *dwofiles_open(const int *fds, size_t n)
{
	struct dwofiles *files = mem_zalloc(1, sizeof(*files));

	for (size_t i = 0; i < n; i++)
		add_file(files, fds[i]);
	return files;
}

void dwofiles_close(struct dwofiles *files)
{
	if (!files)
		return;
	vec_each (p, &files->pieces) {
		dwarf_end((*p)->dwarf);
		elf_end((*p)->elf);
		free(*p);
	}
	vec_each (s, &files->sources) {
		dwoview_release(&(*s)->view);
		free(*s);
	}
	vec_each (unit, &files->found)
		free(*unit);
	vec_release(&files->pieces);
	vec_release(&files->sources);
	vec_release(&files->found);
	map_release(&files->units);
	map_release(&files->types);
	map_release(&files->in_piece);
	free(files);
}

static const struct dwo_unit *found_at(const struct dwofiles *files, const uint32_t *place)
{
	return place && *place ? files->found.at[*place - 1] : NULL;
}

const struct dwo_unit *dwofiles_unit(struct dwofiles *files, uint64_t id)
{
	bool fresh;

	map_put(&files->units, id, &fresh);
	if (fresh)
		search_packages(files, id, false);
	return found_at(files, map_get(&files->units, id));
}

static const struct dwo_unit *find_type(struct dwofiles *files, uint64_t id)
{
	const uint32_t *piece = map_get(&files->in_piece, id);
	bool fresh;

	if (piece)
		open_piece(files, files->pieces.at[*piece - 1]);
	map_put(&files->types, id, &fresh);
	if (fresh)
		search_packages(files, id, true);
	return found_at(files, map_get(&files->types, id));
}

bool dwofiles_follow(struct dwofiles *files, Dwarf_Attribute *attr, Dwarf_Die *out)
{
	const struct dwo_unit *type;
	uint64_t id;

	if (dwarf_formref_die(attr, out))
		return true;
	if (!files || dwarf_whatform(attr) != DW_FORM_ref_sig8)
		return false;
	memcpy(&id, attr->valp, sizeof(id));
	type = find_type(files, id);
	if (type)
		*out = type->die;
	return type;
}
