# Debian packages, for the scripts beside this file; sourced, not run.
# shellcheck shell=bash disable=SC2034

build_packages=(
    gcc libc6-dev meson ninja-build pkg-config
    libunwind-dev libdw-dev libelf-dev libiberty-dev libseccomp-dev libcmocka-dev zlib1g-dev liblzma-dev
    libzstd-dev libzydis-dev libncurses-dev
)
fuzz_packages=(python3 binutils clang libclang-rt-dev)
# The archive libdw.a wants that of bzip2, too.
package_packages=(build-essential debhelper lintian debootstrap util-linux rpm rpm2cpio cpio libbz2-dev)
# What scripts/test needs, and what its groups need beyond that.
test_packages=(python3 binutils g++ gdb strace procps)
declare -A group_packages=(
    [languages]="golang-go rustc llvm elfutils musl-tools busybox-static default-jdk-headless nodejs
        python3-greenlet python3-dbg zstd clang"
    [servers]="postgresql redis-server redis-tools nginx-light wrk sqlite3 nodejs make git tmux"
    [viewers]="nodejs npm chromium fonts-dejavu-core golang-go valgrind graphviz linux-perf hotspot
        libdevel-nytprof-perl make git"
    [tools]="libc6-dbg clang libclang-rt-dev clang-format-14 linux-perf ltrace uftrace valgrind heaptrack libjemalloc2
        libtcmalloc-minimal4 libmimalloc2.0 golang-go musl-tools tmux zsh fish smem dwz xz-utils
        elfutils llvm libdebuginfod1 make git time gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
    [slow]="clang libclang-rt-dev golang-go mpich openmpi-bin tmux time make git"
)
groups=(languages servers viewers tools slow)

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

can_install() {
    command -v apt-get >/dev/null && { [[ $(id -u) -eq 0 ]] || sudo -n true 2>/dev/null; }
}

# Redis is wanted as a program only; run level 1 keeps most systems from starting its service. Another apt-get, such as
# that of unattended-upgrades, may be at work.
apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
        apt-get install -y -q -o DPkg::Lock::Timeout=600 --no-install-recommends "$@"
}

# Those of the named packages that are not installed, one a line.
missing_of() {
    local package

    for package in "$@"; do
        is_installed "$package" || echo "$package"
    done | sort -u
}

update_lists() {
    as_root apt-get update -q || echo "apt-get update failed, going on with what is known" >&2
}

# A package that this release doesn't have under that name is left out with a word.
install_packages() {
    local package wanted=()

    for package in "$@"; do
        if is_available "$package"; then
            wanted+=("$package")
        else
            echo "no package $package is known here, going on without it" >&2
        fi
    done
    [[ ${#wanted[@]} -eq 0 ]] || apt_install "${wanted[@]}"
}

# Says which of the named packages are missing, and installs them, or says what would: install_missing PACKAGE...
# The output of apt-get goes to the file that SPROF_INSTALL_LOG names.
install_missing() {
    local missing log=${SPROF_INSTALL_LOG:-/dev/stdout}

    mapfile -t missing < <(missing_of "$@")
    [[ ${#missing[@]} -gt 0 ]] || return 0
    if ! can_install; then
        echo "missing, and can't be installed from here: apt-get install --no-install-recommends ${missing[*]}" >&2
        return 0
    fi
    echo "installing, with what they need: ${missing[*]}"
    { update_lists && install_packages "${missing[@]}"; } >>"$log" 2>&1 ||
        echo "not installed; this would: apt-get install --no-install-recommends ${missing[*]}" >&2
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
