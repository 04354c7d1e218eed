#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# From a fresh clone on Debian 12 to the first figure: installs what is missing, builds, reproduces.
set -Eeuo pipefail
cd "$(dirname "$0")"
. cmake/setup.sh

gns_install_packages
echo "Building ..."
gns_run "configure" cmake --preset release
gns_run "build" cmake --build --preset release --target gpunetsim
gns_show "reproduce" build/release/gpunetsim reproduce --quick

echo
echo "Open the report in a browser; the figures are out/*/figure.svg and figure.png."
echo "All scenarios, without leaving out long ones:  build/release/gpunetsim reproduce"
