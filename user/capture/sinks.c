#include "capture/sinks.h"

#define SINK(name) extern const struct sink name##_sink;
#include "capture/sinks.def"
#undef SINK

static const struct sink *const table[SINKS] = {
#define SINK(name) &name##_sink,
#include "capture/sinks.def"
#undef SINK
};

void sinks_init(struct sinks *s, const void *const options[SINKS])
{
	for (size_t i = 0; i < SINKS; i++)
		s->state[i] = options[i] ? table[i]->new (options[i]) : NULL;
}

void sinks_release(struct sinks *s)
{
	for (size_t i = 0; i < SINKS; i++)
		if (s->state[i])
			table[i]->free(s->state[i]);
	*s = (struct sinks){0};
}

bool sinks_any(const struct sinks *s)
{
	bool any = false;

	for (size_t i = 0; i < SINKS; i++)
		any |= s->state[i] != NULL;
	return any;
}

int sinks_put(const struct sinks *s, const struct sink_window *w, int signal_fd)
{
	int ret = 0;

	for (size_t i = 0; i < SINKS && !ret; i++)
		if (s->state[i])
			ret = table[i]->put(s->state[i], w, signal_fd);
	return ret;
}

void sinks_keep(const struct sinks *s, const struct sink_window *w)
{
	for (size_t i = 0; i < SINKS; i++)
		if (s->state[i])
			table[i]->keep(s->state[i], w);
}

int sinks_read(const struct sinks *s, struct splice *to)
{
	for (size_t i = 0; i < SINKS; i++)
		if (s->state[i] && table[i]->read)
			return table[i]->read(s->state[i], to);
	return 0;
}
