# EXECUTORCH_OPERATORS: the library's own kernels in a minimal build, those that are named and no others. They run on one
# instruction set, the architecture's baseline, and on the calling thread.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(selected ${PROJECT_BINARY_DIR}/selected)
set(arguments)
foreach(operator IN LISTS EXECUTORCH_OPERATORS)
  if(operator MATCHES "\\.pte$")
    get_filename_component(operator ${operator} ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${operator})
  endif()
  list(APPEND arguments ${operator})
endforeach()
execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/selected_operators.py ${selected} ${PROJECT_SOURCE_DIR}
                        ${EXECUTORCH_FLATC} ${arguments} RESULT_VARIABLE failed ERROR_VARIABLE reason)
if(failed)
  message(FATAL_ERROR "EXECUTORCH_OPERATORS: ${reason}")
endif()

# The sources of the components that the operators stand on, without tests and per-instruction-set files.
executorch_collect_sources("" "${EXECUTORCH_COMPUTE_FOLDERS};src/kernels/support")
set(kernel_sources ${sources})
set(kernel_isa_sources ${isa_sources})
file(STRINGS ${selected}/sources.txt operator_files)
foreach(file IN LISTS operator_files)
  get_filename_component(folder ${file} DIRECTORY)
  list(APPEND kernel_sources ${file})
  # What the files of a folder share.
  file(GLOB shared CONFIGURE_DEPENDS ${folder}/*.cpp)
  list(FILTER shared EXCLUDE REGEX "_(ops|test)\\.cpp$|/register\\.cpp$")
  list(APPEND kernel_sources ${shared})
endforeach()
list(REMOVE_DUPLICATES kernel_sources)
set_property(SOURCE ${kernel_sources} APPEND PROPERTY COMPILE_OPTIONS ${EXECUTORCH_LEAN_OPTIONS})

set(EXECUTORCH_INSTRUCTION_SETS baseline)
executorch_add_instruction_sets(executorch_minimal isa_objects ${kernel_isa_sources})
target_compile_definitions(executorch_minimal_baseline PRIVATE EXECUTORCH_MINIMAL)
target_compile_options(executorch_minimal_baseline PRIVATE -Os -fno-asynchronous-unwind-tables -fno-unwind-tables)
target_sources(executorch_minimal PRIVATE ${kernel_sources} ${selected}/register.cpp ${isa_objects})
target_compile_options(executorch_minimal PRIVATE -fno-threadsafe-statics)
target_include_directories(executorch_minimal BEFORE PRIVATE ${selected})
# Nothing refers to the file that registers them.
target_link_options(executorch_minimal INTERFACE -Wl,-u,executorch_selected_operators)
