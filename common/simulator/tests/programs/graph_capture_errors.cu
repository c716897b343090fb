// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// What must not happen during a capture, and the error that says so; the capture is then lost, the stream is
// not.
#include <thread>

#include "expect.h"

__global__ void nothing() {}

static cudaStream_t stream, side;

static void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
  OK(cudaStreamBeginCapture(stream, mode));
}
static void expect_end(cudaError_t expected) {
  cudaGraph_t graph = nullptr;
  EXPECT_RESULT(expected, cudaStreamEndCapture(stream, &graph));
  EXPECT((graph != nullptr) == (expected == cudaSuccess));
  if (graph) OK(cudaGraphDestroy(graph));
  cudaGetLastError();
  nothing<<<1, 1, 0, stream>>>();
  OK(cudaStreamSynchronize(stream));
}

int main() {
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamCreate(&side));
  cudaEvent_t event, outside;
  OK(cudaEventCreate(&event));
  OK(cudaEventCreate(&outside));
  cudaGraph_t graph;
  void* p = nullptr;
  EXPECT_RESULT(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));
  EXPECT_RESULT(cudaErrorStreamCaptureUnsupported,
                cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));

  begin();
  EXPECT_RESULT(cudaErrorIllegalState, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  expect_end(cudaSuccess);

  // Waiting for what does not run.
  begin();
  EXPECT_RESULT(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusInvalidated);
  nothing<<<1, 1, 0, stream>>>();
  EXPECT(cudaGetLastError() == cudaErrorStreamCaptureInvalidated);
  expect_end(cudaErrorStreamCaptureInvalidated);
  begin();
  EXPECT_RESULT(cudaErrorStreamCaptureUnsupported, cudaStreamQuery(stream));
  expect_end(cudaErrorStreamCaptureInvalidated);
  begin();
  EXPECT_RESULT(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
  expect_end(cudaErrorStreamCaptureInvalidated);

  // Calls that no capture sees: forbidden unless the mode is relaxed, here or for this thread.
  begin();
  EXPECT_RESULT(cudaErrorStreamCaptureUnsupported, cudaMalloc(&p, 16));
  expect_end(cudaErrorStreamCaptureInvalidated);
  begin(cudaStreamCaptureModeRelaxed);
  OK(cudaMalloc(&p, 16));
  OK(cudaFree(p));
  expect_end(cudaSuccess);
  begin();
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == cudaStreamCaptureModeGlobal);
  OK(cudaMalloc(&p, 16));
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  expect_end(cudaSuccess);
  begin(cudaStreamCaptureModeThreadLocal);
  std::thread([&] {
    void* q = nullptr;
    OK(cudaMalloc(&q, 16));
    OK(cudaFree(q));
  }).join();
  expect_end(cudaSuccess);

  // The legacy default stream would wait for the captured one.
  begin();
  EXPECT_RESULT(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(cudaStreamLegacy, &status));
  nothing<<<1, 1>>>();
  EXPECT(cudaGetLastError() == cudaErrorStreamCaptureImplicit);
  expect_end(cudaErrorStreamCaptureInvalidated);

  // A branch that nobody waits for; an end in the wrong stream; an end in the wrong thread.
  begin();
  OK(cudaEventRecord(event, stream));
  OK(cudaStreamWaitEvent(side, event, 0));
  nothing<<<1, 1, 0, side>>>();
  expect_end(cudaErrorStreamCaptureUnjoined);
  begin();
  OK(cudaEventRecord(event, stream));
  OK(cudaStreamWaitEvent(side, event, 0));
  EXPECT_RESULT(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(side, &graph));
  expect_end(cudaErrorStreamCaptureInvalidated);
  begin();
  std::thread([&] {
    EXPECT_RESULT(cudaErrorStreamCaptureWrongThread, cudaStreamEndCapture(stream, &graph));
  }).join();
  if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) OK(cudaGraphDestroy(graph));
  cudaGetLastError();

  // Dependencies across the border of the capture, in both directions, and between two captures.
  OK(cudaEventRecord(outside, side));
  begin();
  EXPECT_RESULT(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(stream, outside, 0));
  expect_end(cudaErrorStreamCaptureInvalidated);
  begin();
  OK(cudaEventRecord(event, stream));
  EXPECT_RESULT(cudaErrorCapturedEvent, cudaEventSynchronize(event));
  expect_end(cudaErrorStreamCaptureInvalidated);
  begin();
  OK(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(event, side));
  EXPECT_RESULT(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(stream, event, 0));
  EXPECT_RESULT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(side, &graph));
  expect_end(cudaErrorStreamCaptureInvalidated);
  return 0;
}
