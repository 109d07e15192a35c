// What compilers make of C++: exceptions, closures, templates, virtual functions. "run" computes for ever, "sleep" sleeps.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

static bool sleeps;
static volatile long sum;

[[gnu::noinline]] static void leaf(int turns)
{
	if (sleeps) {
		printf("asleep\n");
		for (;;)
			pause();
	}
	for (int i = 0; i < turns; i++)
		sum += i * i;
}

struct shape {
	virtual ~shape() { leaf(3); }
	virtual double area(int depth) = 0;
};

struct round_shape : shape {
	double area(int depth) override
	{
		leaf(20);
		return depth ? area(depth - 1) * 1.5 : 2;
	}
};

[[gnu::noinline]] static int thrower(int depth)
{
	std::string text = "number " + std::to_string(depth);

	if (!depth)
		throw std::runtime_error(text);
	return thrower(depth - 1) + static_cast<int>(text.size());
}

[[gnu::noinline]] static void catches(int depth)
{
	try {
		sum += thrower(depth % 5);
	} catch (const std::exception &error) {
		sum += static_cast<long>(strlen(error.what()));
		leaf(20);
	}
}

[[gnu::noinline]] static void sorts(int size)
{
	std::vector<int> numbers;

	for (int i = 0; i < 40; i++)
		numbers.push_back((i * 17 + size) % 40);
	std::sort(numbers.begin(), numbers.end(), [](int a, int b) {
		leaf(5);
		return a < b;
	});
	sum += numbers[4];
}

[[gnu::noinline]] static void maps(int size)
{
	std::map<std::string, std::function<void(int)>> ways;

	for (int i = 0; i < 5; i++)
		ways[std::to_string(i)] = [i](int turns) { leaf(turns + i); };
	for (auto &way : ways)
		way.second(size % 30);
}

[[gnu::noinline]] static void shapes(int size)
{
	std::unique_ptr<shape> made(new round_shape);

	sum += static_cast<long>(made->area(size % 6));
}

template <typename Way> static void repeat(Way way)
{
	for (int size = 1;; size = size % 400 + 7)
		way(size);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, nullptr, _IONBF, 0);
	sleeps = argc > 1 && !strcmp(argv[1], "sleep");
	for (auto way : {catches, sorts, maps, shapes})
		std::thread([way] { repeat(way); }).detach();
	if (!sleeps)
		printf("running\n");
	repeat([](int size) { sorts(size); });
}
