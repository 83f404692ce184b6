# The CUDA compiler for a release train, and the train's row of architectures.
#
#   EXECUTORCH_CUDA_TRAIN                 cu126, cu130 or cu132: what the build is for; it must be named
#   EXECUTORCH_CUDA_RUNTIME_FOLDER        where the train's runtime package has its libraries, below site-packages
#
# Rows are read from the file that the wheel's metadata and `executorch doctor` read as well.
include_guard(GLOBAL)

set(EXECUTORCH_CUDA_TRAIN "$ENV{EXECUTORCH_CUDA_TRAIN}" CACHE STRING "The release train to build CUDA code for, e.g. cu130")
set(rows ${PROJECT_SOURCE_DIR}/python/executorch/cli/device_code/architectures.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rows})
file(READ ${rows} rows)
string(JSON known ERROR_VARIABLE unknown GET "${rows}" "${EXECUTORCH_CUDA_TRAIN}")
if(unknown OR NOT EXECUTORCH_CUDA_TRAIN)
  message(FATAL_ERROR "EXECUTORCH_CUDA_TRAIN must name a row of architectures.json, e.g. cu130; it is '${EXECUTORCH_CUDA_TRAIN}'")
endif()
string(JSON toolkit GET "${known}" toolkit)
string(JSON folder GET "${known}" runtime_folder)
# For the CMake package as well.
set(EXECUTORCH_CUDA_RUNTIME_FOLDER ${folder} CACHE INTERNAL "")
string(JSON architectures ERROR_VARIABLE unknown GET "${known}" architectures ${CMAKE_SYSTEM_PROCESSOR})
if(unknown)
  message(FATAL_ERROR "${EXECUTORCH_CUDA_TRAIN} is not built for ${CMAKE_SYSTEM_PROCESSOR}")
endif()

# Machine code for each architecture; PTX for the newest alone, which later devices compile from.
set(CMAKE_CUDA_ARCHITECTURES)
set(newest 0)
string(JSON count LENGTH "${architectures}")
math(EXPR last "${count} - 1")
foreach(index RANGE ${last})
  string(JSON architecture GET "${architectures}" ${index})
  list(APPEND CMAKE_CUDA_ARCHITECTURES ${architecture}-real)
  if(architecture GREATER newest)
    set(newest ${architecture})
  endif()
endforeach()
list(APPEND CMAKE_CUDA_ARCHITECTURES ${newest}-virtual)

set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
# The runtime comes from a package of its own.
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(CMAKE_CUDA_COMPILER nvcc PATHS /usr/local/cuda-${toolkit}/bin /usr/local/cuda/bin)
endif()
enable_language(CUDA)
if(CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()
if(NOT CMAKE_CUDA_COMPILER_VERSION MATCHES "^${toolkit}\\.")
  message(FATAL_ERROR "${EXECUTORCH_CUDA_TRAIN} is built with CUDA ${toolkit}, this is ${CMAKE_CUDA_COMPILER_VERSION}")
endif()
find_package(CUDAToolkit REQUIRED)
