// Calls of C++ whose arguments are known: methods, references, and what is passed by a pointer.
#include <string>

#define KEEP __attribute__((noinline, noclone, noipa))

enum class level : unsigned char { low = 1, high = 200 };

struct empty {};

struct counter {
	int n = 0;
	KEEP int add(int by, const int &most);
	KEEP std::string name(level l, std::string text, empty e, int last) const;
};

int counter::add(int by, const int &most)
{
	n += by;
	return n > most ? most : n;
}

std::string counter::name(level l, std::string text, empty, int last) const
{
	return l == level::high ? text : std::string(static_cast<std::size_t>(last), 'x');
}

int main()
{
	counter c;

	c.add(-3, 10);
	c.add(30, 10);
	c.name(level::high, "text", {}, 3);
	return 0;
}
