# SPDX-License-Identifier: MIT
# Run by ctest: runs PROGRAM, which must succeed, and compares what it prints with the file EXPECTED
# if there is one.
execute_process(COMMAND "${PROGRAM}" OUTPUT_FILE "${PROGRAM}.out" RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} failed: ${result}")
endif()
if(NOT EXISTS "${EXPECTED}")
    return()
endif()
execute_process(COMMAND diff -u "${EXPECTED}" "${PROGRAM}.out" RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} prints something else than ${EXPECTED}")
endif()
