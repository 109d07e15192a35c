#!/bin/sh
# Whether all of sprof compiles for aarch64, as far as that can be told without that machine's
# libraries: the syntax and the types, with this machine's headers of the libraries behind the cross
# compiler's own, which are those of the C library for that machine.
#
#     cross-aarch64.sh ROOT
set -u

root=$1
compiler=${SPROF_CROSS_CC:-aarch64-linux-gnu-gcc}
if ! command -v "$compiler" >/dev/null; then
    echo "skipped: there is no $compiler (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"
    [ -n "${SPROF_TESTS_MUST_RUN:-}" ] && exit 1
    exit 77
fi

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
# libunwind has one header per machine, and a package only its own. The names are the same in all.
echo '#include <libunwind-x86_64.h>' >"$scratch/libunwind-aarch64.h"

set -- -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers \
    -Werror -fsyntax-only -I "$root" -idirafter /usr/include \
    -idirafter "/usr/include/$(uname -m)-linux-gnu" -idirafter "$scratch"
for word in SPROF_VERSION SPROF_BUILT_FOR SPROF_BUILT_WITH SPROF_BUILT_WITHOUT; do
    set -- "$@" "-D$word=\"\""
done

failed=0
count=0
for folder in base attach blocked memory elfsym unwind interp events sampler profile output cmd; do
    for source in $(find "$root/$folder" -name '*.c'); do
        case $source in
        *x86_64.c) continue ;;
        esac
        "$compiler" "$@" "$source" || failed=$((failed + 1))
        count=$((count + 1))
    done
done
echo "$count files, $failed of them do not compile for aarch64"
[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
