import asyncio
import os

from cairnstore import AsyncCairn, Cairn
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.llms.openai_like import OpenAILike

from cairn_retriever import CairnRetriever

model = OpenAILike(model="any", api_key="none", api_base=os.environ["MODEL_URL"], is_chat_model=True)
engine = RetrieverQueryEngine.from_args(CairnRetriever(Cairn(), max_tokens=1000), llm=model)
print(engine.query("Why did pump 7 stop?"))

later = RetrieverQueryEngine.from_args(CairnRetriever(Cairn(), async_cairn=AsyncCairn(), max_tokens=1000), llm=model)
print(asyncio.run(later.aquery("Why did pump 7 stop?")))
