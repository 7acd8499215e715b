"""`lumos snap search`."""

import time
from pathlib import Path
from typing import Any

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.search.command import SearchContext
from lumos_snap.commands.search.command import search as search_tree
from lumos_snap.commands.search.options import DEFAULT_LIMIT, SearchOptions, parse_share
from lumos_snap.render.search_text import search_lines


@command(
    "lumos snap search user clicks",
    "lumos snap search 'column:customer_id' --platform iceberg",
    "lumos snap search '\"net revenue\"' --owner analytics --json",
    "lumos snap search --column amount --type DECIMAL --limit 0",
)
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option("--platform", "platforms", multiple=True, help="Only datasets of this platform.")
@click.option("--tag", "tags", multiple=True, help="Only datasets with this tag.")
@click.option("--owner", "owners", multiple=True, help="Only datasets of this user or group.")
@click.option("--domain", "domains", multiple=True, help="Only datasets of this domain.")
@click.option("--kind", "kinds", multiple=True, help="Only of this kind: TABLE, VIEW, TOPIC, …")
@click.option("--format", "formats", multiple=True, help="Only datasets of this format.")
@click.option("--column", "columns", multiple=True, help="Only with a column of this name or path.")
@click.option("--type", "types", multiple=True, help="Only with a column of this type.")
@click.option(
    "--min-quality",
    metavar="SHARE",
    help="Only where an observation says that the data is this good: 0.9 or 90%.",
)
@click.option("--refresh", is_flag=True, help="Look at every file, however large the tree.")
@options.folder
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=DEFAULT_LIMIT,
    show_default=True,
    help="Show at most this many datasets; 0 shows all.",
)
@options.as_json
def search(
    words: tuple[str, ...],
    *,
    min_quality: str | None,
    refresh: bool,
    folder: Path,
    as_json: bool,
    **filters: Any,
) -> int:
    """Find datasets by words in names, columns, descriptions, owners, tags, terms and domains.

    All WORDs must be found, each in any field. A WORD also finds longer ones that begin with it.
    `"…"` holds words together; `name:`, `column:`, `words:`, `owner:`, `tag:`, `term:`, `domain:`,
    `platform:` or `urn:` before a word looks there only.

    A filter that is given twice means one or the other; different filters must all hold.
    Finding nothing is an answer too: the exit code is 0.
    """
    least = None if min_quality is None else parse_share(min_quality)
    wanted = SearchOptions(" ".join(words), least=least, **filters)
    ways = SearchContext(
        time.time_ns(), options.announce, options.progress("indexing"), thorough=refresh
    )
    report = search_tree(options.tree(folder), wanted, ways)
    options.emit(report, search_lines(report), as_json=as_json)
    return options.verdict(failed=False)
