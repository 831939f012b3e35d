"""A retriever for LangChain over one sandbox."""

from __future__ import annotations

from typing import Any, Optional

from cairnstore import AsyncCairn, Cairn, models
from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict


def _document_of(passage: models.ContextPassage) -> Document:
    fields = passage.model_dump(mode="json", exclude={"text"}, exclude_none=True)
    metadata = {"source": passage.url or passage.record_id, **fields}
    return Document(id=passage.record_id, page_content=passage.text, metadata=metadata)


class CairnRetriever(BaseRetriever):
    """Retrieves passages, best first. They are whole sentences without duplicates, each with its record.

    Together they fit ``max_tokens``, so a chain need not count tokens. ``ainvoke`` uses ``async_cairn`` if it is
    given, and a separate thread otherwise.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    cairn: Cairn
    async_cairn: Optional[AsyncCairn] = None
    sandbox_id: Optional[str] = None
    project_id: Optional[str] = None
    max_tokens: Optional[int] = None

    def _request(self, query: str) -> dict[str, Any]:
        request = {
            "query": query,
            "sandbox_id": self.sandbox_id,
            "project_id": self.project_id,
            "max_tokens": self.max_tokens,
        }
        return {name: value for name, value in request.items() if value is not None}

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        found = self.cairn.gather_context(**self._request(query))
        return [_document_of(passage) for passage in found.passages]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        if self.async_cairn is None:
            return await super()._aget_relevant_documents(query, run_manager=run_manager)
        found = await self.async_cairn.gather_context(**self._request(query))
        return [_document_of(passage) for passage in found.passages]
