/* Calls whose arguments and results are known: of each kind of type, and wherever they are passed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEEP __attribute__((noinline, noclone, noipa))

enum colour { RED, GREEN = 7 };
enum below { MINUS = -2, PLUS = 3 };
struct pair {
	int x, y;
};
struct mixed {
	double d;
	long l;
};
struct big {
	long a[4];
};
struct node {
	int n;
};
typedef const unsigned short port_t;
typedef float four __attribute__((vector_size(16)));

KEEP int small(signed char a, unsigned char b, short c, port_t d, int e, bool f)
{
	return e + a + b + c + d + f;
}

KEEP enum colour paint(enum colour colour, enum below below, const char *name, char letter)
{
	return name && colour == RED && below && letter ? GREEN : RED;
}

KEEP long eight(long a, double b, long c, long d, long e, long f, long g, long h)
{
	return a + (long)b + c + d + e + f + g + h;
}

KEEP uint64_t structs(struct pair p, struct mixed m, struct big b, long double l,
		      const struct node *n)
{
	return (uint64_t)(p.x + m.l + b.a[0] + (long)l + (n ? n->n : 0)) | 1ull << 63;
}

KEEP struct big made(int n)
{
	return (struct big){{n}};
}

KEEP void nothing(void)
{
	__asm__ volatile("");
}

KEEP double half(float x, __int128 wide, four v)
{
	return (double)x / 2 + (double)wide + (double)v[0];
}

KEEP bool is_even(unsigned n)
{
	return !(n & 1);
}

KEEP const char *text_of(int n)
{
	return n ? (const char *)16 : NULL;
}

/* All calls have the same second argument: a copy of it is made that takes one. */
static __attribute__((noinline)) int copied(int n, int always)
{
	__asm__ volatile("" : "+r"(n));
	return n * always;
}

static const char sky[] = "sky, \"blue\"";

int main(void)
{
	const struct node node = {5};
	volatile const char *touched = sky;

	/* Only what is in memory is read. */
	(void)*touched;

	small(-1, 255, -300, 65535, -70000, true);
	paint(RED, MINUS, sky, 'x');
	paint(GREEN, PLUS, NULL, '\n');
	paint((enum colour)3, (enum below)9, (const char *)16, 'y');
	eight(1, 2.5, 3, 4, 5, 6, 7, 8);
	structs((struct pair){1, 2}, (struct mixed){1, 2}, (struct big){{3}}, 4, &node);
	made(-4);
	nothing();
	half(3, 1, (four){1});
	is_even(4);
	is_even(5);
	text_of(0);
	text_of(1);
	copied(3, 4);
	copied(5, 4);
	return 0;
}
