"""Resolves address and credentials from arguments, the environment and the command line's profile."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union, cast
from urllib.parse import urlsplit

from ._errors import CairnError

DEFAULT_URL = "http://127.0.0.1:8484"
ApiKey = Union[str, Callable[[], str]]


@dataclass
class Found:
    """Resolved address, credentials and sandbox."""

    url: str
    api_key: ApiKey | None
    sandbox: str | None
    encryption_key: str | bytes | None


def find_settings(
    url: str | None,
    api_key: ApiKey | None,
    sandbox: str | None,
    profile: str | None,
    encryption_key: str | bytes | None,
    reads_environment: bool,
) -> Found:
    """Resolves the settings from arguments and, if ``reads_environment``, from the environment and the profile.

    Precedence: an explicitly named profile, then the environment, then the default profile. A profile's key is sent
    only to that profile's service.
    """

    def env(name: str) -> str | None:
        return (os.environ.get(name, "").strip() or None) if reads_environment and profile is None else None

    kept = _find_profile(profile or env("CAIRN_PROFILE")) if reads_environment or profile else {}
    address = _address_of(url or env("CAIRN_URL") or kept.get("url") or DEFAULT_URL)
    own = kept if kept and _address_of(kept["url"]) == address else {}
    return Found(
        address,
        api_key or env("CAIRN_API_KEY") or own.get("key"),
        sandbox or env("CAIRN_SANDBOX") or own.get("sandbox_id"),
        encryption_key or env("CAIRN_ENCRYPTION_KEY"),
    )


def _address_of(given: str) -> str:
    """Returns the address of a service without a trailing slash."""
    parts = urlsplit(given)
    is_plain = parts.scheme in ("http", "https") and parts.hostname and not (parts.username or parts.query or parts.fragment)
    if not is_plain:
        raise CairnError(f"The address of a service must have no user, query or fragment, such as {DEFAULT_URL}.")
    return given.rstrip("/")


def _find_profile(name: str | None) -> dict[str, Any]:
    """Reads the named or default profile that the command line stored for this user."""
    folder = os.environ.get("XDG_CONFIG_HOME", "").strip() or str(Path.home() / ".config")
    path = Path(folder) / "cairn" / "profiles.json"
    try:
        kept = json.loads(path.read_text("utf-8"))
        found = kept["profiles"].get(name or kept["default"])
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        found = None
    if found is None and name is not None:
        raise CairnError(f'{path} has no profile "{name}".')
    profile = cast("dict[str, Any]", found if isinstance(found, dict) else {})
    return profile if isinstance(profile.get("url"), str) else {}
