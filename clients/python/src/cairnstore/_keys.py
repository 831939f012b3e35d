"""Customer-managed keys."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

from ._errors import CairnError

KEY_BYTES = 32
IV_BYTES = 12
# Wire constants: every client derives and wraps keys with them.
DATA_KEY = (b"olane-twin-brain-dek-v1", b"olane-dek")
WRAP = (b"olane-session-wrap-v1", b"olane-wrap")


def derive_data_key(master_secret: str | bytes) -> bytes:
    """Derives a sandbox's 32-byte data key from a secret of the caller (HKDF-SHA256)."""
    return _derive(master_secret.encode() if isinstance(master_secret, str) else master_secret, *DATA_KEY)


def encryption_token(data_key: bytes, bearer: str, iv: bytes | None = None) -> str:
    """Encrypts a data key for ``X-Encryption-Token`` under a key derived from the bearer token.

    Needs the package `cryptography`: ``pip install cairnstore[keys]``.
    """
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError as error:
        raise CairnError("To encrypt a key, run: pip install cairnstore[keys]") from error
    nonce = iv if iv is not None else secrets.token_bytes(IV_BYTES)
    sealed = AESGCM(_derive(bearer.encode(), *WRAP)).encrypt(nonce, data_key, None)
    return base64.b64encode(nonce + sealed).decode()


def _derive(secret: bytes, salt: bytes, info: bytes) -> bytes:
    """HKDF (RFC 5869) with a single output block, which suffices for 32 bytes."""
    extracted = hmac.new(salt, secret, hashlib.sha256).digest()
    return hmac.new(extracted, info + b"\x01", hashlib.sha256).digest()
