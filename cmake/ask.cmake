# What PROGRAM, with its files in ROOT, says itself: for man pages and the reference.
function(ask result)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env GPUNETSIM_ROOT=${ROOT} NO_COLOR=1 ${PROGRAM} ${ARGN}
                    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    set(${result} "${text}" PARENT_SCOPE)
endfunction()

# The first word of each line of `gpunetsim list KIND`.
function(names_of result kind)
    ask(text list ${kind})
    string(REPLACE "\n" ";" lines "${text}")
    list(POP_FRONT lines) # the columns' names
    foreach(line ${lines})
        if(line MATCHES "^([^ ]+)")
            list(APPEND names ${CMAKE_MATCH_1})
        endif()
    endforeach()
    set(${result} ${names} PARENT_SCOPE)
endfunction()
