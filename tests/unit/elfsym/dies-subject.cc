/* What the tests of DIEs look at: namespaces, templates, lambdas, local classes, and inlining into each other. */
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace outer
{
inline namespace inner
{
template <class T> struct Box {
	std::vector<T> items;

	T sum() const
	{
		T result{};

		for (auto &item : items)
			result += item;
		return result;
	}
};
}

namespace
{
__attribute__((noinline)) int hidden(int count)
{
	struct Local {
		static __attribute__((noinline)) int twice(int value)
		{
			return value * 2 + 1;
		}
	};
	auto less = [](int a, int b) { return a % 7 < b % 7; };
	Box<int> box;

	for (int i = 0; i < count; i++)
		box.items.push_back(Local::twice(i));
	std::sort(box.items.begin(), box.items.end(), less);
	return box.sum();
}
}
}

int main(int argc, char **)
{
	std::map<std::string, int> names;

	for (int i = 0; i < 10 * argc; i++)
		names[std::to_string(i)] = outer::hidden(i);
	std::printf("%zu\n", names.size());
	return 0;
}
