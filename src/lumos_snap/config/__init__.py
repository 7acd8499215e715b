"""`lumos.yaml`: what a team has decided about its tree."""

from lumos_snap.config.settings import CONFIG_NAME, Config, config_problems, load_config

__all__ = ["CONFIG_NAME", "Config", "config_problems", "load_config"]
