#!/usr/bin/env bash
# Debian 12 for AArch64 below build/aarch64, on x86-64: libraries to link with, and a root for programs under QEMU.
#
#     tools/aarch64.sh build              # downloads the packages, and compiles the libraries for wheel.py
#     tools/aarch64.sh run COMMAND...     # runs a command of that Debian in the source tree, /src there
set -euo pipefail
cd "$(dirname "$0")/.."
home=$PWD/build/aarch64
root=$home/root

packages=(
    llvm-22-dev libmlir-22-dev libstdc++-12-dev zlib1g-dev libzstd-dev python3-dev
    # To run programs.
    python3-venv bash coreutils libc-bin
)

make_root() {
    [[ -d $root ]] && return
    local options=(
        -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Install-Recommends=false
        -o APT::Sandbox::User=root -o Dir::State="$home/apt" -o Dir::State::status="$home/apt/status"
        -o Dir::Cache="$home/apt"
    )
    mkdir -p "$home"/apt/{lists,archives}/partial
    : > "$home/apt/status"
    apt-get "${options[@]}" update
    apt-get "${options[@]}" install -y --download-only "${packages[@]}" > "$home/packages"
    # QEMU is a program for this machine. Installing it would change how the system runs programs.
    (cd "$home" && apt-get -qq -o APT::Sandbox::User=root download qemu-user-static && dpkg -x qemu-user-static_*.deb qemu)
    rm -rf "$root.unfinished"
    mkdir "$root.unfinished"
    for package in "$home"/apt/archives/*.deb; do dpkg -x "$package" "$root.unfinished"; done
    mkdir -p "$root.unfinished"/{src,dev,proc,root,tmp,etc/ssl/certs}
    mv "$root.unfinished" "$root"
    rm -rf "$home/apt"
}

build_libraries() {
    cmake -S . -B "$home/cmake" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBLOCKDSL_TOOLS=OFF \
        -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64.cmake" > "$home/configure.log"
    cmake --build "$home/cmake"
}

# Linux 6.7 and later let a user namespace have its own list of interpreters of programs.
run() {
    ROOT=$root QEMU=$home/qemu/usr/bin/qemu-aarch64-static unshare --user --map-root-user --mount bash -euc '
        mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
        magic="\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
        mask="\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
        printf "%s" ":aarch64:M::$magic:$mask:$QEMU:F" > /proc/sys/fs/binfmt_misc/register
        mount --rbind /dev "$ROOT/dev"
        mount --rbind /proc "$ROOT/proc"
        # LLVM reads the features of the CPU from this file, which QEMU leaves as that of x86-64: those of a Neoverse N1.
        printf "%s\t: %s\n" Features "fp asimd crc32 atomics fphp asimdhp asimdrdm lrcpc dcpop asimddp" \
            "CPU implementer" 0x41 "CPU architecture" 8 "CPU variant" 3 "CPU part" 0xd0c > "$ROOT/tmp/cpuinfo"
        mount --bind "$ROOT/tmp/cpuinfo" "$ROOT/proc/cpuinfo"
        mount --rbind . "$ROOT/src"
        cp -L /etc/resolv.conf /etc/hosts "$ROOT/etc"
        mount --bind /etc/ssl/certs "$ROOT/etc/ssl/certs"
        HOME=/root PATH=/usr/bin:/bin:/usr/sbin:/sbin exec chroot "$ROOT" bash -c "cd /src && exec \"\$@\"" run "$@"
    ' run "$@"
}

case ${1:-} in
    build) make_root && build_libraries ;;
    run) shift && run "$@" ;;
    *) sed -n '2,5s/^# \?//p' "$0" && exit 2 ;;
esac
