"""The parts of the bench, in the order of the table: each measures one thing and returns its Result."""

from parts import calls, cost, crowded, dwarf, formats, functions, inside, names, pause, python, slowdown, sources, threads, today, tracers, unwind

PARTS = {
    "pause": pause.measure,
    "unwind": unwind.measure,
    "inside": inside.measure,
    "slowdown": slowdown.measure,
    "crowded": crowded.measure,
    "cost": cost.measure,
    "calls": calls.measure,
    "functions": functions.measure,
    "python": python.measure,
    "threads": threads.measure,
    "sources": sources.measure,
    "tracers": tracers.measure,
    "today": today.measure,
    "names": names.measure,
    "dwarf": dwarf.measure,
    "formats": formats.measure,
}
