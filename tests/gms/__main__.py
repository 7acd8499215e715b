"""Run a server by itself: `python -m tests.gms --port 0` prints its address, and serves."""

import argparse
import signal
import threading

from tests.gms.launch import running


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.gms", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes one that is free")
    parser.add_argument("--token", help="without it, everybody may do everything")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds added to each request")
    parser.add_argument("--lag", type=float, default=0.0, help="seconds until searches see writes")
    parser.add_argument("--retention", type=int, default=20, help="versions kept of an aspect")
    given = parser.parse_args()
    over = threading.Event()
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda *_: over.set())
    with running(token=given.token, port=given.port, retention=given.retention) as gms:
        gms.latency, gms.lag = given.latency, given.lag
        print(gms.url, flush=True)  # noqa: T201 - this is a program
        over.wait()


if __name__ == "__main__":
    main()
