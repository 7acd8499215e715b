"""A column that git renames keeps what people wrote about it in the pages."""

from typing import Any

import pytest

from tests.datahub.home import Home
from tests.datahub.hub import Hub


def columns(*names: str) -> Any:
    fields = [
        {"name": name, "type": "STRING", "nullable": True, "id": number}
        for number, name in enumerate(names, start=1)
    ]
    return {"fields": fields}


@pytest.mark.parametrize("is_declared", [False, True])
def test_words_tags_and_terms_arrive_under_the_new_name(
    home: Home, hub: Hub, *, is_declared: bool
) -> None:
    urn = home.put("a", schema=columns("id", "amount"))
    home.put_entity("tag", "money")
    home.push()
    tag = {"tag": f"urn:li:tag:{home.named('money')}"}
    marks = {"description": "In euro", "globalTags": {"tags": [tag]}}
    told = {"editableSchemaFieldInfo": [{"fieldPath": "amount", **marks}]}
    hub.write(urn, "editableSchemaMetadata", told)
    schema = columns("id", "price")
    more = {}
    if is_declared:
        schema["fields"][1].pop("id")
        more = {"contract": {"fields": [{"path": "price", "renamed_from": "amount"}]}}
    home.change("a", schema=schema, **more)
    home.push()
    (held,) = hub.value(urn, "editableSchemaMetadata")["editableSchemaFieldInfo"]
    assert (held["fieldPath"], held["description"]) == ("price", "In euro")
    assert [one["tag"] for one in held["globalTags"]["tags"]] == [tag["tag"]]
    assert not (held["globalTags"]["tags"][0].get("attribution") or {}).get("source")
    home.pull()
    assert home.read("a")["documentation"]["fields"] == [
        {"path": "price", "description": "In euro"}
    ]
    assert home.read("a")["governance"]["fields"] == [
        {"path": "price", "tags": [home.named("money")]}
    ]
    assert home.is_settled()
