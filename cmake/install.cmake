# SPDX-License-Identifier: BSD-3-Clause
# What an installation consists of: the program and its files in share/gpunetsim, the library with its header, what other
# projects find it by, man pages and completions. The installed program finds its files from where it stands.
set(GNS_DATA ${CMAKE_INSTALL_DATADIR}/gpunetsim)
install(CODE "get_filename_component(whole \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE) # for uninstall
file(WRITE \"${PROJECT_BINARY_DIR}/install_prefix.txt\" \"\${whole}\")")
install(TARGETS gpunetsim RUNTIME)
if(TARGET gpunetsim_mpi)
    install(TARGETS gpunetsim_mpi RUNTIME)
endif()
install(TARGETS gpunetsim-simgrid gpunetsim-nlopt LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gpunetsim) # loaded with their libraries
install(DIRECTORY benchmarks configs scenarios plots views claims DESTINATION ${GNS_DATA})

# The library starts the program, and has nothing of the simulator in it.
function(gns_library target kind)
    add_library(${target} ${kind} library/gpunetsim.c library/server.c)
    gns_flags(${target})
    target_include_directories(${target} PUBLIC library)
    target_compile_definitions(${target} PRIVATE GPUNETSIM_GIT_HEADER="${GNS_GIT_HEADER}"
        GPUNETSIM_INSTALLED_PROGRAM="${CMAKE_INSTALL_FULL_BINDIR}/gpunetsim")
    add_dependencies(${target} git_id)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME gpunetsim POSITION_INDEPENDENT_CODE ON
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    install(TARGETS ${target} LIBRARY ARCHIVE)
endfunction()
gns_library(gpunetsim_shared SHARED)
gns_library(gpunetsim_static STATIC)
if(NOT GPUNETSIM_SANITIZE) # a sanitizer's functions are the program's
    target_link_options(gpunetsim_shared PRIVATE -Wl,--no-undefined)
endif()
install(FILES library/gpunetsim.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES python/gpunetsim.py DESTINATION lib/python3/dist-packages) # where Debian's Python looks below /usr

# For pkg-config and for find_package(gpunetsim).
include(CMakePackageConfigHelpers)
file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(GNS_PC_PREFIX "\${pcfiledir}/${up}") # so that the prefix may be moved
configure_file(cmake/gpunetsim.pc.in gpunetsim.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gpunetsim.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(GNS_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/gpunetsim)
configure_package_config_file(cmake/gpunetsim-config.cmake.in gpunetsim-config.cmake
    INSTALL_DESTINATION ${GNS_PACKAGE} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gpunetsim-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gpunetsim-config.cmake ${PROJECT_BINARY_DIR}/gpunetsim-config-version.cmake
        DESTINATION ${GNS_PACKAGE})

# Man pages are made of the program's own tables and help; completions ask the program.
set(pages ${PROJECT_BINARY_DIR}/man)
add_custom_command(OUTPUT ${pages}/gpunetsim.1
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:gpunetsim> -DROOT=${PROJECT_SOURCE_DIR} -DFOLDER=${pages}
            -DVERSION=${PROJECT_VERSION} -P ${PROJECT_SOURCE_DIR}/cmake/man.cmake
    DEPENDS gpunetsim configs/designs.lua cmake/man.cmake COMMENT "Writing man pages")
if(NOT GPUNETSIM_SANITIZE)
    add_custom_target(man ALL DEPENDS ${pages}/gpunetsim.1)
    install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
    install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 FILES_MATCHING PATTERN "*.7")
endif()
install(FILES completions/gpunetsim.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME gpunetsim)
install(FILES completions/_gpunetsim DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/gpunetsim.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)

add_custom_target(uninstall COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/uninstall.sh ${PROJECT_BINARY_DIR})

set(CPACK_PACKAGE_NAME gpunetsim)
set(CPACK_PACKAGE_VENDOR "the gpunetsim developers")
set(CPACK_PACKAGE_CONTACT "the gpunetsim developers <gpunetsim@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Simulates how GPUs are networked")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
include(CPack)
