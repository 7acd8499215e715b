"""All rows of the hostile table, by area."""

from tests.hostile.trick import Trick
from tests.hostile.tricks import links, policy, repositories

TRICKS: tuple[Trick, ...] = (*links.TRICKS, *policy.TRICKS, *repositories.TRICKS)
