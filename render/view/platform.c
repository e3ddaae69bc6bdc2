/* platform: what the machine and the build were. */
#include "view/view.h"

#include "model/meta.h"

static const struct {
	const char *key, *label;
} facts[] = {
	{META_VERSION, "Version"}, {META_PLATFORM, "Platform"}, {META_TIMESTAMP, "Time"},
	{META_MACHINE, "Machine"}, {META_NODE, "Host"},		{META_SYSTEM, "System"},
	{META_RELEASE, "Release"}, {META_ARCH, "Architecture"}, {META_PROCESSOR, "Processor"},
	{META_CORES, "Cores"},	   {META_COMPILER, "Compiler"},
};

static int platform_write(const struct view_input *in, struct doc *doc)
{
	struct doc_block *b;

	doc_heading(doc, "Platform");
	b = doc_facts(doc);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const char *text = profile_meta(in->profile, facts[i].key);

		if (text && text[0])
			doc_fact(b, false, facts[i].label, "%s", text);
	}
	if (!b->facts.n)
		doc_fact(b, false, "Unknown", "the profile does not tell of it");
	return 0;
}

const struct view platform_view = {
	.name = "platform",
	.about = "the machine and the build",
	.shows = {[DOC_PAPER] = SHOWS},
	.write = platform_write,
};
