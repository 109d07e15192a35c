"""Savings of --why: a real run without the function takes as long as the replay says."""

from harness import main
from test_why import record

CASES = (("pipeline", "sort", "store"), ("fork", "task_long", "task_short"), ("phases", "second_phase", "first_phase"),
         ("chain", "inner", "waiting"), ("server", "serve", "ask"), ("locks", "guarded", None))


def test_savings():
    for shape, function, after in CASES:
        whole, real = record(shape), record(shape, function)
        saving = whole.without(function)
        assert not real.of(function) and function not in real.truth, real.truth
        slack = 0.05 * real.length + whole.unsure() + real.unsure()
        print(f"     {shape} without {function}: {saving['length_ns'] / 1e6:.1f} ms by the replay, {real.length / 1e6:.1f} ms "
              f"really, +- {slack / 1e6:.1f}; {whole.length / 1e6:.1f} ms with it")
        assert abs(real.length - saving["length_ns"]) <= slack, (shape, function, saving, real.length, slack)
        if after and whole.unsure() < whole.length / 20:
            assert whole.is_of(saving["next"], after), (shape, whole.names[saving["next"]["function"]])


if __name__ == "__main__":
    main()
