# EXECUTORCH_MINIMAL: one static library for small devices, instead of everything else.
#
# The runtime alone, with the primitive operators on numbers: no log, no error texts, no threads, no files. Programs come from
# memory (BufferDataLoader), delegates from the application; kernels too, but for those that EXECUTORCH_OPERATORS names. Only
# what an application uses stays in it (--gc-sections).
include_guard(GLOBAL)
include(ExecutorchComponent)
set(EXECUTORCH_OPERATORS "" CACHE STRING "Operators of this library that a minimal build contains: names (aten::add.out) and program files (model.pte), which name what they call")

executorch_collect_sources("" "${EXECUTORCH_RUNTIME_FOLDERS};src/minimal")
# Texts, messages, files, plans and profiles; src/minimal has what stands in for them.
list(FILTER sources EXCLUDE REGEX "/src/runtime/(core/error_message|platform/(log|file_mappings|profiler)|plan/[a-z_]+)\\.cpp$")
add_library(executorch_minimal STATIC ${sources})
add_library(executorch::minimal ALIAS executorch_minimal)
set_target_properties(executorch_minimal PROPERTIES OUTPUT_NAME executorch_minimal INTERPROCEDURAL_OPTIMIZATION OFF)
target_compile_definitions(executorch_minimal PRIVATE EXECUTORCH_BUILDING_RUNTIME
                                              PUBLIC EXECUTORCH_MINIMAL ET_LOG_ENABLED=0 C10_USING_CUSTOM_GENERATED_MACROS)
target_compile_options(executorch_minimal PRIVATE -Os -fno-asynchronous-unwind-tables -fno-unwind-tables)
target_compile_features(executorch_minimal PUBLIC cxx_std_17)
if(EXECUTORCH_OPERATORS)
  include(SelectedOperators)
endif()
target_include_directories(
  executorch_minimal PRIVATE ${PROJECT_SOURCE_DIR}/src
  PUBLIC ${PROJECT_SOURCE_DIR}/src/minimal/include ${PROJECT_SOURCE_DIR}/include
         ${PROJECT_SOURCE_DIR}/include/executorch/runtime/core/portable_type/c10)
target_link_libraries(executorch_minimal PRIVATE executorch_build_options executorch_schemas)
target_link_options(executorch_minimal INTERFACE -Wl,--gc-sections)

# The application that shows what it takes, and what it weighs.
add_executable(minimal_app ${PROJECT_SOURCE_DIR}/examples/minimal/main.cpp)
set_source_files_properties(${PROJECT_SOURCE_DIR}/examples/minimal/main.cpp PROPERTIES COMPILE_OPTIONS "-Os;-fno-exceptions;-fno-rtti")
target_link_libraries(minimal_app PRIVATE executorch_minimal)
if(EXECUTORCH_OPERATORS)
  # A program on the library's own kernels.
  add_executable(program_app ${PROJECT_SOURCE_DIR}/examples/minimal/program.cpp)
  target_compile_options(program_app PRIVATE -Os)
  target_link_libraries(program_app PRIVATE executorch_minimal)
endif()
