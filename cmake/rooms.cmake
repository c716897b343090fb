# Rooms: a folder of sources that says which other rooms its files may include. `room()` knows only rooms that were
# declared before it, so there is no circle; a file with another include does not build (cmake/room_includes.cmake
# names it). Two static libraries that use each other still link, so that linking alone would prove nothing.
#
#   set(ROOM_PREFIX grader)                       rooms below are called grader/NAME in includes
#   room(judge base result simulator/host)        grader/judge/*.cpp; may include these and itself
#
# A need without a slash is a room of the same prefix where there is one, else a folder of common/ ("random").

# check_includes(STAMP ALLOWED FILES): STAMP is made when FILES include nothing but what is ALLOWED.
function(check_includes stamp allowed files)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} "-DALLOWED=${allowed}" "-DFILES=${files}" -DSTAMP=${stamp} -DSOURCE=${CMAKE_SOURCE_DIR}
      -P ${CMAKE_SOURCE_DIR}/cmake/room_includes.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/room_includes.cmake
    COMMENT "Includes checked: ${stamp}" VERBATIM)
endfunction()

# room_check(NAME STAMP_VARIABLE NEEDS...): only the includes; for rooms whose sources are compiled elsewhere.
function(room_check name stamp_variable)
  set(allowed ${ROOM_PREFIX}/${name})
  foreach(need ${ARGN})
    if(NOT need MATCHES "/" AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${need})
      set(need ${ROOM_PREFIX}/${need})
    endif()
    get_property(known GLOBAL PROPERTY ROOMS)
    if(need MATCHES "/" AND NOT need IN_LIST known)
      message(FATAL_ERROR "room ${ROOM_PREFIX}/${name} needs ${need}, which is no room declared before it")
    endif()
    list(APPEND allowed ${need})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY ROOMS ${ROOM_PREFIX}/${name})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${name}/*.h ${name}/*.cpp)
  list(FILTER files EXCLUDE REGEX "/tests/")
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${name}.includes)
  check_includes(${stamp} "${allowed}" "${files}")
  set(${stamp_variable} ${stamp} PARENT_SCOPE)
endfunction()

# room_headers(LIBRARY NAMES...): the headers of these rooms are LIBRARY's; each must compile alone
# (target all_verify_interface_header_sets, where CMAKE_VERIFY_INTERFACE_HEADER_SETS is on). A header that its own .cpp
# includes before anything else is compiled alone with that .cpp by the preset dev, but for the standard library, which is
# precompiled there: .ci/includes asks for its headers.
function(room_headers library)
  list(TRANSFORM ARGN APPEND /*.h OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${patterns})
  list(FILTER found EXCLUDE REGEX "/tests/")
  set(headers "")
  foreach(header ${found})
    string(REGEX REPLACE "h$" "cpp" source ${header})
    set(first "")
    if(EXISTS ${source})
      file(STRINGS ${source} first LIMIT_COUNT 1 REGEX "^#include")
    endif()
    cmake_path(GET header FILENAME name)
    if(NOT first MATCHES "/${name}\"$")
      list(APPEND headers ${header})
    endif()
  endforeach()
  get_target_property(type ${library} TYPE)
  set(scope PUBLIC)
  if(type STREQUAL INTERFACE_LIBRARY)
    set(scope INTERFACE)
  endif()
  target_sources(${library} ${scope} FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR} FILES ${headers})
endfunction()

# room(NAME NEEDS...): the static library PREFIX_NAME of NAME/*.cpp.
function(room name)
  room_check(${name} stamp ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${name}/*.cpp)
  set(library ${ROOM_PREFIX}_${name})
  add_library(${library} STATIC ${sources} ${stamp})
  target_include_directories(${library} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/common)
  target_link_libraries(${library} PUBLIC roofline_warnings)
  room_headers(${library} ${name})
  foreach(need ${ARGN})
    if(NOT need MATCHES "/")
      set(need ${ROOM_PREFIX}/${need})
    endif()
    string(REPLACE "/" "_" needed ${need})
    if(TARGET ${needed})  # a room that is only checked has none
      target_link_libraries(${library} PUBLIC ${needed})
    endif()
  endforeach()
endfunction()

# every_folder_is_a_room(EXCEPT...): a new folder of sources that nobody declared is an error.
function(every_folder_is_a_room)
  file(GLOB files RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS */*.h */*.cpp)
  get_property(rooms GLOBAL PROPERTY ROOMS)
  foreach(file ${files})
    get_filename_component(folder ${file} DIRECTORY)
    if(NOT folder IN_LIST ARGN AND NOT ${ROOM_PREFIX}/${folder} IN_LIST rooms)
      message(FATAL_ERROR "${ROOM_PREFIX}/${folder} holds sources and is no room: say with room() what it may include")
    endif()
  endforeach()
endfunction()
