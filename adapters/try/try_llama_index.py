import asyncio
import os

from cairnstore import AsyncCairn, Cairn
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.llms.openai_like import OpenAILike

from cairn_retriever import CairnRetriever

model = OpenAILike(model="any", api_key="none", api_base=os.environ["MODEL_URL"], is_chat_model=True)
engine = RetrieverQueryEngine(
    retriever=CairnRetriever(Cairn(), async_cairn=AsyncCairn(), max_tokens=1000),
    response_synthesizer=get_response_synthesizer(llm=model),
)

QUESTION = "Why did pump 7 stop?"
print(engine.query(QUESTION))
print(asyncio.run(engine.aquery(QUESTION)))
