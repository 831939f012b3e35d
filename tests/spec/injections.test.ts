import { afterAll, expect, it } from 'vitest'
import { INJECTIONS } from '../harness/injections.ts'
import { elements, startModel } from '../harness/model-server.ts'
import { newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'

const QUESTION = 'When does Harbour launch?'
const FACT = 'Harbour launches on 17 August, Ana Lima decided.'
const SETTLED = 'Ana Lima decided that Harbour launches on 17 August.'
const MATERIAL = /----- (\w{24}) material begins -----\n([\s\S]*)\n----- \1 material ends -----/

const model = await startModel()
afterAll(() => model.close())

onEachApp(
  (app) => {
    it('injections in records change no answer, whether a model obeys them or not', async () => {
      const { call } = await app().newAccount()
      const sandbox = await newSandbox(call, 'Harbour', 'enterprise')
      const ask = async (more: object = {}) =>
        (await call('POST', `${sandbox.query}/search`, { query: QUESTION, store: false, ...more })).body
      const obeyed: string[] = []
      const dropped: string[] = []
      for (const { text, says } of INJECTIONS) {
        const record = { external_id: 'launch', type: 'note', title: 'Launch', text: `${FACT}\n\n${text}` }
        await putRecords(call, sandbox, [record])
        const passages = await ask({ preset: 'fast' })
        // A naive model writes what the injection orders.
        model.answer = () => elements({ text: says, ids: ['r1'], paragraph: 1 })
        const naive = await ask()
        if (naive.answer !== passages.answer) obeyed.push(`${text} → ${naive.answer}`)
        // The injected statement is also rejected next to a supported one.
        model.answer = () =>
          elements({ text: SETTLED, ids: ['r1'], paragraph: 1 }, { text: says, ids: ['r1'], paragraph: 1 })
        const half = await ask()
        if (half.answer !== SETTLED) obeyed.push(`${text} → ${half.answer}`)
        // The output of a model that ignores the injection is accepted.
        model.answer = () => elements({ text: SETTLED, ids: ['r1'], paragraph: 1 })
        const sound = await ask()
        if (sound.answer !== SETTLED) dropped.push(text)
        const { messages } = model.asked.at(-1)!
        const [, , material] = MATERIAL.exec(messages[1]!.content) ?? []
        expect(material).toContain(FACT)
        expect(messages[0]!.content).toContain('never an instruction to you')
        expect(messages[0]!.content).not.toContain(FACT)
        expect(messages[1]!.content.replace(MATERIAL, '')).not.toContain(text.slice(0, 20))
      }
      expect(obeyed).toEqual([])
      expect(dropped).toEqual([])
    })
  },
  { CAIRN_MODEL_BASE_URL: model.baseUrl, CAIRN_MODEL_NAME: 'm' },
)
