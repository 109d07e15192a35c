"""Checks what tests/targets/answer prints, by computing it once more in another way."""

MASK = (1 << 64) - 1


def lcg_after(seed, steps):
    """The generator's value after so many steps, by repeated squaring of the step itself."""
    factor, addend, value = 6364136223846793005, 1442695040888963407, seed
    while steps:
        if steps & 1:
            value = (value * factor + addend) & MASK
        addend = (factor + 1) * addend & MASK
        factor = factor * factor & MASK
        steps >>= 1
    return value


def check_generators(lines):
    results = [[int(word) for word in line[1:]] for line in lines if line[0] == "lcg"]
    assert results, f"no results: {lines}"
    for seed, steps, value in results:
        assert steps > 0 and value == lcg_after(seed, steps), f"a wrong result: {lines}"


def check_answer(text):
    """Every generator is where its steps lead; no read, write or nap of the others went wrong."""
    lines = [line.split() for line in text.splitlines()]
    check_generators(lines)
    errors = [line[line.index("errors") + 1] for line in lines if "errors" in line]
    assert errors == ["0", "0", "0"], f"a system call was disturbed: {lines}"
