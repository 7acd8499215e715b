"""A webhook that asks to be called later: how long is waited for it."""

import pytest

from lumos_snap.ci.webhook import webhook
from tests.world.pipelines.servers import Answer, Asked, listening


@pytest.mark.parametrize(
    ("told", "waited"),
    [
        ({}, 1.0),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After": "3600"}, 60.0),
        ({"Retry-After": "-1"}, 0.0),
        ({"Retry-After": "nan"}, 0.0),
        ({"Retry-After": "Thu, 19 Nov 2026 10:00:00 GMT"}, 1.0),
    ],
)
def test_a_message_is_sent_again_after_the_time_that_the_webhook_asks_for(
    told: dict[str, str], waited: float
) -> None:
    answers = [Answer(429, b"", told), Answer(200, b"ok")]
    waits: list[float] = []

    def answer(_asked: Asked) -> Answer:
        return answers.pop(0)

    with listening(answer) as server:
        webhook(f"{server.address}/hook", waits.append).post({"text": "hello"})
    assert answers == []
    assert waits == [waited]
