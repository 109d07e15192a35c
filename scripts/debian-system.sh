# A small Debian of this machine's release in a folder; sourced, not run.
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

# The first mirror of a release; without one, a word and a failure: debian_mirror RELEASE
debian_mirror() {
    debian_sources | awk -v release="$1" '
        $2 == release { print $1; found = 1; exit }
        END { if (!found) print "apt has no sources of Debian " release > "/dev/stderr"; exit !found }'
}

apt_settings() {
    apt-config dump | grep -E '^Acquire::(https?|Retries|Check-Valid-Until|Check-Date)\b' || true
}

# install_system ROOT RELEASE MIRROR [DEBOOTSTRAP OPTION...]
install_system() {
    local root=$1 release=$2 mirror=$3 scripts=/usr/share/debootstrap/scripts script=()

    # A release that is younger than this debootstrap is made like unstable.
    [[ -e $scripts/$release ]] || script=("$scripts/sid")
    debootstrap --variant=minbase "${@:4}" "$release" "$root" "$mirror" "${script[@]}" || return
    debian_sources | sed 's/^/deb /' >"$root/etc/apt/sources.list"
    apt_settings >"$root/etc/apt/apt.conf.d/90registries"
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/fresh"
    cp -L /etc/hosts /etc/resolv.conf "$root/etc/"
    mkdir -p "$root$host_certificates" "$root${bundle%/*}"
    [[ ! -d $host_certificates ]] || cp -rL "$host_certificates/." "$root$host_certificates"
    [[ ! -f $bundle ]] || cp -L "$bundle" "$root$bundle"
}
