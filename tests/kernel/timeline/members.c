/* Calls whose arguments point to structs: members of each kind, those that are left out, and those
 * that are not in memory. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define KEEP __attribute__((noinline, noclone, noipa))
#define PAGE 4096

enum state { IDLE, BUSY = 5 };

struct request {
	const char *method;
	void *left_out;
	int length;
	enum state state;
	char tag[8];
	uint8_t fifth;
};

struct kinds {
	unsigned part : 3;
	float single;
	int64_t big;
	bool on;
	struct {
		int x;
	} inner;
	char letter;
	char longer[100];
	int fifth;
};

union either {
	int a;
	long b;
};

struct opaque;

/* Nothing of it is shown. */
struct odd {
	char grid[2][4];
	unsigned char *bytes;
	struct odd *next;
	long double wide;
	char rest[];
};

KEEP int serve(const struct request *req, int n)
{
	__asm__ volatile("" : : "r"(req) : "memory");
	return n;
}

KEEP void several(const struct kinds *k, struct request *r, const struct request *more)
{
	__asm__ volatile("" : : "r"(k), "r"(r), "r"(more) : "memory");
}

KEEP void others(union either *u, struct opaque *o, struct odd *odd)
{
	__asm__ volatile("" : : "r"(u), "r"(o), "r"(odd) : "memory");
}

/* A struct of which the first 16 bytes are in memory, and the page behind these is not there. */
static struct request *cut(void)
{
	char *pages =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct request *r = (struct request *)(pages + PAGE - 16);

	munmap(pages + PAGE, PAGE);
	r->method = NULL;
	return r;
}

int main(void)
{
	char get[] = "GET";
	struct request r = {get, NULL, 3, BUSY, "abcdefgh", 9};
	struct kinds k = {1, 2, -5, true, {1}, 'x', "", 7};

	memset(k.longer, 'y', sizeof(k.longer));
	serve(&r, 1);
	r = (struct request){NULL, NULL, -4, (enum state)77, "z", 9};
	serve(&r, 2);
	serve(NULL, 3);
	serve((const struct request *)(uintptr_t)PAGE, 4);
	r.method = (const char *)16;
	serve(&r, 5);
	serve(cut(), 6);
	several(&k, &r, &r);
	others(NULL, NULL, NULL);
	return 0;
}
