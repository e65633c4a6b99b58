# SPDX-License-Identifier: BSD-3-Clause
# Run by the build: writes OUT, a header with the commit of SOURCE, for reports;
# "" without git or a clone. An unchanged file is not rewritten, so nothing is rebuilt.
execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE commit ERROR_QUIET RESULT_VARIABLE failed
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed OR NOT EXISTS "${SOURCE}/.git")
    set(commit "")
endif()
set(text "#define FSH_COMMIT \"${commit}\"\n")
if(EXISTS "${OUT}")
    file(READ "${OUT}" old)
endif()
if(NOT "${old}" STREQUAL "${text}")
    file(WRITE "${OUT}" "${text}")
endif()
