# SPDX-License-Identifier: BSD-3-Clause
# Sourced by quickstart.sh and test.sh: the packages that the build needs, one plain sentence when a
# step fails, and steps whose output goes to a log.
# shellcheck shell=bash

gns_packages=(gcc g++ cmake ninja-build pkg-config python3 libglib2.0-dev liblua5.4-dev
              libboost-context-dev libsimgrid-dev libsqlite3-dev libnlopt-dev zlib1g-dev gnuplot-nox fonts-dejavu-core)
# For gpunetsim-mpi, which sweeps over several machines; without them all else is built.
gns_mpi_packages=(libopenmpi-dev openmpi-bin)
# Beside them, what test.sh builds with: the other compiler with its linker, its sanitizers and its fuzzer, and the formatter.
gns_compiler_packages=(clang lld clang-format libclang-rt-14-dev)
# What tests call: a reader of PDFs, what writes the reference and the site, and what runs the notebook (18 MB to load, 99 MB on the disk).
gns_test_packages=(poppler-utils doxygen python3-sphinx python3-myst-parser python3-pandas jupyter-nbconvert python3-ipykernel)
gns_step="the start"
gns_log=""

gns_say_failure() {
    trap - ERR
    if [ -n "$gns_log" ]; then
        echo "${0##*/}: $gns_step failed; the log is $gns_log" >&2
    else
        echo "${0##*/}: $gns_step failed" >&2
    fi
    exit 1
}

gns_say_interrupt() {
    trap - INT TERM ERR
    echo "${0##*/}: interrupted during $gns_step; start it again to go on" >&2
    exit 130
}

trap gns_say_failure ERR
trap gns_say_interrupt INT TERM

# gns_run STEP COMMAND...: runs it, with its output in build/STEP.log (blanks become dashes).
gns_run() {
    gns_step=$1
    gns_log="build/${1// /-}.log"
    shift
    mkdir -p build
    "$@" > "$gns_log" 2>&1 < /dev/null
    gns_log=""
}

# gns_show STEP COMMAND...: runs it, with its output where this script's goes.
gns_show() {
    gns_step=$1
    shift
    "$@" < /dev/null
}

gns_missing_packages() {
    local package
    for package in "${gns_packages[@]}" "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            echo "$package"
    done
}

gns_apt() {
    local as=()
    [ "$(id -u)" = 0 ] || as=(sudo)
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "$@"
}

# gns_install_packages [PACKAGE...]: those of the build, and others. Silent and instant when nothing is missing.
gns_install_packages() {
    local missing
    mapfile -t missing < <(gns_missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "Installing from Debian: ${missing[*]}"
    gns_run "apt-get update" gns_apt update
    gns_run "apt-get install" gns_apt install -y --no-install-recommends "${missing[@]}"
}
