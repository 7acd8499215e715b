"""The settings file `lumos.yaml`."""

from typing import TYPE_CHECKING

from lumos_snap._lazy import lazily

if TYPE_CHECKING:
    from lumos_snap.config.settings import (
        Config,
        load_config,
        parse_config,
        problems_of_config,
    )

__all__ = ["CONFIG_NAME", "WAIVERS", "Config", "load_config", "parse_config", "problems_of_config"]

CONFIG_NAME = "lumos.yaml"
WAIVERS = "waivers"
"""The folder of waivers."""

_SETTINGS = "lumos_snap.config.settings"
__getattr__ = lazily(
    __name__,
    dict.fromkeys(("Config", "load_config", "parse_config", "problems_of_config"), _SETTINGS),
)
