# The delegate and the shims over a fake CUDA runtime, their kernels as loops of the host. Needs CUDA's headers, no compiler, no GPU.
find_path(EXECUTORCH_CUDA_INCLUDE cuda_runtime_api.h HINTS $ENV{CUDA_HOME}/include
          PATHS /usr/local/cuda/include /usr/local/cuda-13.0/include)
if(NOT EXECUTORCH_CUDA_INCLUDE)
  message(STATUS "no CUDA tests: cuda_runtime_api.h was not found (CUDA_HOME says where CUDA is)")
  return()
endif()

set(fake ${PROJECT_SOURCE_DIR}/tests/cuda/fake)
set(fake_folder ${PROJECT_BINARY_DIR}/fake_cuda)
set(test_prefix AOTI_SHIM_PREFIX=et_cudatst_)

# executorch_fake_cuda(<target> <file base name> <soname suffix> <source>)
# Exports everything, and lies where no library of ours looks for others.
function(executorch_fake_cuda name base suffix source)
  add_library(${name} SHARED ${fake}/${source})
  target_include_directories(${name} PUBLIC ${fake} SYSTEM PUBLIC ${EXECUTORCH_CUDA_INCLUDE})
  target_link_libraries(${name} PRIVATE executorch_build_options)
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${base} SUFFIX ${suffix} CXX_VISIBILITY_PRESET default
                                           LIBRARY_OUTPUT_DIRECTORY ${fake_folder})
endfunction()
executorch_fake_cuda(fake_cudart cudart .so.13 fake_cudart.cpp)
# Programs that are linked with the real runtime ask for its version.
target_link_options(fake_cudart PRIVATE "-Wl,--version-script=${fake}/cudart.map")
set_property(TARGET fake_cudart APPEND PROPERTY LINK_DEPENDS ${fake}/cudart.map)
executorch_fake_cuda(fake_cuda cuda .so.1 fake_cuda.cpp)
# Nothing finds it unless it is told to.
set_target_properties(fake_cuda PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${fake_folder}/driver)

# Device code as C++ of the host.
set(host_sources)
foreach(source IN LISTS device_sources)
  get_filename_component(name ${source} NAME_WE)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/host/${name}.cpp CONTENT "#include \"backends/cuda/shims/${name}.cu\"\n")
  list(APPEND host_sources ${CMAKE_CURRENT_BINARY_DIR}/host/${name}.cpp)
endforeach()

executorch_collect_sources("${shim_folders}" "")
add_library(cuda_shims_on_host SHARED ${sources} ${host_sources} ${fake}/live_tensors.cpp)
set_target_properties(cuda_shims_on_host PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${fake_folder})
target_include_directories(cuda_shims_on_host PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(cuda_shims_on_host PRIVATE AOTI_BUILDING_SHIMS PUBLIC ${test_prefix})
target_link_libraries(cuda_shims_on_host PUBLIC executorch_headers fake_cudart
                                         PRIVATE executorch_build_options executorch_aoti executorch_runtime)

executorch_collect_sources("${delegate_folders};src/extension/cuda;src/backends/cuda/device" "")
executorch_test_program(
  backend_cuda_tests SOURCES ${sources} ${tests}
  LINKS cuda_shims_on_host executorch_aoti executorch_runtime fake_cudart ${CMAKE_DL_LIBS}
  DEFINES EXECUTORCH_EXTENSION_CUDA_BUILDING EXECUTORCH_CUDA_TEST_CODE="${fake_folder}/models")

# executorch_fake_model(<name> [<variant's macro>...])
function(executorch_fake_model name)
  add_library(${name} MODULE ${fake}/fake_model.cpp)
  target_compile_definitions(${name} PRIVATE ${ARGN})
  target_link_libraries(${name} PRIVATE fake_cudart)
  set_target_properties(${name} PROPERTIES SKIP_BUILD_RPATH ON LIBRARY_OUTPUT_DIRECTORY ${fake_folder}/models)
  add_dependencies(backend_cuda_tests ${name})
endfunction()
executorch_fake_model(cuda_model)
executorch_fake_model(cuda_model_of_blob FAKE_TAKES_BLOB)
executorch_fake_model(cuda_model_that_fails FAKE_FAILS)
executorch_fake_model(cuda_model_that_is_wrong FAKE_WRONG_TYPE)
executorch_fake_model(cuda_model_without_container FAKE_MAKES_NONE)
executorch_fake_model(cuda_model_that_needs_more FAKE_NEEDS_MORE)
executorch_fake_model(cuda_model_for_a_driver)
target_link_options(cuda_model_for_a_driver PRIVATE -Wl,--no-as-needed)
target_link_libraries(cuda_model_for_a_driver PRIVATE fake_cuda)
