// Structs of structs, each of which -fdebug-types-section puts into a unit of its own: which
// registers and places on the stack they take.
struct inner { int a, b; };
struct outer { inner in[1]; int c; };
struct real { double d[1]; };
struct rest { real r; inner in; };
struct big { inner in[3]; };
struct owner { int *p; owner(const owner &); explicit owner(int *q) : p(q) {} ~owner(); };
struct holder { owner o; long more[4]; };
owner::owner(const owner &o) : p(o.p) {}
owner::~owner() { *p += 1; }
enum colour { RED, GREEN };
struct named { inner *i; colour c; };

__attribute__((noinline)) int arrays(outer o, int n, big b, int m) { return o.c + n + b.in[2].b + m; }
__attribute__((noinline)) int mixed(rest r, int n, real f, int m) { return r.in.b + n + (int)f.d[0] + m; }
__attribute__((noinline)) int owned(holder h, int n, named *p, colour c) { return *h.o.p + n + p->c + c; }

int main()
{
	int x = 5;
	named p = {nullptr, GREEN};
	holder h = {owner(&x), {}};

	arrays({{{1, 2}}, 3}, 4, {{{1, 2}, {3, 4}, {5, 6}}}, 7);
	mixed({{{1.5}}, {2, 3}}, 8, {{2.5}}, 9);
	owned(h, 10, &p, GREEN);
	return 0;
}
