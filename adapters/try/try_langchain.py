import asyncio
import os

from cairnstore import AsyncCairn, Cairn
from cairn_retriever import CairnRetriever
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_openai import ChatOpenAI

retriever = CairnRetriever(cairn=Cairn(), async_cairn=AsyncCairn(), max_tokens=1000)
documents = retriever.invoke("Why did pump 7 stop?")
print(documents[0].page_content)

model = ChatOpenAI(model="any", api_key="none", base_url=os.environ["MODEL_URL"])
prompt = ChatPromptTemplate.from_template("Answer from these passages:\n{context}\n\nQuestion: {question}")
passages = retriever | (lambda found: "\n".join(each.page_content for each in found))
chain = {"context": passages, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()

QUESTION = "Why did pump 7 stop?"
print(chain.invoke(QUESTION))
print(asyncio.run(chain.ainvoke(QUESTION)))
