#!/usr/bin/env bash
# Builds everything with warnings as errors and runs the whole test suite: first under the address and
# undefined-behaviour sanitizers, then optimised. Ends with ctest's own summary.
set -Eeuo pipefail
cd "$(dirname "$0")"
. cmake/setup.sh

jobs=$(nproc)
gns_install_packages
echo "Building with sanitizers ..."
gns_run "configure asan" cmake --preset asan
gns_run "build asan" cmake --build --preset asan
gns_show "the tests under sanitizers" \
    ctest --test-dir build/asan --output-on-failure -LE slow -j "$jobs"
echo "Building optimised ..."
gns_run "configure test" cmake --preset release -B build/test -DGPUNETSIM_WERROR=ON
gns_run "build test" cmake --build build/test
gns_show "the tests" ctest --test-dir build/test --output-on-failure -j "$jobs"
