# Hot code is compiled once per instruction set. A source file foo.isa.cpp is compiled for each of
# EXECUTORCH_INSTRUCTION_SETS with EXECUTORCH_ISA=<name>, and puts everything into the namespace
# executorch::compute::isa_<name> (see src/compute/cpu/isa.h). Such a file includes no header of the
# standard library that defines inline functions: a copy compiled for a newer CPU could win at link time.
include_guard(GLOBAL)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(EXECUTORCH_INSTRUCTION_SETS baseline avx2 avx512)
  # Hardly a machine lacks more than this: loops that are small serve it.
  set(EXECUTORCH_ISA_OPTIONS_baseline -msse2 $<$<CONFIG:Release>:-O2>)
  set(EXECUTORCH_ISA_OPTIONS_avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2)
  set(EXECUTORCH_ISA_OPTIONS_avx512
      -mavx2 -mfma -mf16c -mbmi -mbmi2 -mavx512f -mavx512vl -mavx512bw -mavx512dq -mavx512vnni -mavx512bf16
      -mprefer-vector-width=512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
  set(EXECUTORCH_INSTRUCTION_SETS baseline dotprod i8mm)
  set(EXECUTORCH_ISA_OPTIONS_baseline -march=armv8-a)
  set(EXECUTORCH_ISA_OPTIONS_dotprod -march=armv8.2-a+dotprod+fp16)
  set(EXECUTORCH_ISA_OPTIONS_i8mm -march=armv8.2-a+dotprod+fp16+i8mm+bf16)
else()
  set(EXECUTORCH_INSTRUCTION_SETS baseline)
  set(EXECUTORCH_ISA_OPTIONS_baseline "")
endif()

if(WIN32 AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # On 64-bit Windows GCC gives variables on the stack no more than 16 bytes of alignment (bug 54412) and still loads vectors
  # of 32 and 64 bytes from them with instructions that ask for more: the assembler writes those that do not.
  list(APPEND EXECUTORCH_ISA_OPTIONS_avx2 -Wa,-muse-unaligned-vector-move)
  list(APPEND EXECUTORCH_ISA_OPTIONS_avx512 -Wa,-muse-unaligned-vector-move)
endif()

# Defines one object library per instruction set, named <prefix>_<isa>; their objects go to ${out}.
function(executorch_add_instruction_sets prefix out)
  set(all)
  foreach(isa IN LISTS EXECUTORCH_INSTRUCTION_SETS)
    set(objects ${prefix}_${isa})
    add_library(${objects} OBJECT ${ARGN})
    target_compile_definitions(${objects} PRIVATE EXECUTORCH_ISA=${isa} EXECUTORCH_ISA_${isa}=1)
    # Contraction would make the same source round differently from one instruction set to the next.
    target_compile_options(${objects} PRIVATE ${EXECUTORCH_ISA_OPTIONS_${isa}} -fno-exceptions -fno-rtti
                                              -ffp-contract=off -fno-math-errno -fno-trapping-math)
    target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${objects} PRIVATE executorch_headers executorch_build_options)
    list(APPEND all $<TARGET_OBJECTS:${objects}>)
  endforeach()
  set(${out} ${all} PARENT_SCOPE)
endfunction()
