# Installs what applications link and include, laid out so that the whole folder can be moved:
#
#   lib/                        the shared libraries
#   backends/cuda/              the shims of CUDA code, where the build has CUDA
#   data/lib/                   their import library for Windows
#   include/                    the public headers
#   share/cmake/, lib/cmake/executorch/   the CMake package, found from either place
#   lib/pkgconfig/              the pkg-config files
#
# Components are listed once, by executorch_component(); everything here derives from that list.
include(CMakePackageConfigHelpers)

# Components that an application asks for by name and that stay out of EXECUTORCH_LIBRARIES.
set(EXECUTORCH_OPT_IN_COMPONENTS kernels_quantized kernels_llm bundled_program aoti_cpu_shims backend_aoti_cpu
    aoti_cuda_shims extension_cuda backend_cuda)
# Components without a target name of their own.
set(EXECUTORCH_PRIVATE_COMPONENTS compute)

get_property(components GLOBAL PROPERTY EXECUTORCH_COMPONENTS)
set(public_components ${components})
list(REMOVE_ITEM public_components ${EXECUTORCH_PRIVATE_COMPONENTS})
set(default_components ${public_components})
list(REMOVE_ITEM default_components ${EXECUTORCH_OPT_IN_COMPONENTS})

# Windows links import libraries, <file of the library>.a, in the place of the libraries.
set(import_library_suffix "")
if(WIN32)
  set(import_library_suffix .a)
endif()
set(files)
set(import_files)
set(component_lines "")
foreach(component IN LISTS components)
  get_target_property(folder executorch_${component} EXECUTORCH_FOLDER)
  if(NOT folder)
    set(folder lib)
  endif()
  install(TARGETS executorch_${component} LIBRARY DESTINATION ${folder} COMPONENT sdk RUNTIME DESTINATION ${folder} COMPONENT sdk
                                          ARCHIVE DESTINATION ${folder} COMPONENT sdk)
  get_target_property(base executorch_${component} OUTPUT_NAME)
  get_target_property(suffix executorch_${component} SUFFIX)
  if(NOT suffix)
    set(suffix ${CMAKE_SHARED_LIBRARY_SUFFIX})
  endif()
  set(file_${component} ${CMAKE_SHARED_LIBRARY_PREFIX}${base}${suffix})
  if(NOT folder STREQUAL "lib")
    string(PREPEND file_${component} ../${folder}/)
  endif()
  list(APPEND files ${file_${component}})
  if(WIN32)
    list(APPEND import_files ${file_${component}}${import_library_suffix})
  endif()
  string(APPEND component_lines "set(_executorch_file_${component} \"${file_${component}}\")\n")
endforeach()

set(headers_of_others)
if(NOT EXECUTORCH_BUILD_CUDA)
  set(headers_of_others PATTERN extension/cuda EXCLUDE)
endif()
install(DIRECTORY include/executorch DESTINATION include COMPONENT sdk FILES_MATCHING PATTERN "*.h" ${headers_of_others})

get_target_property(definitions executorch_headers INTERFACE_COMPILE_DEFINITIONS)
string(REPLACE ";" " " component_words "${public_components}")
string(REPLACE ";" " " file_words "${files}")
string(REPLACE ";" " " import_file_words "${import_files}")
string(REPLACE ";" " " default_words "${default_components}")
string(REPLACE ";" " " definition_words "${definitions}")
configure_file(cmake/executorch-config.cmake.in ${PROJECT_BINARY_DIR}/package/executorch-config.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/executorch-config-version.cmake
                                 VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
foreach(place IN ITEMS share/cmake lib/cmake/executorch)
  install(FILES ${PROJECT_BINARY_DIR}/package/executorch-config.cmake
                ${PROJECT_BINARY_DIR}/package/executorch-config-version.cmake
          DESTINATION ${place} COMPONENT sdk)
endforeach()

if(WIN32)
  return()
endif()
# In a response file, since the dialects of pkg-config differ in how they hand a dollar sign on.
file(WRITE ${PROJECT_BINARY_DIR}/package/origin.rsp "-Wl,--enable-new-dtags -Wl,-rpath,$ORIGIN -Wl,-rpath,$ORIGIN/../lib\n")
install(FILES ${PROJECT_BINARY_DIR}/package/origin.rsp DESTINATION lib/pkgconfig COMPONENT sdk)
foreach(component IN LISTS public_components)
  set(pc_file ${file_${component}})
  if(component STREQUAL "runtime")
    set(pc_requires executorch_threadpool)
    set(pc_definitions -DET_USE_THREADPOOL)
  elseif(component STREQUAL "threadpool")
    set(pc_requires "")
    set(pc_definitions "")
  else()
    set(pc_requires executorch_runtime)
    set(pc_definitions "")
  endif()
  list(TRANSFORM definitions PREPEND -D OUTPUT_VARIABLE pc_cflags)
  string(REPLACE ";" " " pc_cflags "${pc_cflags} ${pc_definitions}")
  configure_file(cmake/component.pc.in ${PROJECT_BINARY_DIR}/package/executorch_${component}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/executorch_${component}.pc DESTINATION lib/pkgconfig COMPONENT sdk)
endforeach()
