"""A server that speaks DataHub's wire contract, for tests; what it does stands in README.md."""

from tests.gms.faults import Fault, Faults, Kind
from tests.gms.gms import Gms
from tests.gms.launch import running
from tests.gms.messages import Wrote
from tests.gms.request_log import Asked, Record
from tests.gms.state import Wire

__all__ = ["Asked", "Fault", "Faults", "Gms", "Kind", "Record", "Wire", "Wrote", "running"]
