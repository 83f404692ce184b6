include(CudaToolkit)
include(CudaShims)

# Their tests run over the fake CUDA runtime, see Tests.cmake.
set(EXECUTORCH_BUILD_TESTS OFF)

# Device code. nvcc does not know the options that our other code is compiled with.
add_library(executorch_cuda_device OBJECT ${device_sources})
target_include_directories(executorch_cuda_device PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(executorch_cuda_device PRIVATE ${shim_definitions} EXECUTORCH_BUILDING_AOTI_CUDA_SHIMS)
target_compile_options(executorch_cuda_device PRIVATE "-Xcompiler=-Wall,-Wextra,-Wno-class-memaccess,-Wno-unused-parameter"
                                                      "-Xcompiler=-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
target_link_libraries(executorch_cuda_device PRIVATE executorch_headers)

# executorch_cuda_component(<name> <folder in the package> <argument of executorch_component>...)
# Its libraries find each other, and the CUDA runtime of PyPI's package, from where they lie in site-packages.
function(executorch_cuda_component name folder)
  executorch_component(${name} ${ARGN})
  if(folder STREQUAL "lib")
    set(path "$ORIGIN" "$ORIGIN/../backends/cuda" "$ORIGIN/../../${EXECUTORCH_CUDA_RUNTIME_FOLDER}")
  else()
    set(path "$ORIGIN" "$ORIGIN/../../lib" "$ORIGIN/../../../${EXECUTORCH_CUDA_RUNTIME_FOLDER}")
  endif()
  set_target_properties(executorch_${name} PROPERTIES EXECUTORCH_FOLDER ${folder} INSTALL_RPATH "${path}")
endfunction()

executorch_cuda_component(
  aoti_cuda_shims backends/cuda
  OUTPUT aoti_cuda_shims
  FOLDERS ${shim_folders}
  PRIVATE_LINKS executorch_aoti executorch_runtime executorch_cuda_device CUDA::cudart
  DEFINES ${shim_definitions} AOTI_BUILDING_SHIMS)
set(generated ${CMAKE_CURRENT_BINARY_DIR})
executorch_cuda_shim_files(${EXECUTORCH_AOTI_CUDA_SHIM_PREFIX} ${generated})
executorch_cuda_import_library(${generated})
target_link_options(executorch_aoti_cuda_shims PRIVATE "-Wl,--version-script=${generated}/aoti_cuda_shims.map")
set_property(TARGET executorch_aoti_cuda_shims APPEND PROPERTY LINK_DEPENDS ${generated}/aoti_cuda_shims.map)

executorch_cuda_component(
  extension_cuda lib
  OUTPUT executorch_extension_cuda
  FOLDERS src/extension/cuda)

executorch_cuda_component(
  backend_cuda lib
  OUTPUT executorch_backend_cuda
  FOLDERS ${delegate_folders}
  PUBLIC_LINKS executorch_runtime executorch_extension_cuda
  PRIVATE_LINKS executorch_aoti executorch_aoti_cuda_shims CUDA::cudart ${CMAKE_DL_LIBS}
  DEFINES ${shim_definitions})

# The delegate for applications that contain it; shims, streams and runtime stay shared, each once in a process.
executorch_collect_sources("${delegate_folders}"
                           "src/backends/aoti/payload;src/backends/aoti/code;src/backends/aoti/container;src/backends/aoti/tensor")
add_library(executorch_backend_cuda_static STATIC ${sources})
target_include_directories(executorch_backend_cuda_static PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(executorch_backend_cuda_static PRIVATE ${shim_definitions})
target_link_libraries(executorch_backend_cuda_static PRIVATE executorch_headers executorch_build_options executorch_runtime CUDA::cudart)
install(TARGETS executorch_backend_cuda_static ARCHIVE DESTINATION lib COMPONENT sdk)
