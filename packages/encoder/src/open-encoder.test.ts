import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EncoderUnavailable, MODEL_FOLDER } from './model-folder.ts'
import { type Encoder, EncoderBusy, openEncoder, WAITING_MAX } from './open-encoder.ts'

let reader: Encoder
beforeAll(async () => {
  reader = await openEncoder()
})
afterAll(() => reader.close())

const dot = (one: Float32Array, other: Float32Array) => one.reduce((sum, value, at) => sum + value * other[at]!, 0)
const TEXTS = [
  'Why did the deploy fail?',
  'A full disk broke the release.',
  'Lena plays the piano on Tuesdays.',
  '',
  'x'.repeat(50_000),
  'The quarterly report lists revenue and costs. '.repeat(200),
]

test('a text is nearer to one that says the same in other words than to one that says something else', async () => {
  const [asked, same, other] = await reader.encode(TEXTS)
  expect(dot(asked!, same!)).toBeGreaterThan(dot(asked!, other!) + 0.2)
})

test('vectors have length 1 and the dimensions of the model card, for any text', async () => {
  for (const vector of await reader.encode(TEXTS)) {
    expect(vector).toHaveLength(reader.card.dimensions)
    expect(dot(vector, vector)).toBeCloseTo(1, 5)
  }
})

test('equal texts have equal vectors, whatever else is in the call, after every start', async () => {
  const together = await reader.encode(TEXTS)
  const again = await openEncoder()
  try {
    for (const [at, text] of TEXTS.entries()) {
      const [alone] = await again.encode([text])
      expect(Buffer.from(alone!.buffer).equals(Buffer.from(together[at]!.buffer))).toBe(true)
    }
  } finally {
    await again.close()
  }
})

test('a text has the highest score for words that it contains or means, whatever else is in the call', async () => {
  const question = 'What is the shoe size of Lena?'
  const texts = ['Lena wears shoes of size 38.', 'Lena plays the piano on Tuesdays.', '']
  const { words, termScores } = (await reader.compare(question, texts))!
  expect(words).toEqual(['what', 'is', 'the', 'shoe', 'size', 'of', 'lena', '?'])
  const [same, other, nothing] = termScores.map((each) => each[words.indexOf('shoe')]!)
  expect(same).toBeGreaterThan(other! + 0.2)
  expect(nothing).toBe(0)
  expect((await reader.compare(question, [texts[1]!]))!.termScores[0]).toEqual(termScores[1])
})

test('background texts are encoded in parallel, with identical results', async () => {
  const [later, asked] = await Promise.all([reader.encodeLater(TEXTS), reader.encode(TEXTS)])
  expect(later).toEqual(asked)
})

test("a user's question does not wait for background work", async () => {
  const order: string[] = []
  const later = reader.encodeLater(TEXTS.slice(0, 3)).then(() => order.push('later'))
  const asked = reader.encode(['What is open?']).then(() => order.push('asked'))
  await Promise.all([later, asked])
  expect(order).toEqual(['asked', 'later'])
})

test('calls beyond the queue limit are rejected immediately, and those in the queue are answered', async () => {
  const asked = Array.from({ length: WAITING_MAX }, () => reader.encode(['What is open?']))
  await expect(reader.encode(['One more?'])).rejects.toThrow(EncoderBusy)
  expect(await Promise.all(asked)).toHaveLength(WAITING_MAX)
  expect(await reader.encode(['One more?'])).toHaveLength(1)
})

test('an aborted call is not processed', async () => {
  const gone = new AbortController()
  const first = reader.encodeLater(['one', 'two', 'three'])
  const second = reader.encodeLater(['four'], gone.signal)
  gone.abort(new Error('gone'))
  await expect(second).rejects.toThrow('gone')
  expect(await first).toHaveLength(3)
})

test('encoding a question does not wait for a comparison of many texts', async () => {
  const order: string[] = []
  const compared = reader.compare('What is open?', TEXTS).then(() => order.push('compared'))
  const asked = reader.encode(['What is done?']).then(() => order.push('asked'))
  await Promise.all([compared, asked])
  expect(order).toEqual(['asked', 'compared'])
})

test('a folder without the model, or whose model does not match its card, is rejected with the reason', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-reader-'))
  try {
    await expect(openEncoder(folder)).rejects.toThrow(EncoderUnavailable)
    cpSync(join(MODEL_FOLDER, 'config.json'), join(folder, 'config.json'))
    await expect(openEncoder(folder)).rejects.toThrow('vocab.txt')
    cpSync(join(MODEL_FOLDER, 'vocab.txt'), join(folder, 'vocab.txt'))
    writeFileSync(join(folder, 'model.onnx'), readFileSync(join(MODEL_FOLDER, 'model.onnx')).subarray(1))
    await expect(openEncoder(folder)).rejects.toThrow('model.onnx')
    writeFileSync(join(folder, 'config.json'), '{"name": "x", "dimensions": 7}')
    await expect(openEncoder(folder)).rejects.toThrow('dimensions')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a closed encoder rejects calls, and waiting calls fail', async () => {
  const closed = await openEncoder()
  const waiting = expect(closed.encode(['a', 'b'])).rejects.toThrow(EncoderUnavailable)
  await closed.close()
  await waiting
  await expect(closed.encode(['c'])).rejects.toThrow('closed')
})
