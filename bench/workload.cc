// Something for cc1plus to be busy with: templates to instantiate, code to optimize.
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

template <int N>
struct Level {
	std::map<std::string, std::tuple<int, std::vector<Level<N - 1>>>> below;

	int visit(const std::function<int(int)> &f) const
	{
		int sum = N;

		for (const auto &[name, entry] : below)
			for (const auto &level : std::get<1>(entry))
				sum += f(level.visit(f)) + static_cast<int>(name.size());
		return sum;
	}
};

template <>
struct Level<0> {
	int visit(const std::function<int(int)> &f) const
	{
		return f(0);
	}
};

template <typename Char>
bool match(const std::basic_string<Char> &text, const std::basic_string<Char> &pattern)
{
	using Token = std::regex_token_iterator<typename std::basic_string<Char>::const_iterator>;
	const std::basic_regex<Char> regex(pattern);
	std::vector<std::basic_string<Char>> parts(Token(text.begin(), text.end(), regex, -1), Token());

	std::stable_sort(parts.begin(), parts.end());
	return std::regex_search(text, regex) && !parts.empty();
}

int all(const Level<60> &level, const std::string &text, const std::wstring &wide)
{
	return level.visit([](int n) { return n * 2; }) + match(text, text) + match(wide, wide);
}
