import { it } from 'vitest'
import { newSandbox, onEachApp } from '../harness/test-app.ts'
onEachApp((app) => {
  it('probe', async () => {
    const { call } = await app().newAccount()
    for (let round = 0; round < 25; round++) {
      const { storage, source, records, query } = await newSandbox(call, `B${round}`)
      const record = (at: number) => ({ external_id: String(at), type: 'note', text: `canary ${at}` })
      const n0 = app().logged.length
      const answers = await Promise.all([
        ...[1, 2, 3].map((at) => call('POST', records, { records: [record(at)] }, { prefer: 'wait=1' })),
        call('DELETE', storage),
        call('POST', `${query}/discover`, { query: 'canary' }),
        call('DELETE', storage),
        call('POST', `${storage}/projects`, { name: 'P', data_source_ids: [source] }),
        call('POST', `${storage}/sources`, { provider: 'slack', name: 'Late' }),
        call('PATCH', storage, { name: 'Late' }),
        ...[4, 5, 6].map((at) => call('POST', records, { records: [record(at)] })),
      ])
      const s = answers.map((a) => a.status)
      const logs = app().logged.slice(n0).filter((l) => /"level":"(error|warn)"/.test(l))
      if (s.some((x) => ![200, 201, 202, 404].includes(x)) || logs.length) console.log(round, s, logs.map((l) => l.slice(0, 2500)))
    }
  }, 120000)
})
