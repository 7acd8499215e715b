"""`lumos.yaml`: what a team has decided about its tree."""

from lumos_snap.config.settings import (
    CONFIG_NAME,
    Config,
    load_config,
    parse_config,
    problems_of_config,
)

__all__ = ["CONFIG_NAME", "Config", "load_config", "parse_config", "problems_of_config"]
