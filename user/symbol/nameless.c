#include "symbol/nameless.h"

#include "base/mem.h"
#include "base/str.h"

char *nameless(const struct image *image, uint64_t offset)
{
	if (image->kind == IMAGE_KIND_JIT)
		return mem_strdup("[JIT code]");
	if (image->kind == IMAGE_KIND_NONE)
		return mem_strdup(image->path);
	return mem_printf("%s+0x%lx", str_base(image->path), offset);
}
