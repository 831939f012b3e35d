"""One sandbox for the OpenAI Agents SDK, through the Model Context Protocol."""

from __future__ import annotations

from typing import Optional
from urllib.parse import quote, urlencode

from agents.mcp import MCPServerStreamableHttp

# Timeout in seconds. Answers written by a model can exceed the SDK's default of five seconds.
SECONDS_MAX = 120.0


def cairn_server(
    url: str,
    api_key: str,
    *,
    sandbox_id: Optional[str] = None,
    project_id: Optional[str] = None,
    reads_only: bool = True,
    encryption_key: Optional[str] = None,
) -> MCPServerStreamableHttp:
    """Returns the MCP server of a sandbox, by default the primary one; use it with ``async with``.

    Its tools return text by other people, which may contain prompt injections. An agent that can also send messages
    or buy things should get read access only.
    """
    path = "/mcp" if sandbox_id is None else f"/mcp/{quote(sandbox_id, safe='')}"
    wanted = {"project": project_id, "tools": "read" if reads_only else None}
    query = urlencode({name: value for name, value in wanted.items() if value is not None})
    headers = {"Authorization": f"Bearer {api_key}"}
    if encryption_key is not None:
        headers["X-Encryption-Key"] = encryption_key
    return MCPServerStreamableHttp(
        params={
            "url": f"{url.rstrip('/')}{path}{f'?{query}' if query else ''}",
            "headers": headers,
            "timeout": SECONDS_MAX,
        },
        client_session_timeout_seconds=SECONDS_MAX,
        cache_tools_list=True,
        name="cairn",
    )
