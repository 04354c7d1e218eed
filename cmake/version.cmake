# Tells sim/study/table/version.c what the program is built from. Git is asked at every build, so that it is true of
# the sources compiled and not of those that were there when CMake ran.
if(CMAKE_SCRIPT_MODE_FILE)
    cmake_policy(VERSION 3.25)
    include(${CMAKE_CURRENT_LIST_DIR}/version_number.cmake)
    gns_version(${SOURCE} version id)
    file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define GPUNETSIM_GIT_ID \"${version} (git ${id})\"\n")
    return()
endif()

set(GNS_GIT_HEADER ${PROJECT_BINARY_DIR}/generated/git_id.h)
add_custom_target(git_id
    COMMAND ${CMAKE_COMMAND} -DHEADER=${GNS_GIT_HEADER} -DSOURCE=${PROJECT_SOURCE_DIR} -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${GNS_GIT_HEADER})
add_dependencies(gns_table git_id)
set_property(SOURCE sim/study/table/version.c PROPERTY COMPILE_DEFINITIONS
    GPUNETSIM_GIT_HEADER="${GNS_GIT_HEADER}"
    GPUNETSIM_SIMGRID_VERSION="${SIMGRID_VERSION}"
    GPUNETSIM_LUA_VERSION="${LUA_VERSION}")
