import { expect, it } from 'vitest'
import { newSandbox, onEachApp } from '../harness/test-app.ts'

onEachApp((app) => {
  it('a caller limited to a project sees no run of its sources for another project', async () => {
    const owner = await app().newAccount()
    const guest = await app().newAccount()
    const sandbox = await newSandbox(owner.call)
    const newSource = async () =>
      (await owner.call('POST', `${sandbox.storage}/sources`, { provider: 'notes', name: 'Notes' })).body.data_source_id
    const [shared, own] = [await newSource(), await newSource()]
    const newProject = async (name: string, ids: string[]) =>
      (await owner.call('POST', `${sandbox.storage}/projects`, { name, data_source_ids: ids })).body.project_id
    const theirs = await newProject('Theirs', [shared, own])
    const other = await newProject('Other', [shared])
    const grant = { user_id: guest.userId, role: 'viewer', project_id: theirs }
    expect((await owner.call('POST', `${sandbox.storage}/connections`, grant)).status).toBe(201)

    const bring = async (source: string, project?: string) => {
      const body = { text: 'The mill is closed.', data_source_id: source, ...(project && { project_id: project }) }
      return (await owner.call('POST', `${sandbox.storage}/ingest`, body)).body.job_id as string
    }
    const records = { records: [{ external_id: 'one', type: 'note', text: 'The weir is open.', project_id: other }] }
    const mixed = await owner.call('POST', `${sandbox.storage}/sources/${shared}/records`, records)
    const jobs = { theirs: await bring(shared, theirs), other: await bring(shared, other), own: await bring(own) }
    const runsOf = async (call: typeof owner.call, source: string) => {
      const { status, body } = await call('GET', `${sandbox.storage}/sources/${source}/runs`)
      expect(status).toBe(200)
      return body.runs.map((run: { job_id: string }) => run.job_id).sort()
    }
    expect(await runsOf(guest.call, shared)).toEqual([jobs.theirs])
    expect(await runsOf(guest.call, own)).toEqual([jobs.own])
    expect(await runsOf(owner.call, shared)).toEqual([jobs.theirs, jobs.other, mixed.body.job_id].sort())
    const filesOf = (id: string) => `${sandbox.storage}/sources/${shared}/runs/${id}/files`
    expect((await guest.call('GET', filesOf(jobs.other))).status).toBe(404)
    expect((await guest.call('GET', filesOf(mixed.body.job_id))).status).toBe(404)
    expect((await guest.call('GET', filesOf(jobs.theirs))).status).toBe(200)
  })
})
