"""`sprof attach -p PID -d 5 | flamegraph.pl` as a user types it, with Debian's flamegraph.pl."""

import glob
import html
import re

from harness import SPROF, Target, check_share, check_untouched, main, run, tool

PLACES = ("/usr/share/perl5/Devel/NYTProf/flamegraph.pl",
          *glob.glob("/usr/lib/*/perl5/*/Devel/NYTProf/flamegraph.pl"))


def draw(pid, duration):
    """The picture, by the pipe of the help."""
    script = f'"$1" attach -p {pid} -d {duration} | "$2" "$3" >out.svg'
    flamegraph = tool("flamegraph.pl", *PLACES)
    result = run("/bin/sh", "-c", script, "sh", SPROF, tool("perl"), flamegraph).check(0)
    assert "Ignored" not in result.err, f"flamegraph.pl could not read it all: {result.err}"
    with open("out.svg", encoding="utf-8") as file:
        return file.read()


def frames_of(picture):
    """The share of each frame in percent, by the boxes' titles: `name (1,234 samples, 56.78%)`."""
    titles = re.findall(r"<title>(.*?) \([\d,]+ \w+, ([\d.]+)%\)</title>", picture)
    assert titles, f"no frames in the picture: {picture[:500]}"
    shares = {}
    for name, share in titles:
        name = html.unescape(name)
        shares[name] = shares.get(name, 0) + float(share)
    return shares


def check_picture(duration, seconds):
    program = Target("spin-two")
    shares = frames_of(draw(program.pid, duration))
    check_untouched(program.pid)
    for name in ("main", "spin_round", "spin_three", "spin_one"):
        assert name in shares, f"{name} is not in the picture: {sorted(shares)}"
    assert shares["main"] > 50
    # spin_one has a quarter of the time. On a busy machine it may have waited in the other one: three of four samples are none.
    check_share(shares["spin_one"] / 100, 0.25, 99 * seconds / 4, "spin_one")
    program.finish().check(0)


def test_frames_are_the_programs():
    check_picture("5", 5)


def test_durations_have_units():
    check_picture("1500ms", 1.5)


if __name__ == "__main__":
    main()
