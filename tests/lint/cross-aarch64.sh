#!/bin/sh
# Whether all of sprof compiles for aarch64, as far as that can be told without that machine's
# libraries: the syntax and the types, with this machine's headers of the libraries behind the
# compiler's own.
#
#     cross-aarch64.sh ROOT [INCLUDE-FOLDER...]
set -u

root=$1
shift
compiler=${SPROF_CROSS_CC:-aarch64-linux-gnu-gcc}
if ! command -v "$compiler" >/dev/null; then
    echo "skipped: there is no $compiler (Debian: gcc-aarch64-linux-gnu)"
    [ -n "${SPROF_TESTS_MUST_RUN:-}" ] && exit 1
    exit 77
fi

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
# libunwind has one header per machine, and a package only its own. The names are the same in all.
echo '#include <libunwind-x86_64.h>' >"$scratch/libunwind-aarch64.h"

flags="-std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
    -Werror -fsyntax-only -I $root"
# Behind the cross compiler's own headers, which are those of the C library for that machine.
for folder in "$@" /usr/include /usr/include/"$(uname -m)"-linux-gnu "$scratch"; do
    flags="$flags -idirafter $folder"
done
for word in SPROF_VERSION SPROF_BUILT_FOR SPROF_BUILT_WITH; do
    flags="$flags -D$word=\"\""
done

failed=0
count=0
for source in "$root"/base/*.c "$root"/attach/*.c "$root"/elfsym/*.c "$root"/unwind/*.c \
    "$root"/sampler/*.c "$root"/profile/*.c "$root"/output/*.c "$root"/cmd/*.c; do
    case $source in
    */regs-x86_64.c) continue ;;
    esac
    # shellcheck disable=SC2086
    "$compiler" $flags "$source" || failed=$((failed + 1))
    count=$((count + 1))
done
echo "$count files, $failed of them do not compile for aarch64"
[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
