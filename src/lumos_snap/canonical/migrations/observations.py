"""What was measured of an older dataset: it goes to an observation, never to the snapshot."""

from lumos_snap.canonical.migrations.leftovers import Left
from lumos_snap.canonical.migrations.result import Document
from lumos_snap.canonical.migrations.values import amount, filled, moment, natural, text

_COST = {
    "storage": "monthly_storage_cost",
    "compute": "monthly_compute_cost",
    "transfer": "monthly_transfer_cost",
}


def measurements(left: Left) -> Document:
    """The sections of an observation."""
    return filled(
        {"data": _data(left), "quality": _quality(left), "cost": _cost(left), "usage": _usage(left)}
    )


def _data(left: Left) -> Document:
    said = left.at("statistics")
    rows = said.take("row_count", as_=natural)
    estimate = said.take("row_count_estimate", as_=natural) if rows is None else None
    return filled(
        {
            "files": said.take("file_count", as_=natural),
            "bytes": said.take("total_size_bytes", as_=natural),
            "rows": estimate if rows is None else rows,
            "rows_estimated": None if estimate is None else True,
            "last_modified": said.take("last_modified", as_=moment)
            or left.take("timestamps", "last_modified", as_=moment),
        }
    )


def _quality(left: Left) -> Document:
    said = left.at("quality")
    score = said.take("score", as_=amount) or said.take("quality_score", as_=amount)
    found: dict[str, str] = {}
    for name, node in (*said.at("quality_metrics").entries(), *said.entries()):
        value = node.take(as_=amount) if name and name not in found else None
        if value is not None:
            found[name] = value
    return filled(
        {
            "score": score,
            "freshness": said.take("freshness", as_=moment),
            "profiled_at": said.take("last_profiled", as_=moment),
            "metrics": [{"name": name, "value": value} for name, value in found.items()],
        }
    )


def _cost(left: Left) -> Document:
    said = left.at("cost")
    return filled(
        {
            "currency": said.take("currency", as_=text),
            **{key: said.take(older, as_=amount) for key, older in _COST.items()},
            "calculated_at": said.take("last_calculated", as_=moment),
        }
    )


def _usage(left: Left) -> Document:
    said = left.at("timestamps")
    return filled(
        {
            "created_at": said.take("created", as_=moment),
            "last_accessed": said.take("last_accessed", as_=moment),
        }
    )
