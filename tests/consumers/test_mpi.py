#!/usr/bin/env python3
"""Parallel jobs: one file per rank under Debian's MPICH and Open MPI, merged and told apart."""

import glob
import os
import re
import subprocess

import harness

MPIEXEC = {
    "mpich": ["mpiexec.mpich"],
    "openmpi-bin": ["mpirun.openmpi", "--oversubscribe"],
}
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
BUSY = ["sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"]


def launch(package, *command, ranks=4):
    launcher = MPIEXEC[package]
    harness.need(launcher[0], package)
    return subprocess.run([*launcher, "-n", str(ranks), *command], env=ENVIRONMENT, check=False,
                          capture_output=True, text=True, timeout=120)


def check_job(package):
    result = launch(package, harness.SPROF, "run", "-o", "prof-%r.pb.gz", "--", *BUSY)
    assert result.returncode == 0, result.stderr
    files = sorted(glob.glob("prof-*.pb.gz"))
    assert files == [f"prof-{rank}.pb.gz" for rank in range(4)], files
    harness.sprof("merge", "-o", "all.pb.gz", *files)
    text = harness.sprof("report", "--by", "rank", "--no-pager", "all.pb.gz")
    rows = re.findall(r"  (\d)$", text.partition("\nby rank")[2].partition("\n\n")[0], re.MULTILINE)
    assert rows == ["0", "1", "2", "3"], text[:3000]
    whole = [sum_of(path) for path in (*files, "all.pb.gz")]
    assert whole[-1] == sum(whole[:-1]), whole


def sum_of(path):
    text = harness.sprof("report", path, "-f", "json")
    import json
    return sum(row["values"]["wall"] for row in json.loads(text)["rows"])


def test_mpich():
    check_job("mpich")


def test_openmpi():
    check_job("openmpi-bin")


def test_clash_is_refused():
    result = launch("mpich", harness.SPROF, "run", "-o", "prof.pb.gz", "--", "true", ranks=2)
    assert result.returncode != 0 and "every rank of the job would write prof.pb.gz" in result.stderr
    assert not os.path.exists("prof.pb.gz")


def test_tags_are_kept():
    go = harness.need("go", "golang-go")
    result = launch("mpich", harness.SPROF, "run", "-o", "prof-%r.pb.gz", "--", *BUSY, ranks=2)
    assert result.returncode == 0, result.stderr
    harness.sprof("merge", "-o", "all.pb.gz", "prof-0.pb.gz", "prof-1.pb.gz")
    tags = harness.run(go, "tool", "pprof", "-tags", "all.pb.gz")
    section = tags.partition("rank:")[2].partition("\n\n")[0]
    assert len(re.findall(r"\): [01]$", section, re.MULTILINE)) == 2, tags


if __name__ == "__main__":
    harness.main(globals())
