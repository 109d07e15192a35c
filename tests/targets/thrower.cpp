// Calls functions as often as is known: shop::parse<int>() is called 10 times and throws each third time, through
// shop::Parser::check(), which it calls; shop::recover() is called for each exception.
#include <cstdio>

namespace shop {

volatile int result;

struct Parser {
	__attribute__((noipa)) void check(int value)
	{
		if (value % 3 == 0)
			throw value;
		result = value;
	}
};

template <typename T> __attribute__((noipa)) void parse(Parser &parser, T value)
{
	parser.check(value);
	result = value + 1;
}

__attribute__((noipa)) void recover(int value)
{
	result = value;
}

} // namespace shop

__attribute__((noipa)) static void serve()
{
	shop::Parser parser;

	for (int i = 0; i < 10; i++) {
		try {
			shop::parse<int>(parser, i);
		} catch (int value) {
			shop::recover(value);
		}
	}
	shop::result = 0;
}

int main()
{
	serve();
	return 7;
}
