"""What each rule looks like from the other side: the rule of the reversed change.

Going back swaps the directions: what `history` said of a change, `consumers` says of its reversal.
Where that does not hold, the reason stands here. All of it is verified on the fixtures.
"""

from collections.abc import Mapping
from typing import NamedTuple


class Mirror(NamedTuple):
    """The rule that the reversed change falls under, and why levels do not swap, where they do not.

    Informational and non-breaking changes are alike here: neither harms anybody.
    """

    rule: str
    uneven: str = ""


GONE = (
    "what old data lacks is filled in, or nobody asks for it; a query that names what is gone fails"
)
NAMED = (
    "stored data is found where the new snapshot says; queries that say the old name or "
    "place fail, whichever way it goes"
)
PROMISE = (
    "a promise that is taken back hurts those who relied on it; one that is given hurts nobody"
)
ABSENT = "a mark on no column leaves another one bare; taking it away harms nobody"
NEW_DATA = (
    "readers of new data lose what it lacks, and find it again once it is there; stored data is as "
    "it was"
)
GUARD = "a guard that goes lets through what it held back; one that comes does not"
SPARE = "stored data needs what is lost; what is gained only helps"
OLD_ROWS = (
    "only rows that are stored already are read with it, so the change hurts history and "
    "not new data"
)
ANY_WAY = "consumers planned with the old state, whichever way it goes; stored data is as it was"

MIRRORS: Mapping[str, Mirror] = {
    "GV025": Mirror("GV012", ABSENT),
    "GV012": Mirror("GV006"),
    "GV013": Mirror("GV013"),
    "GV014": Mirror("GV014"),
    "GV001": Mirror("GV002", GUARD),
    "GV003": Mirror("GV002", GUARD),
    "GV007": Mirror("GV002", GUARD),
    "GV002": Mirror("GV001", GUARD),
    "GV004": Mirror("GV011"),
    "GV011": Mirror("GV011"),
    "GV005": Mirror("GV005"),
    "GV009": Mirror("GV009"),
    "GV008": Mirror("GV008", ANY_WAY),
    "GV015": Mirror("GV015"),
    "GV024": Mirror("GV024"),
    "PT007": Mirror("PT008", PROMISE),
    "PT008": Mirror("PT007", PROMISE),
    "GV006": Mirror("GV006"),
    "GV010": Mirror("GV010"),
    "GV016": Mirror("GV016"),
    "DS005": Mirror("DS002"),
    "DS001": Mirror("DS002", GONE),
    "DS002": Mirror("DS001", GONE),
    "DS003": Mirror("DS003", NAMED),
    "DS007": Mirror("DS016", PROMISE),
    "DS008": Mirror("DS008"),
    "DS016": Mirror("DS007", PROMISE),
    "DS009": Mirror("DS010", PROMISE),
    "DS010": Mirror("DS009", PROMISE),
    "DS011": Mirror("DS013", PROMISE),
    "DS013": Mirror("DS011", PROMISE),
    "DS015": Mirror("DS015"),
    "DS012": Mirror("DS012", ANY_WAY),
    "DS017": Mirror("DS017"),
    "DS014": Mirror("DS014"),
    "DS018": Mirror("DS018"),
    "DS019": Mirror("DS019"),
    "MT001": Mirror("MT001"),
    "SC035": Mirror("SC035"),
    "SC036": Mirror("SC036"),
    "SC037": Mirror("SC037"),
    "SC002": Mirror("SC003"),
    "SC018": Mirror("SC011"),
    "SC001": Mirror("SC003", GONE),
    "SC033": Mirror("SC030"),
    "SC029": Mirror("SC030", NEW_DATA),
    "SC030": Mirror("SC029", NEW_DATA),
    "SC031": Mirror("SC032", NEW_DATA),
    "SC032": Mirror("SC031", NEW_DATA),
    "SC028": Mirror("SC001", GONE),
    "SC009": Mirror("SC001", GONE),
    "SC011": Mirror("SC018"),
    "SC027": Mirror("SC001", GONE),
    "SC003": Mirror("SC001", GONE),
    "SC005": Mirror("SC001", GONE),
    "SC038": Mirror("SC001"),
    "SC004": Mirror("SC001"),
    "SC008": Mirror("SC008"),
    "SC022": Mirror("SC022", NAMED),
    "SC006": Mirror("SC006", NAMED),
    "SC034": Mirror("SC034"),
    "SC023": Mirror("SC023", NAMED),
    "SC012": Mirror("SC012"),
    "SC024": Mirror("SC024"),
    "SC010": Mirror("SC010"),
    "SC013": Mirror("SC013"),
    "SC014": Mirror("SC025", SPARE),
    "SC025": Mirror("SC025"),
    "SC015": Mirror("SC015"),
    "SC026": Mirror("SC026"),
    "SC016": Mirror("SC016"),
    "SC020": Mirror("SC021", SPARE),
    "SC021": Mirror("SC020", SPARE),
    "NU001": Mirror("NU002"),
    "NU002": Mirror("NU001"),
    "NU007": Mirror("NU006", SPARE),
    "NU006": Mirror("NU007", SPARE),
    "NU004": Mirror("NU004", OLD_ROWS),
    "NU005": Mirror("NU005"),
    "EN001": Mirror("EN008"),
    "EN007": Mirror("EN002"),
    "EN008": Mirror("EN001"),
    "EN002": Mirror("EN007"),
    "EN003": Mirror("EN003"),
    "TY007": Mirror("TY007"),
    "TY001": Mirror("TY003"),
    "TY002": Mirror("TY003"),
    "TY003": Mirror("TY001"),
    "TY034": Mirror("TY034"),
    "TY004": Mirror("TY004"),
    "TY005": Mirror("TY005"),
    "TY022": Mirror("TY022"),
    "TY009": Mirror("TY010"),
    "TY010": Mirror("TY009"),
    "TY011": Mirror("TY012"),
    "TY012": Mirror("TY011"),
    "TY035": Mirror("TY035"),
    "TY013": Mirror("TY013"),
    "TY014": Mirror("TY014"),
    "TY027": Mirror("TY027"),
    "TY015": Mirror("TY004"),
    "TY016": Mirror("TY016"),
    "TY017": Mirror("TY017"),
    "TY018": Mirror("TY018"),
    "TY019": Mirror("TY020", SPARE),
    "TY020": Mirror("TY019", SPARE),
    "EN004": Mirror("EN006"),
    "EN006": Mirror("EN004"),
    "TY025": Mirror("TY036"),
    "TY036": Mirror("TY025"),
    "TY028": Mirror("TY028"),
    "TY029": Mirror("TY029"),
    "TY021": Mirror("TY030"),
    "TY030": Mirror("TY021"),
    "TY031": Mirror("TY031"),
    "TY032": Mirror("TY032", ANY_WAY),
    "TY023": Mirror("TY023"),
    "TY026": Mirror("TY026"),
    "TY024": Mirror("TY024"),
    "EN005": Mirror("EN009", SPARE),
    "EN009": Mirror("EN005", SPARE),
    "TY033": Mirror("TY033"),
    "KY009": Mirror("KY009"),
    "KY001": Mirror("KY001"),
    "KY002": Mirror("KY006"),
    "KY006": Mirror("KY002"),
    "KY007": Mirror("KY008"),
    "KY008": Mirror("KY007"),
    "KY004": Mirror("KY004"),
    "EN010": Mirror("EN010"),
    "KY010": Mirror("KY010"),
    "KY005": Mirror("KY005"),
    "PT006": Mirror("PT006", ANY_WAY),
    "PT009": Mirror("PT009"),
    "PT001": Mirror("PT002", NAMED),
    "PT002": Mirror("PT001", NAMED),
    "PT003": Mirror("PT003"),
    "PT004": Mirror("PT004"),
    "PT005": Mirror("PT005"),
    "PT010": Mirror("PT010"),
    "PT011": Mirror("PT011"),
    "ST001": Mirror("ST001", ANY_WAY),
    "ST003": Mirror("ST003"),
    "ST002": Mirror("ST002", NAMED),
    "ST012": Mirror("ST012"),
    "ST004": Mirror("ST013", SPARE),
    "ST013": Mirror("ST004", SPARE),
    "ST014": Mirror("ST014", ANY_WAY),
    "ST015": Mirror("ST015"),
    "ST017": Mirror("ST017"),
    "ST006": Mirror("ST006"),
    "ST016": Mirror("ST016"),
    "ST007": Mirror("ST005", SPARE),
    "ST005": Mirror("ST005"),
    "ST008": Mirror("ST008"),
    "LN001": Mirror("LN001"),
    "LN002": Mirror("LN002"),
    "LN003": Mirror("LN003"),
    "GV021": Mirror("GV023", PROMISE),
    "GV022": Mirror("GV023", PROMISE),
    "GV023": Mirror("GV021", PROMISE),
    "QL003": Mirror("QL001", GUARD),
    "QL001": Mirror("QL001"),
    "QL004": Mirror("QL004"),
    "QL002": Mirror("QL005", PROMISE),
    "QL005": Mirror("QL002", PROMISE),
    "SD001": Mirror("SD001"),
    "PR001": Mirror("PR001"),
}
