// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Events.
#include "simulator/driver/frame.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

CUresult cuEventCreate(CUevent* made, unsigned flags) {
  return make(Resource::kEvent, made, [&] { return cudaEventCreateWithFlags(made, flags); });
}
CUresult cuEventDestroy_v2(CUevent event) {
  return unmake(u64(event), [&] { return cudaEventDestroy(event); });
}
CUresult cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return in_context([&] { return cudaEventRecord(event, given(stream)); });
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return in_context([&] { return cudaEventRecordWithFlags(event, given(stream), flags); });
}
CUresult cuEventQuery(CUevent event) {
  return in_context([&] { return cudaEventQuery(event); });
}
CUresult cuEventSynchronize(CUevent event) {
  return in_context([&] { return cudaEventSynchronize(event); });
}
CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  return in_context([&] { return cudaEventElapsedTime(milliseconds, start, end); });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}
