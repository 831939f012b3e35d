import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { lines, pdfOf } from '../harness/documents.ts'
import { withKey } from '../harness/keyed.ts'
import { type Call, newSandbox, onEachApp } from '../harness/test-app.ts'

const WAIT = { prefer: 'wait=60' }
const PDF = pdfOf([lines(['The quay was closed because its wall sank.'])])
const ROWS = 'item,price\nPump,12\nValve,7\n'
const LONG_MS = 60_000

onEachApp((app) => {
  const start = async (tier = 'pro') => {
    const account = await app().newAccount()
    return { ...account, sandbox: await newSandbox(account.call, 'Sandbox', tier) }
  }
  type Started = Awaited<ReturnType<typeof start>>
  const put = async (call: Call, { storage }: Started['sandbox'], path: string, body: string | Buffer, query = '') => {
    const headers = { 'content-type': 'application/octet-stream', ...WAIT }
    const at = `${storage}/import?path=${encodeURIComponent(path)}&source_name=Files${query}`
    const { status, body: job } = await call('POST', at, body, headers)
    expect([status, job.status], path).toEqual([200, 'completed'])
    return job
  }
  const recordsOf = async (call: Call, { storage }: Started['sandbox']) => {
    const { body } = await call('GET', `${storage}/records`)
    return body.records as { record_id: string; source_id: string; external_id: string }[]
  }
  const originalOf = ({ storage }: Started['sandbox'], recordId: string) => `${storage}/records/${recordId}/original`
  /** Names of the stored parts of originals, on disk. */
  const partsOf = ({ id }: Started['sandbox']) =>
    readdirSync(app().folder, { recursive: true }).filter((path) => String(path).includes(`${id}/originals/`))

  it('the file of a record is downloaded with its bytes, and no browser runs it', async () => {
    const { call, key, sandbox } = await start()
    await put(call, sandbox, 'plans/Wände "alt".pdf', PDF)
    const [record] = await recordsOf(call, sandbox)
    const { body } = await call('GET', `${sandbox.storage}/records/${record!.record_id}`)
    expect(body.original).toEqual({ name: 'Wände "alt".pdf', media_type: 'application/pdf', bytes: PDF.length })
    const reply = await app().cairn.http.inject({
      method: 'GET',
      url: originalOf(sandbox, record!.record_id),
      headers: { authorization: `Bearer ${key}` },
    })
    expect(reply.statusCode).toBe(200)
    expect(Buffer.from(reply.rawPayload).equals(PDF)).toBe(true)
    expect(reply.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="W_nde _alt_.pdf"; filename*=UTF-8''W%C3%A4nde%20%22alt%22.pdf`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    const page = '<html><body><script>alert(1)</script><p>The dock is shut.</p></body></html>'
    await put(call, sandbox, 'dock.html', page)
    const html = (await recordsOf(call, sandbox)).find(({ external_id: id }) => id === 'dock.html')
    const served = await call('GET', originalOf(sandbox, html!.record_id))
    expect([served.headers['content-type'], served.body]).toEqual(['application/octet-stream', page])
  })

  it('all rows of a table lead to one file, and a plain text to none', async () => {
    const it = await start()
    await put(it.call, it.sandbox, 'stock.csv', ROWS)
    await put(it.call, it.sandbox, 'notes.md', '# Notes\n\nThe pier is open.')
    const records = await recordsOf(it.call, it.sandbox)
    for (const { record_id: id, external_id: externalId } of records) {
      const { status, body } = await it.call('GET', originalOf(it.sandbox, id))
      expect([status, status === 200 ? body : ''], externalId).toEqual(
        externalId === 'notes.md' ? [404, ''] : [200, ROWS],
      )
    }
    expect(partsOf(it.sandbox)).toHaveLength(1)
    // The same file is stored once, a changed one replaces it.
    await put(it.call, it.sandbox, 'stock.csv', ROWS)
    await put(it.call, it.sandbox, 'stock.csv', `${ROWS}Hose,3\n`)
    const [row] = (await recordsOf(it.call, it.sandbox)).filter(({ external_id: id }) => id.startsWith('stock.csv'))
    expect((await it.call('GET', originalOf(it.sandbox, row!.record_id))).body).toBe(`${ROWS}Hose,3\n`)
    await expect.poll(() => partsOf(it.sandbox), { timeout: LONG_MS }).toHaveLength(1)
  })

  it('nobody reads the original of a record that they cannot read', async () => {
    const it = await start()
    const { body: project } = await it.call('POST', `${it.sandbox.storage}/projects`, { name: 'Shown' })
    await put(it.call, it.sandbox, 'secret.pdf', PDF)
    const shown = pdfOf([lines(['The ferry sails at noon.'])])
    await put(it.call, it.sandbox, 'shown.pdf', shown, `&project_id=${project.project_id}`)
    const other = await app().newAccount()
    const grant = { user_id: other.userId, role: 'viewer', project_id: project.project_id }
    const records = await recordsOf(it.call, it.sandbox)
    const seen = async (call: Call) => {
      const found: [string, number][] = []
      for (const { record_id: id, external_id: externalId } of records) {
        found.push([externalId, (await call('GET', originalOf(it.sandbox, id))).status])
      }
      return Object.fromEntries(found)
    }
    expect(await seen(other.call)).toEqual({ 'secret.pdf': 404, 'shown.pdf': 404 })
    await it.call('POST', `${it.sandbox.storage}/connections`, grant)
    expect(await seen(other.call)).toEqual({ 'secret.pdf': 404, 'shown.pdf': 200 })
    expect(await seen(it.call)).toEqual({ 'secret.pdf': 200, 'shown.pdf': 200 })
  })

  it('a file goes with the first of its records, with its source, and with its sandbox', async () => {
    const it = await start()
    const files = async (path: string) => {
      await put(it.call, it.sandbox, path, ROWS)
      return recordsOf(it.call, it.sandbox)
    }
    const [one, other] = await files('stock.csv')
    await it.call('DELETE', `${it.sandbox.storage}/records/${one!.record_id}`)
    expect((await it.call('GET', originalOf(it.sandbox, other!.record_id))).status).toBe(404)
    await expect.poll(() => partsOf(it.sandbox), { timeout: LONG_MS }).toEqual([])
    const [row] = (await files('again.csv')).filter(({ external_id: id }) => id.startsWith('again.csv'))
    expect(partsOf(it.sandbox)).toHaveLength(1)
    await it.call('POST', `${it.sandbox.storage}/sources/${row!.source_id}/purge`, {})
    await expect.poll(() => partsOf(it.sandbox), { timeout: LONG_MS }).toEqual([])
    await files('last.csv')
    await it.call('DELETE', it.sandbox.storage)
    expect(partsOf(it.sandbox)).toEqual([])
    const rows = await app().cairn.app.sql.transact(it.userId, (tx) => tx.selectFrom('original').selectAll().execute())
    expect(rows).toEqual([])
  })

  it('originals count against the storage quota, and a file over it is imported without its original', async () => {
    const it = await start('free')
    const usage = async () => (await it.call('GET', `${it.sandbox.storage}/usage`)).body.max_storage_bytes as number
    await put(it.call, it.sandbox, 'stock.csv', ROWS)
    expect(await usage()).toBeGreaterThan(ROWS.length)
    const { limits } = app().cairn.app
    const before = limits.free.max_storage_bytes
    Object.assign(limits.free, { max_storage_bytes: (await usage()) + PDF.length - 1 })
    await put(it.call, it.sandbox, 'quay.pdf', PDF)
    Object.assign(limits.free, { max_storage_bytes: before })
    const quay = (await recordsOf(it.call, it.sandbox)).find(({ external_id: id }) => id === 'quay.pdf')
    expect((await it.call('GET', originalOf(it.sandbox, quay!.record_id))).status).toBe(404)
  })

  it('under a customer-managed key an original needs the key, also after a rotation', async () => {
    const it = await start()
    const first = randomBytes(32)
    const keyed = withKey(it.call, first)
    await put(keyed, it.sandbox, 'quay.pdf', PDF)
    const [record] = await recordsOf(keyed, it.sandbox)
    const path = originalOf(it.sandbox, record!.record_id)
    expect((await it.call('GET', path)).body).toMatchObject({ reason: 'missing' })
    expect((await withKey(it.call, randomBytes(32))('GET', path)).body).toMatchObject({ reason: 'mismatch' })
    expect((await keyed('GET', path)).status).toBe(200)
    const next = randomBytes(32)
    const rotated = await keyed('POST', `${it.sandbox.storage}/rotate-key`, undefined, {
      'x-new-encryption-key': next.toString('base64'),
    })
    expect(rotated.status).toBe(200)
    expect((await keyed('GET', path)).status).toBe(403)
    const reply = await withKey(it.call, next)('GET', path)
    expect([reply.status, reply.headers['content-length']]).toEqual([200, String(PDF.length)])
    const rows = await app().cairn.app.sql.transact(it.userId, (tx) => tx.selectFrom('original').selectAll().execute())
    expect(JSON.stringify(rows)).not.toContain(Buffer.from('quay').toString('hex'))
  })
})
