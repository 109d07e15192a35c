"""Several measurements of a noisy figure, of which the median is judged."""

ROUNDS = 3


def median(figures):
    figures = sorted(figures)
    return figures[len(figures) // 2]


def measured(measure, is_right, rounds=ROUNDS):
    """As soon as most of them are right, the others can't change the median any more, and are not made."""
    found = []
    while len(found) < rounds and 2 * sum(map(is_right, found)) <= rounds:
        found.append(measure())
    return found


def median_of(what, measure, rounds=ROUNDS, is_right=lambda figure: False):
    """The median, with all of them printed."""
    figures = measured(measure, is_right, rounds)
    print(f"     {what}: {median(figures):.4g}, of " + ", ".join(f"{figure:.4g}" for figure in sorted(figures)))
    return median(figures)
