# SPDX-FileCopyrightText: Roofline Labs contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs CUDA programs on a simulated GPU. The work is done by the program beside this file."""
import os
import sys


def main():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "simulated-gpu")
    os.execv(program, [program] + sys.argv[1:])
