include(GoogleTest)

# futurerand_add_existing(<folder>...): add_subdirectory for those that have a CMakeLists.txt.
function(futurerand_add_existing)
  foreach(folder IN LISTS ARGN)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()

# futurerand_folder([LINKS <target>...] [TEST_LINKS <target>...] [LABELS <label>...]
#                   [WITHOUT <file>...])
#
# Makes the current folder one library: futurerand/core/law becomes futurerand_core_law, header-only
# if it has no *.cpp; the files WITHOUT names are left out. Its *_test.cpp become one executable,
# labelled `unit` and LABELS in ctest; its *_long_test.cpp another one, labelled `long` as well.
function(futurerand_folder)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "LINKS;TEST_LINKS;LABELS;WITHOUT")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "futurerand_folder: unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()

  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "^futurerand/" "" path ${path})
  string(REPLACE "/" "_" target futurerand_${path})

  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cpp)
  list(REMOVE_ITEM sources ${arg_WITHOUT})
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  set(long_tests ${tests})
  list(FILTER long_tests INCLUDE REGEX "_long_test\\.cpp$")
  list(FILTER tests EXCLUDE REGEX "_long_test\\.cpp$")

  if(sources)
    set(scope PUBLIC)
    add_library(${target} STATIC ${sources})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} ${scope} ${arg_LINKS})
  target_compile_features(${target} ${scope} cxx_std_20)
  set_property(GLOBAL APPEND PROPERTY FUTURERAND_FOLDERS ${target})

  # Fuzzing is guided by what the library covers; tests need not be instrumented for it.
  if(FUTURERAND_FUZZ AND sources)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  # Without exceptions only the tests that are labelled for it are built.
  if(NOT BUILD_TESTING OR (FUTURERAND_NO_EXCEPTIONS AND NOT noexcept IN_LIST arg_LABELS))
    return()
  endif()
  if(tests)
    futurerand_tests(${target}_test PREFIX ${path}. SOURCES ${tests}
                     LINKS ${target} ${arg_TEST_LINKS} LABELS unit ${arg_LABELS})
  endif()
  if(long_tests)
    futurerand_tests(${target}_long_test PREFIX ${path}. SOURCES ${long_tests}
                     LINKS ${target} ${arg_TEST_LINKS} LABELS unit long ${arg_LABELS})
  endif()
endfunction()

# futurerand_tests(<target> PREFIX <prefix> SOURCES <file>... LINKS <target>... LABELS <label>...)
#
# One GoogleTest executable, each of its tests a ctest test named <prefix><suite>.<test>.
# FUTURERAND_SOURCE_DIR is defined so that tests find data files. It is relative to the folder that
# ctest runs them in: then every clone compiles the same text, and ccache serves them all.
function(futurerand_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "SOURCES;LINKS;LABELS")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LINKS} GTest::gtest_main)
  file(RELATIVE_PATH root ${CMAKE_CURRENT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE FUTURERAND_SOURCE_DIR="${root}")
  # What is tested is optimized as it ships. The tests themselves compile in half the time with less.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  # tests_<label> builds no more than ctest -L <label> runs.
  foreach(label IN LISTS arg_LABELS)
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${target})
  endforeach()
  if(CMAKE_CROSSCOMPILING)
    # Starting an emulator for each test would take longer than the tests.
    add_test(NAME ${arg_PREFIX}all COMMAND ${target} --gtest_brief=1 --gtest_filter=-${FUTURERAND_NOT_EMULATED})
    set_tests_properties(${arg_PREFIX}all PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 3000)
    return()
  endif()
  gtest_discover_tests(${target} TEST_PREFIX ${arg_PREFIX} DISCOVERY_MODE PRE_TEST
                       DISCOVERY_TIMEOUT 60 WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})

  # gtest_discover_tests loses all but the first of several labels.
  set(labels ${CMAKE_CURRENT_BINARY_DIR}/${target}_labels.cmake)
  file(CONFIGURE OUTPUT ${labels} @ONLY CONTENT [[
if(@target@_TESTS)
  set_tests_properties(${@target@_TESTS} PROPERTIES LABELS "@arg_LABELS@")
endif()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels})
endfunction()
