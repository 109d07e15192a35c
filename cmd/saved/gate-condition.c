/* Parses the conditions of a gate. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "cmd/saved/gate.h"

/* A part of the text, without blanks around it. */
struct part {
	const char *text;
	size_t length;
};

static struct part trim(const char *begin, const char *end)
{
	while (begin < end && isspace((unsigned char)*begin))
		begin++;
	while (begin < end && isspace((unsigned char)end[-1]))
		end--;
	return (struct part){begin, (size_t)(end - begin)};
}

static bool wrong(struct sprof_error *err, const char *what)
{
	sprof_error_set(err, SPROF_ERROR_USAGE, "%s", what);
	return sprof_error_hint(
		err, "for example: --fail-if 'wall(parse) > +5%%', or 'user(parse) > +20ms'");
}

/* The factor to ns, 1 for samples; 0: no such unit. */
static double unit_of(const char *unit)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].name) == 0)
			return units[i].ns;
	}
	return 0;
}

/* "+5%", "20 ms" */
static bool parse_limit(struct part part, struct sprof_gate_condition *ret, struct sprof_error *err)
{
	static const char message[] =
		"the limit is neither a growth in percent nor a time with its unit";
	char text[64], *end;
	double value;

	if (!part.length || part.length >= sizeof(text))
		return wrong(err, message);
	memcpy(text, part.text, part.length);
	text[part.length] = '\0';
	value = strtod(text, &end);
	if (end == text || !isfinite(value) || value < 0)
		return wrong(err, message);
	end += strspn(end, " \t");
	ret->relative = strcmp(end, "%") == 0;
	ret->limit = ret->relative ? value / 100 : value * unit_of(end);
	if (!ret->relative && !unit_of(end))
		return wrong(err, message);
	return ret->relative || sprof_weight_is_time(ret->weight) ||
		wrong(err, "samples have no time; their limit is in percent");
}

/* "wall", "self", "self-user" */
static bool parse_weight(
	struct part part, struct sprof_gate_condition *ret, struct sprof_error *err)
{
	static const char self[] = "self";
	char text[32];
	const char *name = text;

	if (part.length >= sizeof(text))
		return wrong(err, "does not begin with a kind of time");
	memcpy(text, part.text, part.length);
	text[part.length] = '\0';
	ret->self = sprof_string_starts_with(text, self) &&
		(!text[strlen(self)] || text[strlen(self)] == '-');
	if (ret->self)
		name = text[strlen(self)] ? text + strlen(self) + 1 : "wall";
	if (sprof_weight_find(name, &ret->weight))
		return true;
	sprof_error_set(err, SPROF_ERROR_USAGE, "does not begin with a kind of time");
	return sprof_error_hint(err,
		"wall, user, sys, runq, wait, sleep, disk, stopped, stolen, samples; self, or "
		"self- and "
		"one of these");
}

static bool parse_function(
	struct part part, struct sprof_gate_condition *ret, struct sprof_error *err)
{
	if (!part.length)
		return wrong(err, "has no function between its parentheses");
	if (part.length >= sizeof(ret->function))
		return wrong(err, "the name of the function is too long; use * for any part of it");
	memcpy(ret->function, part.text, part.length);
	ret->function[part.length] = '\0';
	return true;
}

/* A name may contain parentheses and ">"; a limit contains none. */
bool sprof_gate_condition_parse(
	const char *text, struct sprof_gate_condition *ret, struct sprof_error *err)
{
	struct sprof_gate_condition condition = {.text = text};
	const char *sign = strrchr(text, '>');
	struct part figure, limit;
	const char *bracket;

	if (!sign)
		return wrong(err, "has no > and limit");
	figure = trim(text, sign);
	limit = trim(sign + 1, sign + strlen(sign));
	bracket = memchr(figure.text, '(', figure.length);
	if (bracket && figure.text[figure.length - 1] != ')')
		return wrong(err, "has no ) after the function");
	if (bracket &&
		!parse_function(
			trim(bracket + 1, figure.text + figure.length - 1), &condition, err))
		return false;
	if (!parse_weight(trim(figure.text, bracket ? bracket : figure.text + figure.length),
		    &condition, err) ||
		!parse_limit(limit, &condition, err))
		return false;
	if (condition.self && !bracket)
		return wrong(err, "self needs a function");
	*ret = condition;
	return true;
}
