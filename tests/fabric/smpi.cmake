# SPDX-License-Identifier: BSD-3-Clause
# The MPI programs of test_smpi.c, compiled as for any MPI but with SimGrid's. Without smpicc the test
# says that it was skipped.
find_program(SMPICC smpicc)
if(SMPICC)
    foreach(program ping_pong ring)
        set(source ${CMAKE_CURRENT_LIST_DIR}/smpi/${program}.c)
        set(binary ${CMAKE_CURRENT_BINARY_DIR}/smpi/${program})
        add_custom_command(OUTPUT ${binary}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/smpi
            COMMAND ${SMPICC} -O1 -Wall -Wextra -o ${binary} ${source}
            DEPENDS ${source})
        list(APPEND smpi_programs ${binary})
    endforeach()
    add_custom_target(smpi_programs ALL DEPENDS ${smpi_programs})
    add_dependencies(tests_of_fabric smpi_programs)
endif()
set_tests_properties(fabric/smpi PROPERTIES LABELS "fabric;smpi")
