import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Cairn } from '@cairnstore/client'
import { generateText, stepCountIs } from 'ai'
import * as adapter from '../ai-sdk/cairn-tools.js'
import { cairnTools } from '../ai-sdk/cairn-tools.js'

const model = createOpenAICompatible({ name: 'loopback', baseURL: process.env.MODEL_URL! })('any')
const { text } = await generateText({
  model,
  tools: cairnTools(new Cairn()),
  stopWhen: stepCountIs(4),
  prompt: 'Why did pump 7 stop?',
})
console.log(text)

const cairn = new Cairn()
const options = { toolCallId: 'call_1', messages: [] }
const { search, fetch } = cairnTools(cairn)
const found = (await search.execute!({ query: 'pump 7' }, options)) as { id: string }[]
const record = (await fetch.execute!({ id: found[0]!.id }, options)) as { text?: string }
const kept = (await adapter.cairnNotes(cairn).remember.execute!(
  { text: 'Ivo Lind orders filters.' },
  options,
)) as object
console.log(record.text, kept)
