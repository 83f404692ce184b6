# Two interface targets: what every consumer of the headers needs, and how our own code is compiled.
include_guard(GLOBAL)

add_library(executorch_headers INTERFACE)
add_library(executorch::headers ALIAS executorch_headers)
set_target_properties(executorch_headers PROPERTIES EXPORT_NAME headers)
target_compile_features(executorch_headers INTERFACE cxx_std_17)
target_include_directories(
  executorch_headers INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/executorch/runtime/core/portable_type/c10>
  $<INSTALL_INTERFACE:include>
  $<INSTALL_INTERFACE:include/executorch/runtime/core/portable_type/c10>)
target_compile_definitions(executorch_headers INTERFACE C10_USING_CUSTOM_GENERATED_MACROS ET_EVENT_TRACER_ENABLED)

add_library(executorch_build_options INTERFACE)
target_compile_options(
  executorch_build_options INTERFACE -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
  -fno-semantic-interposition -ffunction-sections -fdata-sections
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/="
  # a*b+c rounds twice, as in eager, on every instruction set; hot loops ask for FMA by name
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(executorch_build_options INTERFACE -Wno-psabi)
endif()
if(WIN32)
  # Sizes of files have 64 bits.
  target_compile_definitions(executorch_build_options INTERFACE _FILE_OFFSET_BITS=64)
endif()
if(NOT WIN32 AND NOT APPLE)
  target_link_options(executorch_build_options INTERFACE -Wl,--gc-sections -Wl,--enable-new-dtags -Wl,-z,relro -Wl,-z,now)
  if(NOT EXECUTORCH_SANITIZE)
    target_link_options(executorch_build_options INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>:-Wl,--no-undefined>)
  endif()
endif()
if(EXECUTORCH_SANITIZE)
  # Lightly optimised: checks keep their meaning and the build stays short. The dynamic type of an object can only be checked
  # where all code has RTTI.
  add_compile_options(-fsanitize=${EXECUTORCH_SANITIZE} -fno-sanitize=vptr -fno-omit-frame-pointer -fno-sanitize-recover=all -O1
                      -g1)
  add_link_options(-fsanitize=${EXECUTORCH_SANITIZE})
endif()
