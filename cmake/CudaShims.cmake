# What the table of CUDA shims (src/backends/cuda/shims/cuda_table.h) generates.
#
#   executorch_cuda_shim_names(<variable>)           the names without their prefix
#   executorch_cuda_shim_files(<prefix> <folder>)    in the folder: aoti_cuda_shims.map (the linker's version script, which exports
#                                                    these names and no other), aoti_cuda_shims.def (the definition file of the
#                                                    Windows library) and aoti_cuda_shims.txt (a name a line)
#   executorch_cuda_import_library(<folder>)         a target that makes aoti_cuda_shims.lib of the definition file, for linking
#                                                    code objects for Windows; needs mingw-w64's dlltool
include_guard(GLOBAL)

function(executorch_cuda_shim_names variable)
  set(table ${PROJECT_SOURCE_DIR}/src/backends/cuda/shims/cuda_table.h)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(READ ${table} text)
  string(REGEX MATCHALL "\n  X\\(([A-Za-z0-9_]+, )?[A-Za-z0-9_]+" rows "${text}")
  set(names)
  foreach(row IN LISTS rows)
    string(REGEX REPLACE ".*[( ]" "" name "${row}")
    list(APPEND names ${name})
  endforeach()
  list(LENGTH names count)
  set(unique ${names})
  list(REMOVE_DUPLICATES unique)
  list(LENGTH unique distinct)
  if(NOT count EQUAL 51 OR NOT distinct EQUAL 51)
    message(FATAL_ERROR "the table of CUDA shims has ${count} rows of ${distinct} names, 51 are promised")
  endif()
  set(${variable} ${names} PARENT_SCOPE)
endfunction()

function(executorch_cuda_shim_files prefix folder)
  executorch_cuda_shim_names(names)
  list(TRANSFORM names PREPEND ${prefix})
  list(JOIN names "\n" lines)
  list(JOIN names ";\n    " globals)
  list(JOIN names "\n  " exports)
  file(CONFIGURE OUTPUT ${folder}/aoti_cuda_shims.txt CONTENT "@lines@\n" @ONLY)
  file(CONFIGURE OUTPUT ${folder}/aoti_cuda_shims.map CONTENT "{\n  global:\n    @globals@;\n  local:\n    *;\n};\n" @ONLY)
  file(CONFIGURE OUTPUT ${folder}/aoti_cuda_shims.def CONTENT "LIBRARY aoti_cuda_shims.dll\nEXPORTS\n  @exports@\n" @ONLY)
endfunction()

function(executorch_cuda_import_library folder)
  find_program(EXECUTORCH_DLLTOOL x86_64-w64-mingw32-dlltool)
  if(NOT EXECUTORCH_DLLTOOL)
    message(STATUS "no import library for Windows: x86_64-w64-mingw32-dlltool was not found")
    return()
  endif()
  add_custom_command(
    OUTPUT ${folder}/aoti_cuda_shims.lib
    COMMAND ${EXECUTORCH_DLLTOOL} --input-def ${folder}/aoti_cuda_shims.def --output-lib ${folder}/aoti_cuda_shims.lib
    DEPENDS ${folder}/aoti_cuda_shims.def
    VERBATIM)
  add_custom_target(aoti_cuda_shims_import_library ALL DEPENDS ${folder}/aoti_cuda_shims.lib)
  install(FILES ${folder}/aoti_cuda_shims.lib DESTINATION data/lib COMPONENT sdk)
endfunction()
