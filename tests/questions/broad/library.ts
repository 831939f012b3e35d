import type { BroadQuestion } from './question.ts'

const person = (name: string, login: string, properties?: Record<string, string>) => ({
  type: 'person',
  name,
  identifiers: { login },
  ...(properties && { properties }),
})
const [ngozi, pavel, wen] = [
  person('Ngozi Bello', 'nbello'),
  person('Pavel Horák', 'phorak'),
  person('Wen Li', 'wenli'),
]
const tideline = { type: 'repository', name: 'tideline', identifiers: { url: 'https://code.example/tideline' } }

const issue = (number: number, title: string, text: string, state: string, assignee: typeof ngozi, day: string) => ({
  external_id: `issue/${number}`,
  type: 'issue',
  title,
  text,
  occurred_at: `2026-${day}T09:00:00Z`,
  author: pavel,
  entities: [
    { type: 'issue', name: title, aliases: [`TL-${number}`], identifiers: { key: `TL-${number}` } },
    assignee,
    tideline,
  ],
  relations: [
    { subject: title, predicate: 'assigned_to', object: assignee.name },
    { subject: title, predicate: 'part_of', object: 'tideline' },
  ],
  properties: { key: `TL-${number}`, state, assignee: assignee.name },
})

/** A software library with three maintainers: its repository, issues, releases and discussions. */
export const LIBRARY_RECORDS = [
  {
    external_id: 'repository',
    type: 'repository',
    title: 'tideline',
    text: 'A queue for Rust programs that survives a power cut. Each message is on disk before it is acknowledged.',
    occurred_at: '2025-11-03T08:00:00Z',
    entities: [tideline],
    properties: { license: 'MIT', language: 'Rust' },
  },
  {
    external_id: 'user/nbello',
    type: 'user',
    title: 'Ngozi Bello',
    text: 'I look after storage.',
    entities: [person('Ngozi Bello', 'nbello', { title: 'Maintainer', company: 'Kelp Systems' })],
    relations: [
      { subject: 'Ngozi Bello', predicate: 'maintains', object: 'tideline', valid_from: '2026-02-01T00:00:00Z' },
    ],
    occurred_at: '2026-02-01T08:00:00Z',
  },
  {
    external_id: 'user/phorak',
    type: 'user',
    title: 'Pavel Horák',
    entities: [person('Pavel Horák', 'phorak', { title: 'Release manager' })],
    occurred_at: '2026-02-01T08:00:00Z',
  },
  {
    external_id: 'user/wenli',
    type: 'user',
    title: 'Wen Li',
    entities: [person('Wen Li', 'wenli', { bio: 'Student in Taipei, writes the Windows port.' })],
    occurred_at: '2026-02-02T08:00:00Z',
  },
  issue(11, 'Segment files are never deleted', 'The folder grows without end.', 'open', ngozi, '03-04'),
  issue(12, 'Torn page after a power cut', 'A half-written page is read as whole.', 'closed', ngozi, '03-09'),
  issue(13, 'Locking fails on Windows', 'Two processes open one queue.', 'open', wen, '04-01'),
  issue(14, 'Changelog of 0.9', 'List what breaks.', 'in progress', pavel, '05-12'),
  {
    external_id: 'release/0.8',
    type: 'release',
    title: 'Release 0.8',
    text: 'Pages carry a checksum, so that a torn page is found. Needs Rust 1.80.',
    occurred_at: '2026-03-20T10:00:00Z',
    author: pavel,
    entities: [tideline, { type: 'release', name: 'Release 0.8', identifiers: { url: 'https://code.example/0.8' } }],
  },
  {
    external_id: 'm1',
    type: 'message',
    text: 'Who tested 0.8 on ext4? I only had XFS here.',
    occurred_at: '2026-03-18T10:00:00Z',
    author: ngozi,
  },
  {
    external_id: 'm2',
    type: 'message',
    text: 'Kelp Systems pays for the build machines until the end of the year.',
    occurred_at: '2026-04-18T10:00:00Z',
    author: pavel,
    entities: [{ type: 'organisation', name: 'Kelp Systems', identifiers: { url: 'https://kelp.example' } }],
  },
]

/** Questions of a new contributor. */
export const LIBRARY: readonly BroadQuestion[] = [
  ['Who is Ngozi Bello?', /maintain/i],
  ['Who is Ngozi?', /maintain/i],
  ['Who is Pavel Horák?', /release manager/i],
  ['who is wen li', /Windows port/],
  ['Tell me about Wen Li', /Windows port/],
  ['What is tideline?', /queue for Rust programs/],
  ['Describe tideline.', /queue for Rust programs/],
  ['What is TL-13?', /Locking fails on Windows/],
  ['What is Release 0.8?', /checksum|Pages/],
  ['What is Ngozi Bello working on?', /Segment files/],
  ['What does Wen Li work on?', /Locking fails on Windows|Windows port/],
  ['What is Pavel working on right now?', /Changelog of 0\.9/],
  ['What are you about?', /11 records|tideline/],
  ['Give me an overview of everything.', /11 records|tideline/],
  ['Hi there', /ask|11 records/i],
]
