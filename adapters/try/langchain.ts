import { Cairn } from '@cairnstore/client'
import { StringOutputParser } from '@langchain/core/output_parsers'
import { ChatPromptTemplate } from '@langchain/core/prompts'
import { RunnablePassthrough, RunnableSequence } from '@langchain/core/runnables'
import { ChatOpenAI } from '@langchain/openai'
import { CairnRetriever } from '../langchain/cairn-retriever.js'

const retriever = new CairnRetriever({ cairn: new Cairn(), max_tokens: 1000 })
const documents = await retriever.invoke('Why did pump 7 stop?')
console.log(documents[0]?.pageContent)

const model = new ChatOpenAI({ model: 'any', apiKey: 'none', configuration: { baseURL: process.env.MODEL_URL } })
const prompt = ChatPromptTemplate.fromTemplate('Answer from these passages:\n{context}\n\nQuestion: {question}')
const chain = RunnableSequence.from([
  {
    context: retriever.pipe((found) => found.map(({ pageContent }) => pageContent).join('\n')),
    question: new RunnablePassthrough(),
  },
  prompt,
  model,
  new StringOutputParser(),
])
console.log(await chain.invoke('Why did pump 7 stop?'))
