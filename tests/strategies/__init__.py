"""Hypothesis strategies for everything that is stored, and the settings that laws run with."""

import os

from hypothesis import HealthCheck, settings

# `make check` draws fewer examples, to be over soon; `make test` draws them all.
SHARE = 4 if os.environ.get("QUICK_LAWS") else 1

# Documents are large to draw; that is what these tests are about.
LAW = settings(
    max_examples=80 // SHARE,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
SMALL = settings(LAW, max_examples=250 // SHARE)
