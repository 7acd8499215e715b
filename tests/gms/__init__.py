"""A server that speaks DataHub's wire contract, for tests; what it does stands in README.md."""

from tests.gms.asked import Asked, Record
from tests.gms.faults import Fault, Faults, Kind
from tests.gms.gms import Gms
from tests.gms.messages import Wrote
from tests.gms.running import running
from tests.gms.state import Wire

__all__ = ["Asked", "Fault", "Faults", "Gms", "Kind", "Record", "Wire", "Wrote", "running"]
