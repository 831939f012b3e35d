import { expect, it } from 'vitest'
import { lines, pdfOf } from '../../harness/documents.ts'
import { type Call, newSandbox, onEachApp, type TestSandbox } from '../../harness/test-app.ts'
import { type ZipPart, zipOf } from '../../harness/zip.ts'

const FERRY = pdfOf([lines(['The night ferry leaves Skagen at 23:40.'])])
const MAIL =
  'From: Ana Lima <ana@x.example>\r\nMessage-ID: <quay@x.example>\r\nDate: Sun, 1 Mar 2026 09:00:00 +0000\r\n' +
  'Subject: Quay\r\n\r\nThe quay is swept on Mondays.\r\n'
const FOLDER: ZipPart[] = [
  { name: 'ferry.pdf', content: FERRY },
  { name: 'rates.csv', content: 'Berth,Price\nNorth,100\nSouth,250\nWest,300\n' },
  { name: 'quay.eml', content: MAIL },
  { name: 'notes/lamp.md', content: '# The lamp\n\nThe lamp is lit at dusk.' },
]

onEachApp((app) => {
  const setUp = async () => {
    const { call } = await app().newAccount()
    return { call, sandbox: await newSandbox(call) }
  }
  const send = (call: Call, { storage }: TestSandbox, parts: ZipPart[], query = '&source_name=Folder&sync=true') =>
    call('POST', `${storage}/import?format=documents${query}`, zipOf(parts), {
      prefer: 'wait=30',
      'content-type': 'application/zip',
    })
  const idsIn = async (call: Call, { storage }: TestSandbox) => {
    const { records } = (await call('GET', `${storage}/records`)).body
    return records.map(({ external_id: id }: { external_id: string }) => id).sort()
  }
  const IDS = ['email/quay@x.example', 'ferry.pdf', 'notes/lamp.md', 'rates.csv', ...[2, 3, 4].map(rate)]

  it('items missing from a complete import are removed, and a repeat changes nothing', async () => {
    const { call, sandbox } = await setUp()
    await send(call, sandbox, FOLDER)
    await send(call, sandbox, [{ name: 'other.md', content: 'Of another folder.' }], '&source_name=Other')
    expect(await idsIn(call, sandbox)).toEqual([...IDS, 'other.md'].sort())
    const again = (await send(call, sandbox, FOLDER)).body.result
    expect(again).toMatchObject({ written: 0, removed: 0, unchanged: IDS.length, failed: 0 })

    const fewer = [FOLDER[3]!, { name: 'rates.csv', content: 'Berth,Price\nNorth,100\n' }]
    const { result } = (await send(call, sandbox, fewer)).body
    expect(result).toMatchObject({ removed: 4, failed: 0 })
    expect(await idsIn(call, sandbox)).toEqual(['notes/lamp.md', 'other.md', 'rates.csv', rate(2)])
  })

  it('a changed file replaces all its rows, and other files stay', async () => {
    const { call, sandbox } = await setUp()
    await send(call, sandbox, FOLDER)
    const source = '&source_name=Folder'
    const fewer = [{ name: 'rates.csv', content: 'Berth,Price\nNorth,100\nWest,300\n' }]
    expect((await send(call, sandbox, fewer, source)).body.result).toMatchObject({ written: 1, removed: 1, failed: 0 })
    expect(await idsIn(call, sandbox)).toEqual(IDS.filter((id) => id !== rate(4)))
    const broken = [{ name: 'rates.csv', content: 'Berth,Price\n"North,100\n' }]
    expect((await send(call, sandbox, broken, source)).body.result).toMatchObject({ failed: 1, removed: 0 })
  })

  it('records of an unreadable file stay, and if nothing is readable nothing is removed', async () => {
    const { call, sandbox } = await setUp()
    await send(call, sandbox, FOLDER)
    const cut = [FOLDER[3]!, { name: 'ferry.pdf', content: FERRY.subarray(0, 300) }]
    expect((await send(call, sandbox, cut)).body.result).toMatchObject({ failed: 1, removed: 5 })
    expect(await idsIn(call, sandbox)).toEqual(['ferry.pdf', 'notes/lamp.md'])
    await send(call, sandbox, [cut[1]!])
    expect(await idsIn(call, sandbox)).toEqual(['ferry.pdf', 'notes/lamp.md'])
  })

  it("it requires the source's name, and files", async () => {
    const { call, sandbox } = await setUp()
    const refused = [
      await send(call, sandbox, FOLDER, '&sync=true'),
      await call('POST', `${sandbox.storage}/import?sync=true&source_name=Folder`, [{ id: 1, name: 'Quay' }]),
    ]
    for (const { status, body } of refused)
      expect([status, body.errors]).toMatchObject([422, [{ loc: ['query', 'sync'] }]])
  })
})

function rate(row: number): string {
  return `rates.csv#rates!${row}`
}
