#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds everything with warnings as errors by both compilers and runs the tests: with clang under the address
# and undefined-behaviour sanitizers, fuzz targets among them, with gcc under the thread sanitizer, and last with gcc
# optimised: all tests, which ends with ctest's own summary. What is tested later is configured and built meanwhile, with what
# processor time all else leaves. docs/change/testing.md says what each part is for.
set -Eeuo pipefail
cd "$(dirname "$0")"
. cmake/setup.sh

# timed gns_run|gns_show STEP COMMAND...: tells how long the step took.
timed() {
    local since=$SECONDS
    "$@"
    echo "  $2: $((SECONDS - since)) s"
}

# build_beside NAME NICENESS TARGETS CMAKE-ARGUMENT...: begins to configure and build build/NAME, which goes on until await_build.
declare -A building
build_beside() {
    mkdir -p build
    (
        trap - ERR EXIT
        renice -n "$2" -p "$BASHPID"
        cmake "${@:4}" "${launcher[@]}"
        # shellcheck disable=SC2086 # several words
        exec ninja -C "build/$1" $3
    ) > "build/build-$1.log" 2>&1 < /dev/null &
    building[$1]=$!
    trap 'kill "${building[@]}" 2> /dev/null || true' EXIT
}

# await_build NAME: tells how long it still took.
await_build() {
    local since=$SECONDS
    gns_step="build $1"
    gns_log="build/build-$1.log"
    wait "${building[$1]}"
    gns_log=""
    unset "building[$1]"
    echo "  build $1: $((SECONDS - since)) s more"
}

jobs=$(nproc)
# Under the thread sanitizer: what switches processes, calls SimGrid or is called from several threads, without the longest.
tsan_labels='core|fabric|library|models'
tsan_targets="tests_of_core tests_of_fabric tests_of_library tests_of_models"
tsan_too_long='fabric/segment_against_flow|models/l2_statistical'
# All that these do, killed_60_ways and invariants_thousands do among others.
contained='^cli/(killed|invariants)$'

launcher=()
if command -v ccache > /dev/null; then
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
gns_install_packages "${gns_mpi_packages[@]}" "${gns_compiler_packages[@]}"
gns_install_packages "${gns_test_packages[@]}" & # no build needs them
installing=$!

echo "With clang and sanitizers ..."
timed gns_run "configure clang" cmake --preset clang -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld "${launcher[@]}"
build_beside tsan 15 "$tsan_targets" --preset tsan
build_beside test 19 all --preset release -B build/test -DGPUNETSIM_WERROR=ON -DGPUNETSIM_LTO_NOT=gpunetsim_mpi \
    -DGPUNETSIM_OTHER_PROGRAM="$PWD/build/clang/gpunetsim"
timed gns_run "build clang" cmake --build --preset clang
gns_step="apt-get install"
gns_log=build/apt-get-install.log
wait "$installing"
gns_log=""
timed gns_show "the tests and the fuzz targets with clang" \
    ctest --test-dir build/clang --output-on-failure -LE slow -j "$jobs"

echo "With gcc and the thread sanitizer ..."
await_build tsan
# The library's tests start the program, which has no threads: clang's will do.
[ -e build/tsan/gpunetsim ] || ln -s ../clang/gpunetsim build/tsan/gpunetsim
timed gns_show "the tests under the thread sanitizer" \
    ctest --test-dir build/tsan --output-on-failure -L "$tsan_labels" -E "$tsan_too_long" -j "$jobs"

echo "With gcc, optimised ..."
await_build test
echo "  up to here: $SECONDS s"
# One test more than there are cores: some wait for a process or a disk, and the first has workers that end one by one.
gns_show "the tests" ctest --test-dir build/test --output-on-failure -E "$contained" -j "$((jobs + 1))"
echo "The scoreboard: points, median and 90th percentile of the error against measurements in %, pairs in order in %"
tests/cli/errors.py build/test/gpunetsim --results build/test/scenarios --all
