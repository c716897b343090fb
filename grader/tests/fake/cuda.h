// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a submission in the judge's tests can do to the CUDA runtime that it shares a process with.
inline float fake_event_scale = 1;                            ///< on every time between two events
inline unsigned fake_first_contact_ms = 0;                    ///< what the first allocation takes longer
inline void (*fake_before_copy)(const void* from) = nullptr;  ///< called by every copy, until memory is freed
