"""Conversion between JSON aspects and the SDK's classes."""

import importlib.util
import os
from typing import TYPE_CHECKING, Any

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.json_object import JsonObject

if TYPE_CHECKING:
    from datahub.metadata.schema_classes import _Aspect

EXTRA = "datahub"


def require() -> None:
    """Check that the SDK is installed, and disable its telemetry."""
    if importlib.util.find_spec(EXTRA) is None:
        raise LumosError(
            "DataHub's package is not installed",
            hint=f"run `pip install 'lumos-snap[{EXTRA}]'`",
        )
    os.environ["DATAHUB_TELEMETRY_ENABLED"] = "false"


def as_class(name: str, aspect: JsonObject) -> "_Aspect":
    """Convert an aspect to an object of the SDK, as its writers require.

    Raises `OutsideError` if the SDK rejects it.
    """
    require()
    from avro.errors import AvroException  # noqa: PLC0415 - a part of DataHub's package
    from datahub.emitter.serialization_helper import post_json_transform
    from datahub.metadata.schema_classes import ASPECT_NAME_MAP

    try:
        found = ASPECT_NAME_MAP[name].from_obj(post_json_transform(dict(aspect)))
        is_right = found.validate()
    except (KeyError, TypeError, ValueError, AvroException) as exc:
        raise _invalid_aspect_error(name, aspect) from exc
    if not is_right:
        raise _invalid_aspect_error(name, aspect)
    return found


def _invalid_aspect_error(name: str, aspect: JsonObject) -> OutsideError:
    return OutsideError(f"DataHub's classes do not take {name!r} as it is: {aspect!r:.200}")


def as_json(aspect: "_Aspect") -> JsonObject:
    """Convert an object of the SDK to plain JSON with the names of the wire format."""
    from datahub.emitter.serialization_helper import pre_json_transform

    found: dict[str, Any] = pre_json_transform(aspect.to_obj())
    return found
