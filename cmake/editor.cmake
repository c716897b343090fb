# build/editor/compile_commands.json: how clangd reads CUDA files (.clangd names it). nvcc's own command lines mean
# nothing to it, and learners' files are not compiled by CMake.
file(GLOB editor_files RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS
  labs/*/*.cu labs/*/*.h labs/*/experiments/*.cu solutions/*/*.cu solutions/*/variants/*.cu solutions/*/variants/*/*.cu
  solutions/*/wrong/*.cu solutions/*/wrong/*/*.cu common/roofs/*.cu common/roofs/*.h common/chain/*.h common/feed/*.h common/gradients/*.h common/cuda/*.h)
list(REMOVE_ITEM editor_files common/cuda/editor.h)
set(editor_commands "")
foreach(file ${editor_files})
  string(REGEX MATCH "^(labs|solutions)/[^/]+" folder ${file})
  string(REPLACE "solutions/" "labs/" folder "${folder}")
  set(arguments clang++ -xcuda --cuda-host-only --cuda-path=${ROOFLINE_CUDA_HOME} --cuda-gpu-arch=sm_80 -nocudainc -nocudalib
    -Xclang -fcuda-allow-variadic-functions -Wno-unknown-cuda-version -Wno-unused-command-line-argument -std=c++20
    -isystem ${ROOFLINE_CUDA_INCLUDE} -isystem ${ROOFLINE_CUDA_INCLUDE}/cccl -include ${CMAKE_SOURCE_DIR}/common/cuda/editor.h
    -I${CMAKE_SOURCE_DIR}/common -I${CMAKE_SOURCE_DIR})
  if(folder)
    list(APPEND arguments -I${CMAKE_SOURCE_DIR}/${folder})
  endif()
  list(APPEND arguments -fsyntax-only ${CMAKE_SOURCE_DIR}/${file})
  list(JOIN arguments "\", \"" arguments)
  list(APPEND editor_commands
    "  {\"directory\": \"${CMAKE_SOURCE_DIR}\", \"file\": \"${CMAKE_SOURCE_DIR}/${file}\", \"arguments\": [\"${arguments}\"]}")
endforeach()
list(JOIN editor_commands ",\n" editor_commands)
file(CONFIGURE OUTPUT ${CMAKE_SOURCE_DIR}/build/editor/compile_commands.json CONTENT "[\n@editor_commands@\n]\n" @ONLY)
