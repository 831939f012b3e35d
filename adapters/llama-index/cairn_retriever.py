"""A retriever for LlamaIndex over one sandbox."""

from __future__ import annotations

from typing import Any, Optional

from cairnstore import AsyncCairn, Cairn, models
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode


def _node_of(ordinal: int, passage: models.ContextPassage) -> NodeWithScore:
    fields = passage.model_dump(mode="json", exclude={"text", "score"}, exclude_none=True)
    # A record may have several passages, and LlamaIndex merges nodes with the same id.
    node = TextNode(id_=f"{passage.record_id}#{ordinal}", text=passage.text, metadata=fields)
    node.excluded_llm_metadata_keys = ["record_id"]
    return NodeWithScore(node=node, score=passage.score)


class CairnRetriever(BaseRetriever):
    """Retrieves passages, best first. They are whole sentences without duplicates, each with its record.

    Together they fit ``max_tokens``. ``aretrieve`` uses ``async_cairn`` if it is given, and blocks on the synchronous
    client otherwise.
    """

    def __init__(
        self,
        cairn: Cairn,
        *,
        async_cairn: Optional[AsyncCairn] = None,
        sandbox_id: Optional[str] = None,
        project_id: Optional[str] = None,
        max_tokens: Optional[int] = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._cairn = cairn
        self._async_cairn = async_cairn
        scope = {"sandbox_id": sandbox_id, "project_id": project_id, "max_tokens": max_tokens}
        self._scope: dict[str, Any] = {name: value for name, value in scope.items() if value is not None}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._cairn.gather_context(query=query_bundle.query_str, **self._scope)
        return [_node_of(ordinal, passage) for ordinal, passage in enumerate(found.passages)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if self._async_cairn is None:
            return self._retrieve(query_bundle)
        found = await self._async_cairn.gather_context(query=query_bundle.query_str, **self._scope)
        return [_node_of(ordinal, passage) for ordinal, passage in enumerate(found.passages)]
