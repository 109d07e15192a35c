"""How long the target stands still for one sample, against the floor of one bare stop."""

import harness
from figures import Check, Result, Row, Series

RATE = 499
DEPTHS = ("depth 10", "depth 30", "depth 100", "depth 300")
QUANTILES = ("p50", "p95", "p99")


def sprof(bench, process, seconds):
    stats, _ = harness.sprof_attach(bench, process, RATE, seconds, "--source", "stop")
    return {name: stats[f"stop_ns_{name}"] / 1000 for name in QUANTILES}


def floor(bench, process, seconds, cpu):
    pauses = harness.floor_attach(bench, process, RATE, seconds, cpu)
    return {name: pauses[name] / 1000 for name in QUANTILES}


def tools_of(bench):
    tools = {
        "sprof": sprof,
        "floor, same CPU": lambda *arguments: floor(*arguments, bench.cpu),
    }
    if bench.other_cpus:
        tools["floor, other CPU"] = lambda *arguments: floor(*arguments, bench.other_cpus[0])
    return tools


def measure_subject(bench, name):
    """{tool: {quantile: Series}}, each tool on a process of its own."""
    tools, seconds = tools_of(bench), bench.seconds(2, 0.4)

    def once(tool):
        with harness.subject(bench, name) as process:
            return tools[tool](bench, process, seconds)

    values = harness.interleaved(bench.rounds, list(tools), once)
    return {tool: {q: Series(one[q] for one in values[tool]) for q in QUANTILES} for tool in tools}


def add_rows(result, name, load, figures):
    same = figures["floor, same CPU"]
    for quantile in QUANTILES:
        for tool, series in figures.items():
            what = f"{name}, others {load}: {tool}, {quantile}"
            if tool == "floor, same CPU":
                result.rows.append(Row(what, same[quantile], "us"))
            else:
                result.rows.append(
                    Row(what, series[quantile], "us", "same-CPU floor", same[quantile]))


def add_checks(result, name, load, figures):
    same, sprof_figures = figures["floor, same CPU"], figures["sprof"]
    result.checks.append(Check(
        f"1. pause p50 over the same-CPU floor's p50, {name}, others {load}",
        sprof_figures["p50"].over(same["p50"]).median, 3 if name == "depth 300" else 2))
    result.checks.append(Check(
        f"1. pause p95 over the same-CPU floor's p50, {name}, others {load}",
        sprof_figures["p95"].over(same["p50"]).median, 5))


def subjects(bench):
    return [*DEPTHS, "python3"] + (["cc1plus"] if harness.cc1plus() else [])


def measure(bench):
    result = Result("Pause per sample", [
        f"One pinned target, {RATE} Hz; the time from the request to the continuation. The floor is a tracer that only interrupts, waits,",
        "reads the registers and continues, pinned to the target's CPU or to another one.",
    ])
    for load in ("idle", "busy") if bench.other_cpus else ("idle",):
        with harness.load(bench, load == "busy"):
            for name in subjects(bench):
                figures = measure_subject(bench, name)
                add_rows(result, name, load, figures)
                add_checks(result, name, load, figures)
    return result
