# A Debian of this machine's release on a disk image, which qemu boots for one command at a time; sourced, not run.
# The script that sources it sources packages.sh and debian-system.sh, too, and calls choose_work, then begin_machines.
# shellcheck shell=bash

system_mib=4096
tree_mib=2048
test_minutes=0
# Besides what builds sprof (scripts/packages.sh).
machine_packages=(python3 iproute2 procps psmisc util-linux strace gdb git libc6-dbg)

# root: the system's folder; staged: the tree and its builds, at the same place there and here.
begin_machines() {
    root=$work/root
    staged=$work/tree
    machine=''
    broken=0
    logs=()
    trap clean_up EXIT
    trap 'exit 130' INT TERM HUP
}

clean_up() {
    [[ -z $machine ]] || kill "$machine" 2>/dev/null || true
    ! mountpoint -q "$root/proc" || umount "$root/proc"
    [[ $keeps_work -eq 1 ]] || rm -rf --one-file-system "$work"
}

# A folder that stays, for the next time, or a new one that is removed at the end: choose_work FOLDER
choose_work() {
    keeps_work=0
    [[ -z $1 ]] || keeps_work=1
    work=${1:-$(mktemp -d "${TMPDIR:-/var/tmp}/sprof-machine.XXXXXX")}
    mkdir -p "$work"
    work=$(realpath "$work")
}

# What starts in place of init(8): the tests need the usual file systems and the loopback, no service.
write_init() {
    cat >"$root/sbin/run-commands" <<'INIT'
#!/bin/bash
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=linux
mount -t proc proc /proc
mountpoint -q /sys || mount -t sysfs sysfs /sys
mountpoint -q /dev || mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /tmp
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tracefs tracefs /sys/kernel/tracing
ip link set lo up
hostname machine
read -r tree </proc/cmdline
tree=${tree##*sprof_tree=}
tree=${tree%% *}
mkdir -p "$tree"
mount /dev/vdb "$tree"
cd "$tree"
setsid -w bash "$tree/.machine/commands" </dev/null
echo $? >"$tree/.machine/result"
cd /
sync
umount "$tree"
echo o >/proc/sysrq-trigger
sleep 60
INIT
    chmod +x "$root/sbin/run-commands"
}

# install_machine PACKAGES [DEBOOTSTRAP OPTION...]: PACKAGES is the name of an array
install_machine() {
    local -n more=$1
    local release

    release=$(debian_release)
    echo "=== machine: installing Debian $release"
    install_system "$root" "$release" "${@:2}"
    # Of the disks and file systems that an emulated machine has: a small one starts sooner.
    mkdir -p "$root/etc/initramfs-tools/conf.d"
    echo MODULES=list >"$root/etc/initramfs-tools/conf.d/modules"
    printf '%s\n' virtio_pci virtio_mmio virtio_blk ext4 >"$root/etc/initramfs-tools/modules.new"
    mount -t proc proc "$root/proc"
    in_system "$root" apt-get update -q
    in_system "$root" apt-get install -y -q --no-install-recommends initramfs-tools
    mv "$root/etc/initramfs-tools/modules.new" "$root/etc/initramfs-tools/modules"
    in_system "$root" apt-get install -y -q --no-install-recommends "${machine_packages[@]}" "${build_packages[@]}" "${more[@]}"
    in_system "$root" apt-get clean
    umount "$root/proc"
    write_init
}

# make_disk FOLDER MIB IMAGE
make_disk() {
    rm -f "$3"
    truncate -s "$2M" "$3"
    mkfs.ext4 -q -m 0 -d "$1" "$3"
}

# As install_machine: make_system PACKAGES [DEBOOTSTRAP OPTION...]
make_system() {
    local result

    [[ ! -f $work/system.image ]] || return 0
    rm -rf --one-file-system "$root"
    mkdir -p "$root"
    # Not in a condition: there, bash would go on behind a command that failed.
    set +e
    (set -e; install_machine "$@") >"$work/install.log" 2>&1
    result=$?
    set -e
    [[ $result -eq 0 ]] || { cat "$work/install.log" >&2; return 2; }
    make_disk "$root" "$system_mib" "$work/system.image.new"
    mv "$work/system.image.new" "$work/system.image"
}

# What was deleted here is deleted there; builds of the last time go on.
stage_tree() {
    mkdir -p "$staged"
    find "$staged" -mindepth 1 -maxdepth 1 ! -name 'build-*' -exec rm -rf {} +
    tar --exclude='./build*' --exclude=./.git -c . | tar -x --no-same-owner -C "$staged"
}

# Into a folder below the tree's: build_staged NAME [MESON OPTION...]
# The tests run with the programs that it finds, so these must be where the machine has them.
build_staged() {
    local folder=$staged/build-$1

    echo "=== machine: building, $1"
    if [[ ! -f $folder/build.ninja ]]; then
        PATH=/usr/sbin:/usr/bin:/sbin:/bin meson setup "$folder" "$staged" -Dwerror=true -Dtests=enabled "${@:2}"
    fi
    ninja -C "$folder"
}

# Boots the system with the tree's folder as it is now, and runs COMMAND there; what it leaves in the tree's folder
# .machine is then in "$work/results": run_machine COMMAND "KERNEL PARAMETER..." QEMU WORD...
#
# The commands `stop` and `cont` on the monitor's socket pause the machine and its clocks, so its tests don't notice
# the pause.
run_machine() {
    local result

    rm -rf "$staged/.machine" "$work/results"
    mkdir "$staged/.machine" "$work/results"
    printf '%s\n' "$1" >"$staged/.machine/commands"
    make_disk "$staged" "$tree_mib" "$work/tree.image"
    nice -n 19 "${@:3}" \
        -append "root=/dev/vda rw quiet panic=-1 init=/sbin/run-commands $2 sprof_tree=$staged" \
        -drive "if=none,id=system,format=raw,snapshot=on,file=$work/system.image" -device virtio-blk-pci,drive=system \
        -drive "if=none,id=tree,format=raw,cache=unsafe,file=$work/tree.image" -device virtio-blk-pci,drive=tree \
        -monitor "unix:$work/monitor,server=on,wait=off" -nographic -no-reboot -nic none </dev/null &
    machine=$!
    wait "$machine" || true
    machine=
    debugfs -R "rdump /.machine $work/results" "$work/tree.image" 2>/dev/null
    mv "$work/results/.machine"/* "$work/results" 2>/dev/null || true
    result=$(cat "$work/results/result" 2>/dev/null) || result=1
    return "$result"
}

# A command for the machine. Its log of the tests becomes .machine/NAME.json: tests_command BUILD NAME WORD...
# After test_minutes, it ends the tests that are left; 0: no limit.
tests_command() {
    echo "SPROF_TEST_PATIENCE=10 timeout ${test_minutes}m meson test -C $1 --no-rebuild --print-errorlogs --timeout-multiplier 10 \
--num-processes 2 --logbase $2 ${*:3} | cat
        result=\${PIPESTATUS[0]}
        cp $1/meson-logs/$2.json $1/meson-logs/$2.txt .machine/
        exit \$result"
}

# The logs of the tests that a machine has run, into a folder of its own: keep_logs FOLDER NAME
keep_logs() {
    if [[ -f $work/results/$2.json ]]; then
        mkdir -p "$work/$1/logs"
        cp "$work/results/$2."* "$work/$1/logs"
        logs+=("$work/$1/logs/$2.json")
    else
        broken=$((broken + 1))
    fi
}
