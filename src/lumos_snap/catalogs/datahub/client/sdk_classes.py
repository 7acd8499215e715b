"""Aspects as DataHub's own classes: the only module here that loads its SDK."""

import importlib.util
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lumos_snap.errors import LumosError, OutsideError

if TYPE_CHECKING:
    from datahub.metadata.schema_classes import _Aspect

EXTRA = "datahub"


def require() -> None:
    """See to it that the SDK can be loaded, and that it calls nobody once it is."""
    if importlib.util.find_spec(EXTRA) is None:
        raise LumosError(
            "DataHub's package is not installed",
            hint=f"run `pip install 'lumos-snap[{EXTRA}]'`",
        )
    os.environ["DATAHUB_TELEMETRY_ENABLED"] = "false"


def as_class(name: str, aspect: Mapping[str, Any]) -> "_Aspect":
    """An aspect as an object of the SDK's, which is what its writers take.

    Raises `OutsideError` where the SDK would not take it.
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


def _invalid_aspect_error(name: str, aspect: Mapping[str, Any]) -> OutsideError:
    return OutsideError(f"DataHub's classes do not take {name!r} as it is: {aspect!r:.200}")


def as_json(aspect: "_Aspect") -> dict[str, Any]:
    """An object of the SDK's as plain JSON, in the words of the wire."""
    from datahub.emitter.serialization_helper import pre_json_transform

    found: dict[str, Any] = pre_json_transform(aspect.to_obj())
    return found
