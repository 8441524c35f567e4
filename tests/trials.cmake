# Tests without sanitizers, which judge hundreds of simulated machines or of mutants (trials.h); tests/run.sh builds
# them beside the plain program, and CTest of the sanitized build runs them as trials/NAME.
pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)
foreach(floor generator model runner)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/${floor}/test_*.c")
  foreach(source ${sources})
    file(STRINGS "${source}" judges REGEX "TRIALS_(JUDGED|MACHINES)")
    if(judges)
      get_filename_component(name "${source}" NAME_WE)
      string(REPLACE "test_" "trial_" program "${name}")
      add_executable("${program}" "${source}")
      target_link_libraries("${program}" PRIVATE trauma_cli PkgConfig::cmocka)
      target_compile_definitions("${program}" PRIVATE TRAUMA_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
        TRAUMA_BUILD_DIR="${CMAKE_BINARY_DIR}")
      set_target_properties("${program}" PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/trials")
    endif()
  endforeach()
endforeach()
