"""Who is who: our names there, and theirs here."""

import pytest
from datahub.metadata.urns import DatasetUrn, Urn
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import (
    UrnMapper,
    collisions,
    escape_urn_part,
    field_urn,
    fits,
    of_field_urn,
)
from lumos_snap.errors import LumosError
from tests.strategies import SMALL
from tests.strategies.datahub import identities
from tests.strategies.texts import short_texts
from tests.strategies.urns import urns

DEFAULT = UrnMapper(NamingSettings())

EXAMPLES = (
    ("lumos://s3/lake/raw/clicks", "(urn:li:dataPlatform:s3,lake/raw/clicks,PROD)"),
    (
        "lumos://postgres/shop/public/orders",
        "(urn:li:dataPlatform:postgres,shop.public.orders,PROD)",
    ),
    ("lumos://postgres/shop/odd.name", "(urn:li:dataPlatform:postgres,shop.odd%2Ename,PROD)"),
    ("lumos://kafka/prod/events.clicks", "(urn:li:dataPlatform:kafka,prod/events.clicks,PROD)"),
    ("lumos://s3/a,b/(c)", "(urn:li:dataPlatform:s3,a%2Cb/%28c%29,PROD)"),
    ("lumos://s3/a/50%25", "(urn:li:dataPlatform:s3,a/50%25,PROD)"),
    ("lumos://s3/a/%FF", "(urn:li:dataPlatform:s3,a/%FF,PROD)"),
    ("lumos://s3/a/b%2Fc", "(urn:li:dataPlatform:s3,a/b%2Fc,PROD)"),
    ("lumos://s3/ a/b ", "(urn:li:dataPlatform:s3,%20a/b%20,PROD)"),
)


@pytest.mark.parametrize(("ours", "theirs"), EXAMPLES, ids=[ours for ours, _ in EXAMPLES])
def test_a_dataset_has_a_name_there_that_leads_back(ours: str, theirs: str) -> None:
    assert DEFAULT.dataset(ours) == f"urn:li:dataset:{theirs}"
    assert DEFAULT.of_dataset(f"urn:li:dataset:{theirs}") == ours


def test_instance_environment_platform_and_template_stand_in_the_name() -> None:
    naming = NamingSettings(
        environment="DEV", instance="eu", template="lake/{path}", platforms={"abfs": "abs"}
    )
    identity = UrnMapper(naming)
    theirs = identity.dataset("lumos://abfs/box/orders")
    assert theirs == "urn:li:dataset:(urn:li:dataPlatform:abs,eu.lake/box/orders,DEV)"
    assert identity.of_dataset(theirs) == "lumos://abfs/box/orders"


@SMALL
@given(identities, urns.map(str))
def test_every_dataset_comes_back_under_every_setting(identity: UrnMapper, ours: str) -> None:
    theirs = identity.dataset(ours)
    assert identity.of_dataset(theirs) == ours
    assert str(DatasetUrn.from_string(theirs)) == theirs


FOREIGN = (
    "urn:li:dataset:(urn:li:dataPlatform:hive,db.table,QA)",
    "urn:li:dataset:(urn:li:dataPlatform:hive,db..table,PROD)",
    "urn:li:dataset:(urn:li:dataPlatform:hive,a%2cb,PROD)",
    "urn:li:dataset:(urn:li:dataPlatform:Hive,db.table,PROD)",
    "urn:li:dataset:(urn:li:dataPlatform:hive,100%,PROD)",
    "urn:li:dataset:(urn:li:dataPlatform:hive, x,PROD)",
)


@pytest.mark.parametrize("theirs", FOREIGN)
def test_a_name_that_none_of_ours_leads_to_stands_for_itself(theirs: str) -> None:
    ours = DEFAULT.of_dataset(theirs)
    assert ours.startswith("lumos://datahub/")
    assert DEFAULT.dataset(ours) == theirs


@SMALL
@given(
    identities,
    st.from_regex(
        r"urn:li:dataset:\(urn:li:dataPlatform:[a-zA-Z]{1,4},[ -~é]{1,12},(PROD|DEV|X)\)",
        fullmatch=True,
    ),
)
def test_every_dataset_of_theirs_has_a_name_here(identity: UrnMapper, theirs: str) -> None:
    assert identity.dataset(identity.of_dataset(theirs)) == theirs


@SMALL
@given(st.sampled_from(("tag", "corpuser", "glossaryTerm", "domain")), short_texts)
def test_every_id_comes_back(kind: str, name: str) -> None:
    theirs = DEFAULT.entity(kind, name)
    assert DEFAULT.of_entity(theirs) == name
    assert str(Urn.from_string(theirs)) == theirs


@SMALL
@given(st.text(min_size=1, max_size=10))
def test_every_tag_of_theirs_has_an_id_here(rest: str) -> None:
    theirs = f"urn:li:tag:{rest}"
    assert DEFAULT.entity("tag", DEFAULT.of_entity(theirs)) == theirs


@SMALL
@given(short_texts)
def test_every_job_comes_back(name: str) -> None:
    assert DEFAULT.of_job(DEFAULT.job(name)) == name
    assert str(Urn.from_string(DEFAULT.job(name))) == DEFAULT.job(name)


def test_a_job_of_another_flow_stands_for_itself() -> None:
    theirs = "urn:li:dataJob:(urn:li:dataFlow:(airflow,etl,PROD),load)"
    assert DEFAULT.of_job(theirs) is None
    assert DEFAULT.job(theirs) == theirs


def test_a_job_of_ours_that_is_called_like_one_of_others_is_another_one() -> None:
    theirs = "urn:li:dataJob:(urn:li:dataFlow:(airflow,etl,PROD),load)"
    flow = DEFAULT.job("x").removesuffix(",x)")
    odd = f"{flow},{escape_urn_part(theirs)})"
    assert DEFAULT.of_job(odd) is None
    assert DEFAULT.job(odd) == odd


def test_a_column_is_named_as_datahubs_own_pages_name_it() -> None:
    dataset = DEFAULT.dataset("lumos://s3/a/b")
    urn = field_urn(dataset, "a(b),c")
    assert urn == f"urn:li:schemaField:({dataset},a%28b%29%2Cc)"
    assert of_field_urn(urn) == (dataset, "a(b),c")
    assert of_field_urn("urn:li:schemaField:(x)") is None
    assert of_field_urn(dataset) is None


def test_a_urn_has_512_bytes_as_they_stand_in_a_url() -> None:
    start = len("urn%3Ali%3Atag%3A")
    assert fits("urn:li:tag:" + "x" * (512 - start))
    assert not fits("urn:li:tag:" + "x" * (513 - start))
    assert not fits("urn:li:tag:" + "é" * 100)


def test_what_would_be_one_there_is_found_before_it_is_written() -> None:
    identity = UrnMapper(
        NamingSettings(platforms={"s3a": "s3"}, separators={"s3": "/", "s3a": "/"})
    )
    urns = ("lumos://s3/a/b", "lumos://s3a/a/b", "lumos://s3/a/c", "lumos://s3/a/C", "lumos://s3/d")
    by_case, exact = collisions(identity, urns)
    assert exact.ours == ("lumos://s3/a/b", "lumos://s3a/a/b")
    assert exact.is_exact
    assert by_case.ours == ("lumos://s3/a/C", "lumos://s3/a/c")
    assert not by_case.is_exact


@SMALL
@given(identities, st.lists(urns.map(str), max_size=6))
def test_datasets_collide_by_letter_case_alone(identity: UrnMapper, listed: list[str]) -> None:
    for one in collisions(identity, listed):
        assert len(set(one.ours)) > 1
        assert len({theirs.lower() for theirs in map(identity.dataset, one.ours)}) == 1
        assert not one.is_exact


@pytest.mark.parametrize(
    "wrong",
    [
        {"environment": "LIVE"},
        {"template": "all"},
        {"template": "{path}{path}"},
        {"instance": "a,b"},
        {"template": "({path})"},
        {"separators": {"s3": ""}},
        {"separators": {"s3": "x"}},
    ],
    ids=str,
)
def test_settings_that_would_lose_names_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(LumosError):
        NamingSettings(**wrong)  # type: ignore[arg-type] # what a configuration may say
