# The CUDA toolkit. CMake's own CUDA language is not used: learners' files are compiled by the grader.
if(NOT ROOFLINE_CUDA_HOME)  # ./lab gives what it found
  execute_process(COMMAND bash ${CMAKE_SOURCE_DIR}/cmake/cuda_home OUTPUT_VARIABLE found)
  if(NOT found)
    message(FATAL_ERROR "No nvcc of CUDA 13 was found. Run ./lab setup, which installs it into .lab/cuda.")
  endif()
  set(ROOFLINE_CUDA_HOME ${found} CACHE PATH "CUDA toolkit" FORCE)
endif()
set(ROOFLINE_CUDA_INCLUDE ${ROOFLINE_CUDA_HOME}/include)
if(NOT EXISTS ${ROOFLINE_CUDA_INCLUDE}/cuda_runtime_api.h)
  message(FATAL_ERROR "No cuda_runtime_api.h in ${ROOFLINE_CUDA_INCLUDE}. Run ./lab setup.")
endif()
