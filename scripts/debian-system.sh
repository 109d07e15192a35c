# A small Debian in a folder, of this machine's release or another one; sourced, not run.
# shellcheck shell=bash

host_certificates=/usr/local/share/ca-certificates
bundle=/etc/ssl/certs/ca-certificates.crt

# This machine's sources of Debian itself, as apt understands them, one "URI suite component" a line.
debian_sources() {
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
        'Identifier: Packages' 'Origin: Debian' | sort -u
}

debian_release() {
    # shellcheck source=/dev/null
    (. /etc/os-release && echo "$VERSION_CODENAME")
}

# This machine's first mirror, which has the other releases, too. Without one, a word and a failure.
debian_mirror() {
    debian_sources | awk -v release="$(debian_release)" '
        $2 == release { print $1; found = 1; exit }
        END { if (!found) print "apt has no sources of Debian " release > "/dev/stderr"; exit !found }'
}

# What apt takes packages of a release from: sources_list RELEASE MIRROR
sources_list() {
    if [[ $1 == "$(debian_release)" ]]; then
        debian_sources | sed 's/^/deb /'
    else
        echo "deb $2 $1 main"
    fi
}

apt_settings() {
    apt-config dump | grep -E '^Acquire::(https?|Retries|Check-Valid-Until|Check-Date)\b' || true
}

# install_system ROOT RELEASE [DEBOOTSTRAP OPTION...]
install_system() {
    local root=$1 release=$2 mirror scripts=/usr/share/debootstrap/scripts script=()

    mirror=$(debian_mirror) || return
    # A release that is younger than this debootstrap is made like unstable.
    [[ -e $scripts/$release ]] || script=("$scripts/sid")
    debootstrap --variant=minbase "${@:3}" "$release" "$root" "$mirror" "${script[@]}" || return
    sources_list "$release" "$mirror" >"$root/etc/apt/sources.list"
    apt_settings >"$root/etc/apt/apt.conf.d/90registries"
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/fresh"
    cp -L /etc/hosts /etc/resolv.conf "$root/etc/"
    mkdir -p "$root$host_certificates" "$root${bundle%/*}"
    [[ ! -d $host_certificates ]] || cp -rL "$host_certificates/." "$root$host_certificates"
    [[ ! -f $bundle ]] || cp -L "$bundle" "$root$bundle"
}

# in_system ROOT COMMAND [ARGUMENT...]
in_system() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive chroot "$@"
}
