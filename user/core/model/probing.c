#include "model/probing.h"

const char *site_class_name(unsigned int site_class)
{
	static const char *const names[SITE_CLASSES] = {"", "nop5", "emulated", "stepped", "mixed"};

	return site_class < SITE_CLASSES ? names[site_class] : "";
}

const char *exit_way_name(unsigned int exit_way)
{
	static const char *const names[EXIT_WAYS] = {"", "session", "returns", "none", "mixed"};

	return exit_way < EXIT_WAYS ? names[exit_way] : "";
}
