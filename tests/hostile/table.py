"""All rows of the hostile table, by area."""

from tests.hostile.trick import Trick
from tests.hostile.tricks import bounded, links, paths, policy, repositories

TRICKS: tuple[Trick, ...] = (
    *bounded.TRICKS,
    *links.TRICKS,
    *paths.TRICKS,
    *policy.TRICKS,
    *repositories.TRICKS,
)
