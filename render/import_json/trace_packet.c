#include "import_json/trace_packet.h"

static void read_number(struct trace_packet *p, const struct protobuf_field *f)
{
	switch (f->number) {
	case 8:
		p->timestamp = f->value;
		p->timed = true;
		break;
	case 10:
		p->sequence = f->value;
		break;
	case 13:
		p->flags = f->value;
		break;
	case 41:
		p->cleared = f->value != 0;
		break;
	case 58:
		p->clock = f->value;
		break;
	default:;
	}
}

/* The member for a message of that number; NULL: it is not read. */
static struct span *member_of(struct trace_packet *p, uint32_t number)
{
	switch (number) {
	case 6:
		return &p->clocks;
	case 11:
		return &p->event;
	case 12:
		return &p->interned;
	case 59:
		return &p->defaults;
	case 60:
		return &p->track;
	default:
		return NULL;
	}
}

/* False: it is damaged. */
static bool read_packet(struct span rest, struct trace_packet *p)
{
	struct protobuf_field f;

	*p = (struct trace_packet){0};
	while (protobuf_next(&rest, &f)) {
		struct span *member = f.bytes.s ? member_of(p, f.number) : NULL;

		if (member)
			*member = f.bytes;
		else if (!f.bytes.s)
			read_number(p, &f);
	}
	return !rest.n;
}

bool trace_packet_next(struct span *rest, struct trace_packet *p, bool *damaged)
{
	struct protobuf_field f;

	while (protobuf_next(rest, &f))
		if (f.number == 1 && f.bytes.s) {
			*damaged = !read_packet(f.bytes, p);
			return true;
		}
	return false;
}
