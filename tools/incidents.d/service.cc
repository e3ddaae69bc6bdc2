// service: prices orders, all the time.
#include <map>
#include <string>

struct Orders {
	std::map<std::string, double> prices;
	__attribute__((noinline)) double total(int n) const;
};

__attribute__((noinline)) static double price_order(const std::map<std::string, double> &prices, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		for (const auto &price : prices)
			sum += price.second * i;
	return sum;
}

double Orders::total(int n) const
{
	return price_order(prices, n) + 1;
}

int main()
{
	Orders orders;
	volatile double sum = 0;

	for (int i = 0; i < 100; i++)
		orders.prices["item " + std::to_string(i)] = i;
	for (;;)
		sum = orders.total(1000);
}
