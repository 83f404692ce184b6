# executorch_component(): one call per shared library.
#
#   executorch_component(<name>
#     OUTPUT <file base name>             # libexecutorch.so -> executorch
#     [SOVERSION <n>]
#     FOLDERS <dir>...                    # sources, exceptions and RTTI on
#     LEAN_FOLDERS <dir>...               # sources, compiled without exceptions and RTTI
#     [PUBLIC_LINKS <target>...] [PRIVATE_LINKS <target>...]
#     [DEFINES <definition>...])
#
# A folder contributes every *.cpp in it (not recursively), by suffix:
#   foo.cpp        compiled once
#   foo.isa.cpp    compiled once per instruction set, see InstructionSets.cmake
#   foo_test.cpp   goes into the test program <name>_tests, never into the library
#
# The library is called executorch_<name>, its public alias executorch::<name>.
#
#   executorch_private_library(<name> LEAN_FOLDERS <dir>... [PRIVATE_LINKS <target>...])
#
# Code that several shared libraries contain, each a copy of its own that it does not export: list executorch_<name>
# among their PRIVATE_LINKS.
include_guard(GLOBAL)
include(InstructionSets)

set(EXECUTORCH_LEAN_OPTIONS -fno-exceptions -fno-rtti)

# Sorts the files of folders into the caller's lists `sources`, `isa_sources` and `tests`.
function(executorch_collect_sources folders lean_folders)
  set(sources)
  set(isa_sources)
  set(tests)
  foreach(folder IN LISTS folders lean_folders)
    file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
    if(folder IN_LIST lean_folders)
      set(lean TRUE)
    else()
      set(lean FALSE)
    endif()
    foreach(file IN LISTS found)
      if(file MATCHES "_test\\.cpp$")
        list(APPEND tests ${file})
      elseif(file MATCHES "\\.isa\\.cpp$")
        list(APPEND isa_sources ${file})
      else()
        list(APPEND sources ${file})
        if(lean)
          set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS ${EXECUTORCH_LEAN_OPTIONS})
        endif()
      endif()
    endforeach()
  endforeach()
  set(sources ${sources} PARENT_SCOPE)
  set(isa_sources ${isa_sources} PARENT_SCOPE)
  set(tests ${tests} PARENT_SCOPE)
endfunction()

function(executorch_component name)
  cmake_parse_arguments(ARG "" "OUTPUT;SOVERSION" "FOLDERS;LEAN_FOLDERS;PUBLIC_LINKS;PRIVATE_LINKS;DEFINES"
                        ${ARGN})
  set(target executorch_${name})
  executorch_collect_sources("${ARG_FOLDERS}" "${ARG_LEAN_FOLDERS}")
  string(TOUPPER ${name} upper)
  # The objects stand alone so that unit tests reach what the library hides.
  set(objects ${target}_objects)
  add_library(${objects} OBJECT ${sources})
  target_compile_definitions(${objects} PRIVATE EXECUTORCH_BUILDING_${upper} ${ARG_DEFINES})
  target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${objects} PRIVATE executorch_headers executorch_build_options ${ARG_PUBLIC_LINKS}
                                           ${ARG_PRIVATE_LINKS})
  set(all_objects $<TARGET_OBJECTS:${objects}>)
  if(isa_sources)
    executorch_add_instruction_sets(${objects} isa_objects ${isa_sources})
    list(APPEND all_objects ${isa_objects})
  endif()

  add_library(${target} SHARED ${all_objects})
  add_library(executorch::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${ARG_OUTPUT} EXPORT_NAME ${name} LINKER_LANGUAGE CXX
                                             BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
  if(WIN32)
    # The symbol by which an application names a library that it uses nothing else of.
    configure_file(${PROJECT_SOURCE_DIR}/cmake/anchor.cpp.in ${PROJECT_BINARY_DIR}/anchors/${name}.cpp @ONLY)
    target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/anchors/${name}.cpp)
  elseif(ARG_SOVERSION)
    # The versioned name is the file itself: no development symlink, file name equals SONAME.
    set_target_properties(${target} PROPERTIES SUFFIX ".so.${ARG_SOVERSION}")
  endif()
  target_link_libraries(${target} PUBLIC executorch_headers ${ARG_PUBLIC_LINKS}
                                  PRIVATE executorch_build_options ${ARG_PRIVATE_LINKS})
  set_property(GLOBAL APPEND PROPERTY EXECUTORCH_COMPONENTS ${name})

  if(EXECUTORCH_BUILD_TESTS AND tests)
    executorch_test_program(${name}_tests SOURCES ${tests} ${all_objects}
                            LINKS ${ARG_PUBLIC_LINKS} ${ARG_PRIVATE_LINKS} DEFINES ${ARG_DEFINES}
                            EXECUTORCH_BUILDING_${upper})
  endif()
endfunction()

# executorch_keep_libraries(<target> <component>...): links components that a program needs although it may use no symbol of
# theirs, since they register operators, delegates and planners when they load.
function(executorch_keep_libraries target)
  foreach(component IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE executorch_${component})
    if(WIN32)
      target_link_options(${target} PRIVATE "LINKER:-u,executorch_${component}_anchor")
    endif()
  endforeach()
  if(NOT WIN32)
    target_link_options(${target} PRIVATE -Wl,--no-as-needed)
  endif()
endfunction()

function(executorch_private_library name)
  cmake_parse_arguments(ARG "" "" "LEAN_FOLDERS;PRIVATE_LINKS" ${ARGN})
  executorch_collect_sources("" "${ARG_LEAN_FOLDERS}")
  add_library(executorch_${name} STATIC ${sources})
  target_include_directories(executorch_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(executorch_${name} PRIVATE executorch_headers executorch_build_options ${ARG_PRIVATE_LINKS})
  if(EXECUTORCH_BUILD_TESTS AND tests)
    executorch_test_program(${name}_tests SOURCES ${tests} LINKS executorch_${name} ${ARG_PRIVATE_LINKS})
  endif()
endfunction()

# executorch_test_program(<name> SOURCES <file>... LINKS <target>... [DEFINES <definition>...])
# One GoogleTest program, registered with CTest as a whole.
function(executorch_test_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;DEFINES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINES} EXECUTORCH_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  target_link_libraries(${name} PRIVATE executorch_headers executorch_build_options ${ARG_LINKS} GTest::gmock_main)
  add_test(NAME ${name} COMMAND ${name})
  set(seconds 600)
  if(EXECUTORCH_SANITIZE)
    set(seconds 6000)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${seconds})
endfunction()
