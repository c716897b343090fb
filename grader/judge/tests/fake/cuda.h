// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a submission in the judge's tests can do to the CUDA runtime that it shares a process with.
inline float fake_event_scale = 1;                            ///< on every time between two events
inline unsigned fake_first_contact_ms = 0;                    ///< what the first allocation takes longer
inline void (*fake_before_copy)(const void* from) = nullptr;  ///< called by every copy, until memory is freed
/// Lines that a submission asked L2 to keep are there until a reset that finds no share of L2 set aside.
inline bool fake_persisting_lines = false;
/// Launches that a closed gate lets wait; 0: this device has no kernels, no gate and no clock.
inline unsigned fake_queue = 0;
/// Launches of a "kernel": where the queue behind a closed gate is full they wait until the gate gives up.
void fake_launch(unsigned count);
