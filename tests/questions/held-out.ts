import { type Expected, winners } from './workspace-rows.ts'

/** A fictional veterinary practice. Its types, fields and words differ from those of the example workspace. */
const VETS = ['Nora Quist', 'Emil Sand', 'Farah Aziz', 'Otto Berg']
const STATUSES = ['new', 'in review', 'closed', 'on hold']
const CLINICS = ['Northgate', 'Harbour Street', 'Elm Lane']
const BREEDS = ['beagle', 'poodle', 'siamese']
const KINDS = ['surgery', 'checkup', 'vaccination']

const day = (from: string, days: number) => new Date(Date.parse(from) + days * 86_400_000).toISOString()

interface Made {
  id: string
  type: string
  at: string
  by: string
  properties: Record<string, string | number | boolean | string[]>
}

const tickets: Made[] = Array.from({ length: 40 }, (_, at) => {
  const status = STATUSES[(at * 7 + (at >> 2)) % 4]!
  return {
    id: `T-${at}`,
    type: 'ticket',
    at: day('2025-01-03T09:00:00Z', at * 3),
    by: VETS[(at * 5 + (at >> 3)) % 4]!,
    properties: {
      status,
      clinic: CLINICS[(at * 2 + (at >> 1)) % 3]!,
      severity: ['minor', 'major', 'critical'][(at >> 1) % 3]!,
      ...(at % 6 !== 0 && { owner: VETS[(at * 3 + (at >> 2)) % 4]! }),
      ...(status === 'closed' && { closed_at: day('2025-01-05T12:00:00Z', at * 3), closed_by: VETS[at % 3]! }),
      ...(at % 5 === 0 && { tags: ['billing', ...(at % 10 === 0 ? ['urgent'] : [])] }),
      hours: (at * 4) % 11,
    },
  }
})

const visits: Made[] = Array.from({ length: 50 }, (_, at) => ({
  id: `V-${at}`,
  type: 'visit',
  at: day('2025-02-01T10:00:00Z', at * 2 + (at % 3)),
  by: VETS[(at * 3 + (at >> 3)) % 4]!,
  properties: {
    clinic: CLINICS[(at + (at >> 2)) % 3]!,
    breed: BREEDS[(at * 2 + (at >> 3)) % 3]!,
    kind: KINDS[(at >> 1) % 3]!,
    price: 20 + ((at * 13) % 90),
    insured: at % 3 === 0,
  },
}))

const made = [...tickets, ...visits]

/** Records of the practice, in the form in which they are ingested. */
export const practice = made.map(({ id, type, at, by, properties }) => ({
  external_id: id,
  type,
  title: `${type} ${id}`,
  occurred_at: at,
  author: { type: 'person', name: by, identifiers: { email: `${by.split(' ')[0]!.toLowerCase()}@vets.example` } },
  properties,
}))

/** A Monday. */
export const PRACTICE_DATE = '2025-05-12'

const is = (name: string, value: string | number | boolean) => (row: Made) => row.properties[name] === value
const by = (name: string) => (row: Made) => row.by === name
const of = (name: string) => (row: Made) => row.properties[name] as string | undefined
const amount = (name: string) => (row: Made) => row.properties[name] as number
const within =
  (from: string, to: string, moment: (row: Made) => string | undefined = ({ at }) => at) =>
  (row: Made) => {
    const given = moment(row)?.slice(0, 10)
    return given !== undefined && given >= from && given <= to
  }
const open = (row: Made) => row.properties.status !== 'closed'
const tagged = (tag: string) => (row: Made) => ((row.properties.tags as string[] | undefined) ?? []).includes(tag)

const count = (rows: Made[], ...tests: ((row: Made) => boolean)[]): Expected => ({ value: pick(rows, tests).length })
const list = (rows: Made[], ...tests: ((row: Made) => boolean)[]): Expected => ({
  ids: pick(rows, tests)
    .map(({ id }) => id)
    .sort(),
})
const pick = (rows: Made[], tests: ((row: Made) => boolean)[]) => rows.filter((row) => tests.every((test) => test(row)))

function tally(rows: Made[], name: (row: Made) => string | undefined, add: (row: Made) => number = () => 1) {
  const counts: Record<string, number> = {}
  for (const row of rows) {
    const key = name(row)
    if (key !== undefined) counts[key] = (counts[key] ?? 0) + add(row)
  }
  return counts
}

const groups = (rows: Made[], name: (row: Made) => string | undefined): Expected => ({ groups: tally(rows, name) })
const sum = (rows: Made[], name: string) => rows.reduce((total, row) => total + amount(name)(row), 0)
const extreme = (rows: Made[], value: (row: Made) => number | string, isLeast = false): Expected => {
  const values = rows.map(value).sort((one, other) => (one < other ? -1 : one > other ? 1 : 0))
  return list(rows, (row) => value(row) === (isLeast ? values[0] : values.at(-1)))
}

const april = within('2025-04-01', '2025-04-30')
const closedIn = (from: string, to: string) => within(from, to, of('closed_at'))

/** Sixty questions about the practice with their answers. */
export const heldOut: [Expected, string][] = [
  [count(tickets), 'How many tickets are there?'],
  [count(tickets, open), 'How many tickets are open?'],
  [count(tickets, is('status', 'closed')), 'How many tickets have been closed?'],
  [count(tickets, is('status', 'on hold')), 'How many tickets are on hold?'],
  [count(tickets, is('severity', 'critical')), 'How many critical tickets do we have?'],
  [count(tickets, is('severity', 'critical'), open), 'How many critical tickets are still open?'],
  [count(tickets, is('clinic', 'Elm Lane')), 'How many tickets does the Elm Lane clinic have?'],
  [count(tickets, is('closed_by', 'Emil Sand')), 'How many tickets did Emil close?'],
  [count(tickets, closedIn('2025-03-01', '2025-03-31')), 'How many tickets were closed in March?'],
  [
    count(tickets, closedIn('2025-03-01', '2025-03-31'), is('closed_by', 'Nora Quist')),
    'How many tickets did Nora Quist close in March 2025?',
  ],
  [count(tickets, by('Farah Aziz')), 'How many tickets were reported by Farah?'],
  [count(tickets, is('owner', 'Otto Berg'), open), 'How many open tickets does Otto have?'],
  [count(tickets, (row) => row.properties.owner === undefined), 'How many tickets have no owner?'],
  [count(tickets, tagged('billing')), 'How many tickets are tagged billing?'],
  [count(tickets, tagged('urgent')), 'Count tickets with the tag urgent'],
  [count(tickets, (row) => amount('hours')(row) > 8), 'How many tickets have more than 8 hours?'],
  [count(tickets, within('2025-04-01', '2025-05-12')), 'How many tickets were created since April?'],
  [count(tickets, within('2025-01-01', '2025-01-31')), 'How many tickets were opened before February 2025?'],
  [count(visits), 'What is the number of visits?'],
  [count(visits, is('kind', 'surgery')), 'How many visits have the kind surgery?'],
  [count(visits, is('breed', 'poodle')), 'How many visits have the breed poodle?'],
  [count(visits, april), 'How many visits were there in April?'],
  [count(visits, within('2025-05-05', '2025-05-11')), 'How many visits were there last week?'],
  [count(visits, is('clinic', 'Northgate'), april), 'How many visits in Northgate were there last month?'],
  [count(visits, (row) => amount('price')(row) < 40), 'How many visits have a price below 40?'],
  [count(visits, (row) => row.properties.insured === true), 'How many insured visits are there?'],
  [count(visits, by('Emil Sand')), 'How many visits by Emil Sand are there?'],
  [list(tickets, is('status', 'in review')), 'Which tickets are in review?'],
  [list(tickets, is('status', 'new'), is('severity', 'major')), 'List the new major tickets'],
  [list(tickets, is('owner', 'Farah Aziz'), open), 'List the open tickets assigned to Farah'],
  [list(tickets, tagged('urgent')), 'Show me the tickets labelled urgent'],
  [list(tickets, closedIn('2025-04-20', '2025-04-30')), 'Which tickets were closed between 20 April and 30 April?'],
  [list(tickets, within('2025-04-28', '2025-05-04')), 'List tickets raised between April 28 and May 4, 2025'],
  [list(visits, within('2025-05-05', '2025-05-11')), 'Show the visits from 5 May to 11 May'],
  [list(visits, (row) => amount('price')(row) >= 105), 'Which visits have a price of at least 105?'],
  [list(tickets, is('closed_by', 'Farah Aziz')), 'Which tickets were closed by Farah Aziz?'],
  [groups(tickets, of('status')), 'How many tickets are there per status?'],
  [groups(tickets, of('clinic')), 'How many tickets does each clinic have?'],
  [groups(tickets, of('severity')), 'Tickets by severity'],
  [groups(tickets, of('owner')), 'Number of tickets per owner'],
  [groups(tickets, of('closed_by')), 'How many tickets did each person close?'],
  [groups(tickets, ({ by: name }) => name), 'How many tickets were reported by each person?'],
  [groups(tickets, (row) => of('closed_at')(row)?.slice(0, 7)), 'How many tickets were closed per month?'],
  [groups(visits, of('breed')), 'Visits per breed'],
  [groups(visits, of('kind')), 'Break down the visits by kind'],
  [groups(visits, ({ at }) => at.slice(0, 7)), 'How many visits were there each month?'],
  [groups(pick(visits, [april]), of('clinic')), 'How many visits were there per clinic in April?'],
  [winners(tally(tickets, of('clinic'))), 'Which clinic has the most tickets?'],
  [winners(tally(pick(tickets, [open]), of('owner'))), 'Who has the most open tickets?'],
  [winners(tally(tickets, of('closed_by'))), 'Who closed the most tickets?'],
  [winners(tally(visits, of('breed')), Math.min), 'Which breed has the fewest visits?'],
  [winners(tally(visits, of('clinic'), amount('price'))), 'Which clinic has the highest total price of visits?'],
  [extreme(visits, amount('price')), 'Which visit has the highest price?'],
  [extreme(visits, amount('price'), true), 'What is the visit with the lowest price?'],
  [extreme(tickets, ({ at }) => at), 'What is the newest ticket?'],
  [extreme(pick(visits, [is('clinic', 'Elm Lane')]), ({ at }) => at, true), 'What was the first visit in Elm Lane?'],
  [
    extreme(pick(tickets, [is('status', 'closed')]), (row) => of('closed_at')(row) ?? ''),
    'Which ticket was closed last?',
  ],
  [{ value: sum(visits, 'price') }, 'What is the total price of all visits?'],
  [{ value: sum(tickets, 'hours') / tickets.length }, 'What is the average number of hours of tickets?'],
  [{ value: sum(pick(visits, [april]), 'price') }, 'What is the sum of the prices of visits in April?'],
]

/** Questions about the practice that rows cannot answer. */
export const heldOutRefused: string[] = [
  'How many happy visits were there?',
  'Which vet is the kindest?',
  'How many tickets did Zelda close?',
  'How many tickets were closed by Nora and Emil?',
  'How many tickets are not in Northgate?',
  'Why was T-3 closed?',
  'How many tickets took longer than the average?',
  'List the visits in Southgate',
  'How many visits were cancelled?',
  'How many visits should be moved to Elm Lane?',
]
