# SPDX-License-Identifier: BSD-3-Clause
# SimGrid's own zones, for test_zones.c.
target_sources(fabric_test_zones PRIVATE ${CMAKE_CURRENT_LIST_DIR}/simgrid_zones.cpp)
target_link_libraries(fabric_test_zones PRIVATE PkgConfig::SIMGRID)
