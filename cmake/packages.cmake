# The build's dependencies, as one target trauma_packages. Each missing package ends the configuration with the
# command that installs it.
add_library(trauma_packages INTERFACE)
find_package(PkgConfig)
if(NOT PkgConfig_FOUND)
  message(FATAL_ERROR "pkg-config is missing. Debian: apt-get install pkg-config")
endif()

function(trauma_need module debian)
  pkg_check_modules(${module} QUIET IMPORTED_TARGET ${module})
  if(NOT ${module}_FOUND)
    message(FATAL_ERROR "${module} is missing. Debian: apt-get install ${debian}")
  endif()
  target_link_libraries(trauma_packages INTERFACE PkgConfig::${module})
endfunction()

trauma_need(lua5.4 liblua5.4-dev)
trauma_need(jansson libjansson-dev)
trauma_need(hwloc libhwloc-dev)
trauma_need(libelf libelf-dev)
trauma_need(lapacke liblapacke-dev)

find_path(PFM_INCLUDE perfmon/pfmlib_perf_event.h)
find_library(PFM_LIBRARY pfm)
if(NOT PFM_INCLUDE OR NOT PFM_LIBRARY)
  message(FATAL_ERROR "libpfm4 is missing. Debian: apt-get install libpfm4-dev")
endif()
target_include_directories(trauma_packages SYSTEM INTERFACE "${PFM_INCLUDE}")
target_link_libraries(trauma_packages INTERFACE "${PFM_LIBRARY}")

# The first of these on the path is used; TRAUMA_LLVM_CONFIG names another.
set(TRAUMA_LLVM_CONFIG "" CACHE STRING "llvm-config to use instead of the newest found")
find_program(LLVM_CONFIG NAMES ${TRAUMA_LLVM_CONFIG} llvm-config-19 llvm-config-20 llvm-config-18 llvm-config-17
             llvm-config-16 llvm-config-15 llvm-config)
if(NOT LLVM_CONFIG)
  message(FATAL_ERROR "LLVM is missing. Debian: apt-get install llvm-19-dev")
endif()
foreach(flag version includedir libdir)
  execute_process(COMMAND "${LLVM_CONFIG}" --${flag} OUTPUT_VARIABLE LLVM_${flag} OUTPUT_STRIP_TRAILING_WHITESPACE)
endforeach()
execute_process(COMMAND "${LLVM_CONFIG}" --libs OUTPUT_VARIABLE LLVM_libs OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT EXISTS "${LLVM_includedir}/llvm-c/blake3.h")
  message(FATAL_ERROR "LLVM ${LLVM_version} at ${LLVM_includedir} has no development files or no llvm-c/blake3.h "
                      "(in LLVM 15 and newer). Debian: apt-get install llvm-19-dev")
endif()
message(STATUS "LLVM ${LLVM_version}")
target_include_directories(trauma_packages SYSTEM INTERFACE "${LLVM_includedir}")
target_link_directories(trauma_packages INTERFACE "${LLVM_libdir}")

# LLVM's archives, if present: the shared library takes longer to load than everything else in a short command.
# Only programs with the property TRAUMA_STARTS_FAST use them: each is about 36 MB larger, and as much again if LLVM
# supports AMD GPUs.
set(LLVM_needs x86 mc core target)
execute_process(COMMAND "${LLVM_CONFIG}" --targets-built OUTPUT_VARIABLE LLVM_targets OUTPUT_STRIP_TRAILING_WHITESPACE)
foreach(target AMDGPU AArch64 RISCV)
  if(LLVM_targets MATCHES "${target}")
    string(TOLOWER "${target}" component)
    string(TOUPPER "TRAUMA_LLVM_${target}" definition)
    list(APPEND LLVM_needs "${component}")
    target_compile_definitions(trauma_packages INTERFACE "${definition}")
  endif()
endforeach()
execute_process(COMMAND "${LLVM_CONFIG}" --link-static --libs ${LLVM_needs} OUTPUT_VARIABLE LLVM_archives
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
separate_arguments(LLVM_archives)
find_library(ZSTD_LIBRARY NAMES libzstd.so.1 zstd)
find_library(ZLIB_LIBRARY NAMES libz.so.1 z)
foreach(library ZSTD_LIBRARY ZLIB_LIBRARY)
  if(${library})
    list(APPEND LLVM_archives "${${library}}")
  endif()
endforeach()
execute_process(COMMAND "${CMAKE_C_COMPILER}" -print-file-name=libstdc++.a OUTPUT_VARIABLE STDCXX
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT IS_ABSOLUTE "${STDCXX}")
  set(STDCXX stdc++)
endif()
list(APPEND LLVM_archives "${STDCXX}" m dl pthread)

include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_INCLUDES "${LLVM_includedir}")
set(CMAKE_REQUIRED_LIBRARIES "-L${LLVM_libdir}" ${LLVM_archives})
check_c_source_compiles("
#include <llvm-c/Target.h>
#include <llvm-c/blake3.h>
int main(void)
{
    llvm_blake3_hasher hasher;
    llvm_blake3_hasher_init(&hasher);
    LLVMInitializeX86AsmParser();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86Disassembler();
    return 0;
}" TRAUMA_LLVM_ARCHIVES)
unset(CMAKE_REQUIRED_INCLUDES)
unset(CMAKE_REQUIRED_LIBRARIES)

# The shared library makes the program a thirtieth as large, and each start of it slower; docs/releasing.md has numbers.
set(TRAUMA_LLVM static CACHE STRING "how trauma has LLVM: static, where its archives are installed, or shared")
set_property(CACHE TRAUMA_LLVM PROPERTY STRINGS static shared)
if(NOT TRAUMA_LLVM MATCHES "^(static|shared)$")
  message(FATAL_ERROR "TRAUMA_LLVM is '${TRAUMA_LLVM}': expected static or shared")
endif()

if(TRAUMA_LLVM STREQUAL "static" AND TRAUMA_LLVM_ARCHIVES)
  set(starts_fast "$<BOOL:$<TARGET_PROPERTY:TRAUMA_STARTS_FAST>>")
  target_link_libraries(trauma_packages INTERFACE "$<${starts_fast}:${LLVM_archives}>"
                                                  "$<$<NOT:${starts_fast}>:${LLVM_libs}>")
# Their function tables contain tens of thousands of addresses, each relocated at every start of a
  # position-independent program.
  target_link_options(trauma_packages INTERFACE "$<${starts_fast}:-no-pie>")
else()
  target_link_libraries(trauma_packages INTERFACE ${LLVM_libs})
endif()
