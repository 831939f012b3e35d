import { describe, expect, it } from 'vitest'
import { newSandbox, onEachApp, putRecords, type TestApp } from '../harness/test-app.ts'

describe('versions', () => {
  onEachApp((app: () => TestApp) => {
    const open = async () => {
      const { call } = await app().newAccount()
      const sandbox = await newSandbox(call)
      const { body: project } = await call('POST', `${sandbox.storage}/projects`, { name: 'Launch' })
      const source = `${sandbox.storage}/sources/${sandbox.source}`
      return { call, sandbox, paths: [sandbox.storage, source, `${sandbox.storage}/projects/${project.project_id}`] }
    }
    const ifMatch = (tag: string) => ({ 'if-match': tag })

    it('a stale If-Match is 412 without effect; * and the current one are 200; an invalid one is 400', async () => {
      const { call, paths } = await open()
      for (const path of paths) {
        const { headers } = await call('GET', path)
        expect(headers.etag).toBe('"1"')
        expect((await call('PATCH', path, { name: 'Second' }, ifMatch('"1"'))).headers.etag).toBe('"2"')
        const stale = await call('PATCH', path, { name: 'Third' }, ifMatch('"1"'))
        expect([stale.status, stale.body.error]).toEqual([412, 'precondition_failed'])
        expect((await call('PATCH', path, {}, ifMatch('"1"'))).status).toBe(412)
        expect((await call('GET', path)).body.name).toBe('Second')
        expect((await call('PATCH', path, { name: 'Fourth' }, ifMatch('"1", "2"'))).status).toBe(200)
        expect((await call('PATCH', path, { name: 'Fifth' }, ifMatch('*'))).status).toBe(200)
        for (const tag of ['3', '"3', 'W/3', '"a" "b"', '*, "1"']) {
          expect((await call('PATCH', path, { name: 'Sixth' }, ifMatch(tag))).status, tag).toBe(400)
        }
        expect((await call('PATCH', path, { name: 'Sixth' }, ifMatch('W/"4"'))).status).toBe(412)
      }
    })

    it('of 20 concurrent changes conditional on one version exactly one succeeds', async () => {
      const { call, paths } = await open()
      for (const path of paths) {
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, at) => call('PATCH', path, { name: `Name ${at}` }, ifMatch('"1"'))),
        )
        expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)])
        expect((await call('GET', path)).headers.etag).toBe('"2"')
      }
    })

    it('a delete can be conditional too', async () => {
      const { call, paths } = await open()
      for (const path of [paths[2]!, paths[0]!]) {
        expect((await call('DELETE', path, undefined, ifMatch('"9"'))).status).toBe(412)
        expect((await call('GET', path)).status).toBe(200)
        expect((await call('DELETE', path, undefined, ifMatch('"1"'))).status).toBe(200)
      }
    })

    it('automatic stamps and changes without effect create no new version', async () => {
      const { call, sandbox, paths } = await open()
      await putRecords(call, sandbox, [{ external_id: 'a', type: 'note', text: 'x' }])
      const source = await call('GET', paths[1]!)
      expect([source.headers.etag, source.body.last_sync_at]).toEqual(['"1"', expect.any(String)])
      await call('PATCH', paths[0]!, { name: 'Sandbox' })
      expect((await call('GET', paths[0]!)).headers.etag).toBe('"1"')
    })

    it('linking or unlinking a source gives a project a new version', async () => {
      const { call, sandbox, paths } = await open()
      await call('POST', `${paths[2]}/sources/${sandbox.source}`)
      expect((await call('GET', paths[2]!)).headers.etag).toBe('"2"')
      await call('DELETE', `${paths[2]}/sources/${sandbox.source}`)
      expect((await call('GET', paths[2]!)).headers.etag).toBe('"3"')
    })
  })
})
