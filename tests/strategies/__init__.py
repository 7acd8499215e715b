"""Hypothesis strategies for everything that is stored, and the settings that laws run with."""

from hypothesis import HealthCheck, settings

# Documents are large to draw; that is what these tests are about.
LAW = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
SMALL = settings(LAW, max_examples=250)
