import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { Fault } from '../base/fault.ts'
import { readForm } from './read-form.ts'

const TYPE = 'multipart/form-data; boundary=b'
const part = (name: string, content: string) =>
  `--b\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\n\r\n${content}\r\n`

async function* piecesOf(text: string, failure?: Error): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000)
  if (failure) throw failure
}

async function filesIn(chunks: AsyncIterable<Buffer>): Promise<string[]> {
  const files: string[] = []
  for await (const { name, chunks: content } of readForm(chunks, TYPE)) {
    let bytes = 0
    for await (const piece of content) bytes += piece.length
    files.push(`${name} ${bytes}`)
  }
  return files
}

const faultOf = (work: Promise<unknown>) => work.then(String, (fault: Fault) => fault.reason ?? fault.code ?? fault)

it('a form yields its files in order with their content', async () => {
  const long = 'x'.repeat(300_000)
  const form = `${part('a.txt', long)}${part('b/c.txt', '')}${part('d.txt', 'end')}--b--\r\n`
  expect(await filesIn(piecesOf(form))).toEqual(['a.txt 300000', 'b/c.txt 0', 'd.txt 3'])
})

it('a form that ends early anywhere fails the current file', async () => {
  const whole = `${part('a.txt', 'x'.repeat(200_000))}${part('b.txt', 'y'.repeat(3_000))}--b--\r\n`
  for (const at of [3, 60, 100, 150_000, 200_090, 201_000, whole.length - 10]) {
    const gone = new Fault('bad_request', { detail: 'gone' })
    await expect(filesIn(piecesOf(whole.slice(0, at), gone)), `at ${at}`).rejects.toBe(gone)
    expect(await faultOf(filesIn(piecesOf(whole.slice(0, at)))), `ended at ${at}`).toBe('bad_request')
  }
})

it('a form ends if its sender disconnects or its reader stops', async () => {
  const sender = new PassThrough()
  sender.write(part('a.txt', 'x'.repeat(100)).slice(0, -2))
  const reading = faultOf(filesIn(sender))
  sender.destroy(new Fault('request_timeout'))
  expect(await reading).toBe('request_timeout')

  const more = `${part('a.txt', 'x'.repeat(500_000))}${part('b.txt', 'y')}--b--\r\n`
  for await (const { chunks } of readForm(piecesOf(more), TYPE)) {
    for await (const _ of chunks) break
    break
  }
})

it('parts, headers, names and fields are bounded, also when names are equal', async () => {
  const many = (count: number) => part('same.txt', 'x').repeat(count)
  expect(await filesIn(piecesOf(`${many(100)}--b--\r\n`))).toHaveLength(100)
  expect(await faultOf(filesIn(piecesOf(`${many(20_000)}--b--\r\n`)))).toBe('archive_too_large')
  expect(await faultOf(filesIn(piecesOf(`${part('n'.repeat(1_025), 'x')}--b--\r\n`)))).toBe('bad_request')
  const field = '--b\r\nContent-Disposition: form-data; name="path"\r\n\r\na.txt\r\n--b--\r\n'
  expect(await faultOf(filesIn(piecesOf(`${part('a.txt', 'x')}${field}`)))).toBe('bad_request')
  expect(await faultOf(filesIn(piecesOf('not a form')))).toBe('bad_request')
})
