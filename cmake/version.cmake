# Tells sim/study/table/version.c what the program is built from. The git id is asked for at every build, so
# that it is true of the sources compiled and not of those that were there when CMake ran.
set(GNS_GIT_HEADER ${PROJECT_BINARY_DIR}/generated/git_id.h)

if(CMAKE_SCRIPT_MODE_FILE)
    execute_process(COMMAND git describe --always --dirty WORKING_DIRECTORY ${SOURCE}
                    OUTPUT_VARIABLE id ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT id)
        set(id unknown)
    endif()
    file(CONFIGURE OUTPUT ${HEADER}
         CONTENT "#define GPUNETSIM_GIT_ID \"${VERSION} (git ${id})\"\n")
    return()
endif()

add_custom_target(git_id
    COMMAND ${CMAKE_COMMAND} -DHEADER=${GNS_GIT_HEADER} -DSOURCE=${PROJECT_SOURCE_DIR}
            -DVERSION=${PROJECT_VERSION} -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${GNS_GIT_HEADER})
add_dependencies(gns_table git_id)
set_property(SOURCE sim/study/table/version.c PROPERTY COMPILE_DEFINITIONS
    GPUNETSIM_GIT_HEADER="${GNS_GIT_HEADER}"
    GPUNETSIM_SIMGRID_VERSION="${SIMGRID_VERSION}"
    GPUNETSIM_LUA_VERSION="${LUA_VERSION}")
