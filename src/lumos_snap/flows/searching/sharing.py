"""The quality that somebody asks for."""

from decimal import Decimal, InvalidOperation

from lumos_snap.errors import LumosError

HUNDRED = Decimal(100)


def least_share(text: str) -> Decimal:
    """The share that somebody asks for: `0.9`, `90` and `90%` are one."""
    try:
        number = Decimal(text.strip().removesuffix("%"))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or not 0 <= number <= HUNDRED:
        raise LumosError(f"{text!r} is no quality", hint="give a share or a percentage: 0.9, 90%")
    return number / HUNDRED if number > 1 or text.strip().endswith("%") else number
