#!/bin/sh
# tests/bare.sh [FOLDER]: does it all work on a machine that has only git, make and apt?
#
# Makes the smallest Debian that debootstrap knows in FOLDER (default: a temporary one, removed
# afterwards), copies this tree into it, and runs `make run` and `make test` there as root. Needs
# root, debootstrap and the network that the host's apt uses; takes its release, sources, keys
# and proxy from the host. Half an hour. BARE_TARGETS="build run" runs other targets.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
targets=${BARE_TARGETS:-run test}

fail() {
    echo "bare: $*" >&2
    exit 3
}
[ "$(id -u)" -eq 0 ] || fail "needs root"
command -v debootstrap >/dev/null || fail "needs debootstrap"

# shellcheck disable=SC1091
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
[ -n "$suite" ] || fail "/etc/os-release names no release"

# The first archive the host installs from, in either of the formats apt reads.
mirror=$(cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
    sed -n 's/^URIs:[ 	]*\([^ 	]*\).*/\1/p' | head -n 1)
[ -n "$mirror" ] || mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
    sed -n 's/^deb[ 	]\{1,\}\(\[[^]]*\][ 	]*\)\{0,1\}\([^ 	]*\).*/\2/p' | head -n 1)
[ -n "$mirror" ] || fail "no archive found in the host's apt sources"

if [ $# -gt 0 ]; then
    folder=$1
    mkdir -p "$folder"
    keep=true
else
    folder=$(mktemp -d "${TMPDIR:-/tmp}/twill-bare.XXXXXX")
    keep=false
fi
folder=$(cd "$folder" && pwd)
chmod 755 "$folder"

cleanup() {
    for mounted in dev/shm dev/pts dev sys proc; do
        if mountpoint -q "$folder/$mounted"; then
            umount "$folder/$mounted" || umount -l "$folder/$mounted"
        fi
    done
    $keep || rm -rf --one-file-system "$folder"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ ! -e "$folder/usr/bin/make" ]; then
    echo "== a bare $suite"
    packages=git,make
    case $mirror in
    https:*) packages=$packages,ca-certificates ;;
    esac
    debootstrap --variant=minbase --include="$packages" "$suite" "$folder" "$mirror" \
        >"$folder.log" 2>&1 || {
        tail -n 20 "$folder.log"
        fail "debootstrap failed, see $folder.log"
    }
    rm -f "$folder.log"
fi

# The host's way to the archives: sources, keys, what concerns fetching, names.
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
    /etc/apt/sources.list.d/*.sources /etc/apt/keyrings/* /etc/apt/trusted.gpg.d/* \
    /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt; do
    [ -e "$file" ] || continue
    mkdir -p "$folder$(dirname "$file")"
    cp -L "$file" "$folder$file"
done
# debootstrap wrote a list of its own; beside the host's it would only be in the way.
[ -e /etc/apt/sources.list ] || rm -f "$folder/etc/apt/sources.list"
apt-config dump | grep '^Acquire::' >"$folder/etc/apt/apt.conf.d/99host" || true

mount -t proc proc "$folder/proc"
mount --bind /sys "$folder/sys"
mount --bind /dev "$folder/dev"
mount -t devpts devpts "$folder/dev/pts" -o ptmxmode=666
mount -t tmpfs tmpfs "$folder/dev/shm"

echo "== the tree"
rm -rf "$folder/srv/twill"
mkdir -p "$folder/srv/twill"
(
    cd "$root"
    git ls-files -co --exclude-standard | while IFS= read -r file; do
        [ ! -e "$file" ] || printf '%s\n' "$file"
    done | tar -cf - -T -
) | tar -xf - --no-same-owner -C "$folder/srv/twill"

# run COMMAND...: inside, with nothing of the caller's environment but the proxy.
run() {
    # shellcheck disable=SC2046
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
        NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
        $(env | grep -iE '^(https?|ftp|no)_proxy=' || true) \
        chroot "$folder" sh -c "cd /srv/twill && $*"
}

for tool in cc gcc cmake pkg-config python3 c++; do
    if [ "$keep" = false ] && run "command -v $tool" >/dev/null; then
        fail "the bare machine already has $tool"
    fi
done
for target in $targets; do
    echo "== make $target"
    run "make $target" || {
        echo "make $target failed on a bare machine"
        exit 1
    }
done
echo "bare: make $targets: all passed"
