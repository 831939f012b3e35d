import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Cairn } from '@cairnstore/client'
import { generateText, stepCountIs } from 'ai'
import { cairnNotes, cairnTools } from '../ai-sdk/cairn-tools.js'

const cairn = new Cairn()
const provider = createOpenAICompatible({ name: 'loopback', baseURL: process.env.MODEL_URL! })
const { text } = await generateText({
  model: provider('any'),
  tools: cairnTools(cairn),
  stopWhen: stepCountIs(4),
  prompt: 'Why did pump 7 stop?',
})
console.log(text)

const options = { toolCallId: 'call_1', messages: [] }
const { search, fetch } = cairnTools(cairn)
const found = (await search.execute!({ query: 'pump 7' }, options)) as { id: string }[]
const record = (await fetch.execute!({ id: found[0]!.id }, options)) as { text?: string }
const kept = (await cairnNotes(cairn).remember.execute!({ text: 'Ivo Lind orders filters.' }, options)) as object
console.log(record.text, kept)
