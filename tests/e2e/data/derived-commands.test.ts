import { afterAll, beforeAll, expect, it } from 'vitest'
import { COMMANDS } from '../../../packages/cli/src/commands.ts'
import { CLI_BIN, runCommand } from '../../harness/command.ts'
import { type ServedCommandLine, serveCommandLine } from '../../harness/served-command-line.ts'

/** Commands tested elsewhere, or that need an external product. */
const ELSEWHERE = /^(?:accounts|keys|sandboxes) |^sources pull$|^webhooks test$|^suggestions (?:accept|dismiss)$/

let served: ServedCommandLine
const succeeded = new Set<string>()

/** Runs a command that must succeed and returns its JSON output. */
async function read(...args: string[]) {
  const { code, stdout, stderr } = await runCommand(CLI_BIN, [...args, '--json'], served.place, served.settings)
  expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' })
  succeeded.add(`${args[0]} ${args[1] === undefined || args[1].startsWith('-') ? 'list' : args[1]}`)
  return JSON.parse(stdout)
}

beforeAll(async () => {
  served = await serveCommandLine()
})
afterAll(() => served.stop())

it('the content of a sandbox is created, listed, shown, changed and deleted', async () => {
  const { sandbox_id: sandbox } = await read('sandboxes', 'create', 'Harbour')
  const inside = (...args: string[]) => read(...args, '--sandbox', 'Harbour')
  const source = (await inside('sources', 'create', 'slack', 'Team chat', '--ingestion-mode', 'realtime'))
    .data_source_id
  const project = (await inside('projects', 'create', 'Launch', '--data-source-ids', source)).project_id
  expect(await inside('projects')).toMatchObject([{ project_id: project }])
  expect(await inside('projects', 'show', project)).toMatchObject({ data_source_ids: [source] })
  await inside('projects', 'unlink', project, source)
  await inside('projects', 'link', project, source)
  expect(await inside('projects', 'change', project, '--description', 'All of it')).toMatchObject({ name: 'Launch' })

  const records = [
    {
      external_id: '1',
      type: 'note',
      text: 'The crane is mended.',
      author: { name: 'Ada Berg', identifiers: { email: 'ada@x.example' } },
    },
    {
      external_id: '2',
      type: 'note',
      text: 'The quay is dry.',
      author: { name: 'A. Berg', identifiers: { email: 'berg@x.example' } },
    },
  ]
  const { job_id: job } = await inside('api', 'putRecords', source, JSON.stringify(records))
  expect(await inside('jobs', 'show', job, '--watch')).toMatchObject({ status: 'completed', result: { written: 2 } })
  const { place } = served
  const settings = { ...served.settings, CAIRN_SANDBOX: sandbox }
  const inspected = await runCommand(CLI_BIN, ['inspect', 'question', 'Who mended the crane?'], place, settings)
  expect(inspected.stdout).toMatch(/^question +Who mended the crane\?\npart_1\.text[\s\S]*\npart_1\.kind +who\n/)
  succeeded.add('inspect question')
  const people = (await inside('entities', '--type', 'person')) as { canonical_id: string; name: string }[]
  const idOf = (name: string) => people.find((each) => each.name === name)!.canonical_id
  expect((await inside('entities', 'find', 'Ada Berg'))[0]).toMatchObject({ canonical_id: idOf('Ada Berg') })
  const merged = await inside('entities', 'merge', idOf('A. Berg'), idOf('Ada Berg'))
  await inside('entities', 'undo-merge', idOf('Ada Berg'), merged.merge_id)
  await inside('entities', 'merge', idOf('A. Berg'), idOf('Ada Berg'))
  await inside('entities', 'split', idOf('Ada Berg'), 'berg@x.example', 'A. Berg')
  const { records: about } = await inside('entities', 'show', idOf('Ada Berg'))
  const crane = about[0].record_id
  expect(await inside('records', 'show', crane)).toMatchObject({ text: 'The crane is mended.' })
  expect(await inside('records', '--q', 'crane')).toMatchObject([{ record_id: crane }])
  const { answer_id: answer } = await inside('api', 'search', '{"query": "Who mended the crane?"}')
  expect(await inside('answers')).toMatchObject([{ answer_id: answer }])
  await inside('answers', 'share', answer)
  expect(await inside('answers', 'show', answer)).toMatchObject({ shared: true })
  await inside('answers', 'unshare', answer)
  expect(await inside('answers', 'rate', answer, 'wrong')).toMatchObject({ verdict: 'wrong' })
  expect(await inside('feedback')).toMatchObject([{ answer_id: answer, verdict: 'wrong' }])
  await inside('answers', 'delete', answer, '--yes')
  await inside('records', 'delete', crane, '--yes')
  expect(await inside('records', '--q', 'crane')).toEqual([])
  expect((await inside('changes')).length).toBeGreaterThan(0)
  expect(await inside('jobs')).toMatchObject([{ job_id: job }])
  expect(await inside('jobs', '--watch', '--quiet')).toMatchObject({ job_id: job, status: 'completed' })
  expect((await inside('providers')).map(({ provider }: { provider: string }) => provider)).toContain('slack')

  expect((await inside('sources'))[0]).toMatchObject({ data_source_id: source })
  expect(await inside('sources', 'show', source)).toMatchObject({ status: 'active' })
  await inside('sources', 'change', source, '--name', 'Chat', '--adapter-config', '{"a": 1}', '--merge-adapter-config')
  expect(await inside('sources', 'runs', source)).toMatchObject([{ job_id: job }])
  expect(await inside('sources', 'files', source, job)).toEqual([])
  expect(await inside('sources', 'deliveries', source)).toEqual([])
  expect(await inside('sources', 'rotate-secret', source)).toMatchObject({ webhook_signing_secret: expect.any(String) })
  await inside('sources', 'pause', source)
  await inside('sources', 'resume', source)
  expect(await inside('sources', 'purge', source, '--yes')).toMatchObject({ success: true })
  const endpoint = (await inside('webhooks', 'create', 'https://hooks.example.com/cairn')).webhook_id
  expect(await inside('webhooks')).toMatchObject([{ webhook_id: endpoint }])
  await inside('webhooks', 'change', endpoint, '--status', 'paused')
  expect(await inside('webhooks', 'deliveries', endpoint)).toEqual([])
  await inside('webhooks', 'rotate-secret', endpoint)
  await inside('webhooks', 'delete', endpoint, '--yes')
  expect(await inside('suggestions')).toEqual([])
  const friend = (await read('accounts', 'create')).user_id
  const connection = (await inside('connections', 'create', 'viewer', '--user-id', friend)).connection_id
  expect(await inside('connections')).toMatchObject([{ connection_id: connection }])
  expect(await inside('connections', 'key', connection)).toMatchObject({ plaintext_key: expect.any(String) })
  await inside('connections', 'revoke', connection, '--yes')
  const { url } = await read('invitations', 'create', 'member')
  const code = decodeURIComponent(new URL(url).hash.replace('#i=', ''))
  const joined = await fetch(`${served.settings.CAIRN_URL}/api/v1/auth/invitation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, display_name: 'Ada Berg' }),
  })
  const { member_id: member } = (await joined.json()) as { member_id: string }
  const { invitation_id: invitation } = await read('invitations', 'create', 'viewer', '--email', 'ben@x.example')
  expect(await read('invitations')).toContainEqual(expect.objectContaining({ invitation_id: invitation }))
  await read('invitations', 'withdraw', invitation, '--yes')
  expect(await read('members', 'update', member, '--role', 'viewer')).toMatchObject({ role: 'viewer' })
  expect(await read('members')).toContainEqual(expect.objectContaining({ member_id: member }))
  await read('members', 'remove', member, '--yes')
  await inside('projects', 'archive', project)
  await inside('projects', 'delete', project, '--yes')
  await inside('sources', 'disconnect', source)
  await inside('sources', 'delete', source, '--yes')
  await read('sandboxes', 'delete', sandbox, '--yes')
})

it('every command inside a sandbox succeeded above', () => {
  const names = COMMANDS.map(({ noun, verb }) => `${noun} ${verb}`)
  expect(names.filter((name) => !succeeded.has(name) && !ELSEWHERE.test(name))).toEqual([])
})
