# SPDX-License-Identifier: GPL-3.0-or-later
"""What machines and scenarios have in common."""

import unittest

check = unittest.TestCase()
check.maxDiff = None
