# joined(TARGET [FOLDER...]): compiles the sources of a folder together, a dozen at a time; of all folders, or of these. Most of
# the time of a build goes into headers: this halves it. Who changes the code builds with the preset `dev`, where a change
# compiles one file and a missing include shows; a helper that is called as one in another file of its folder does not compile
# here, and needs a better name.
set(JOINED_FILES 12)

function(joined target)
  if(NOT ROOFLINE_JOINED)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source EXTENSION LAST_ONLY extension)
    if(NOT extension STREQUAL ".cpp")
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME name)
    if(ARGN AND NOT name IN_LIST ARGN)
      continue()
    endif()
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    math(EXPR count_${folder} "${count_${folder}} + 1")
    math(EXPR batch "${count_${folder}} / ${JOINED_FILES}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
