# Debian packages, for the scripts beside this file; sourced, not run.
# shellcheck shell=bash disable=SC2034

build_packages=(
    gcc libc6-dev meson ninja-build pkg-config
    libunwind-dev libdw-dev libelf-dev libiberty-dev libseccomp-dev libcmocka-dev zlib1g-dev liblzma-dev liblz4-dev
    libdeflate-dev libzstd-dev libzydis-dev libncurses-dev
)
fuzz_packages=(python3 binutils clang libclang-rt-dev)
# The archive libdw.a wants that of bzip2, too.
package_packages=(build-essential debhelper lintian debootstrap util-linux rpm rpm2cpio cpio libbz2-dev)
test_packages=(
    python3 make g++ clang libclang-rt-dev git sqlite3 redis-server redis-tools gdb binutils
    libdevel-nytprof-perl clang-format-14
    nodejs npm chromium fonts-dejavu-core
    musl-tools busybox-static
    golang-go valgrind graphviz linux-perf hotspot mpich openmpi-bin
    elfutils dwz xz-utils lz4 zstd rustc llvm libdebuginfod1
    postgresql nginx-light wrk default-jdk-headless time strace procps util-linux tmux zsh fish smem uftrace ltrace
    heaptrack libjemalloc2 libtcmalloc-minimal4 libmimalloc2.0
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross python3-greenlet python3-dbg
)

# Other builds of Node.js than Debian's bring npm with them, and its package conflicts with them.
is_installed() {
    [[ $1 == npm ]] && command -v npm >/dev/null && return
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

is_available() {
    [[ -n $(apt-cache policy "$1" 2>/dev/null) ]]
}

as_root() {
    if [[ $(id -u) -eq 0 ]]; then
        "$@"
    else
        sudo "$@"
    fi
}

# Redis is wanted as a program only; run level 1 keeps most systems from starting its service.
apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
        apt-get install -y -q --no-install-recommends "$@"
}

# Those of the named packages that are not installed, one a line.
missing_of() {
    local package

    for package in "$@"; do
        is_installed "$package" || echo "$package"
    done
}

update_lists() {
    command -v apt-get >/dev/null || return 0
    as_root apt-get update -q || echo "apt-get update failed, going on with what is known" >&2
}

# A package that this release doesn't have under that name is left out with a word.
install_packages() {
    local package wanted=()

    if ! command -v apt-get >/dev/null; then
        echo "needs, and can't install without apt-get: $*" >&2
        return 0
    fi
    for package in "$@"; do
        if is_available "$package"; then
            wanted+=("$package")
        else
            echo "no package $package in this release, going on without it" >&2
        fi
    done
    [[ ${#wanted[@]} -eq 0 ]] || apt_install "${wanted[@]}"
}

# Installs those of the named packages that are missing.
install_missing() {
    local missing

    mapfile -t missing < <(missing_of "$@")
    [[ ${#missing[@]} -gt 0 ]] || return 0
    update_lists
    install_packages "${missing[@]}"
}

# A build folder, configured or brought up to date: configure FOLDER [MESON OPTION...]
# SPROF_MESON_OPTIONS: further options, with blanks between them.
configure() {
    local folder=$1 more

    shift
    read -ra more <<<"${SPROF_MESON_OPTIONS:-}"
    set -- "${more[@]}" "$@"
    if [[ -f $folder/meson-private/coredata.dat ]]; then
        meson setup --reconfigure "$folder" "$@"
    else
        meson setup "$folder" "$@"
    fi
}

# What tests/consumers/package.json names, into FOLDER/node_modules: install_node_modules FOLDER
install_node_modules() {
    local folder=$1

    command -v npm >/dev/null || return 0
    mkdir -p "$folder"
    cmp -s tests/consumers/package-lock.json "$folder/package-lock.json" && return 0
    cp tests/consumers/package.json tests/consumers/package-lock.json "$folder"
    if ! npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --silent; then
        rm "$folder/package-lock.json"
        echo "npm ci failed, going on with what is there" >&2
    fi
}
