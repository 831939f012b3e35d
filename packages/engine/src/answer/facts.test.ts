import { describe, expect, it } from 'vitest'
import { story } from '../../../../tests/harness/sample-stories.ts'
import { renderDates } from '../text/civil-date.ts'
import type { BriefRelation } from './brief.ts'
import { gatherFacts } from './facts.ts'
import { clause } from './relations.ts'

const at = (day: number): number => story('rec', day, {}).occurredAtMs!

function render(...relations: BriefRelation[]): string[] {
  return gatherFacts([story('rec_1', 30, { relations })], at(30)).flatMap((fact) => renderDates([fact.text]))
}

describe('gatherFacts', () => {
  it('renders successive values as one history, the current value first', () => {
    const launch = { subject: 'Atlas', predicate: 'launch_date' }
    expect(
      render(
        { ...launch, object: '2026-06-22', validFromMs: at(1), validToMs: at(9) },
        { ...launch, object: '2026-07-13', validFromMs: at(9), validToMs: at(20) },
        { ...launch, object: '2026-08-17', validFromMs: at(20) },
      ),
    ).toEqual([
      'The launch date of Atlas has been 17 August 2026 since 20 June; before that it was 13 July, ' +
        'and before that 22 June (until 9 June).',
    ])
  })

  it('treats the latest value as current and a later start as future', () => {
    const lead = (day: number, subject: string, more = {}) =>
      story(`rec_${day}`, day, { relations: [{ subject, predicate: 'leads', object: 'Atlas', ...more }] })
    const facts = (...records: ReturnType<typeof lead>[]) =>
      gatherFacts(records, at(30)).flatMap(({ text }) => renderDates([text]))
    const now = ['Priya Raman leads Atlas as of 9 June 2026; before that it was Ana Silva.']
    expect(facts(lead(1, 'Ana Silva'), lead(9, 'Priya Raman'), lead(4, 'Ana Silva'))).toEqual(now)
    expect(facts(lead(9, 'Priya Raman'), lead(4, 'Ana Silva'), lead(1, 'Ana Silva'))).toEqual(now)
    expect(facts(lead(1, 'Ana Silva'), lead(9, 'Priya Raman', { validFromMs: at(35) }))).toEqual([
      'Ana Silva leads Atlas as of 1 June 2026; from 5 July it is Priya Raman.',
    ])
  })

  it('does not make a succession of values that hold side by side', () => {
    const member = { predicate: 'member_of', subject: 'Priya Raman' }
    expect(
      render({ ...member, object: 'Atlas', validFromMs: at(1) }, { ...member, object: 'Billing', validFromMs: at(5) }),
    ).toEqual([
      'Priya Raman is a member of Atlas (since 1 June 2026).',
      'Priya Raman is a member of Billing (since 5 June 2026).',
    ])
  })

  it('renders an ended fact in the past tense', () => {
    expect(
      render({ subject: 'Ana Silva', predicate: 'leads', object: 'Atlas', validFromMs: at(1), validToMs: at(9) }),
    ).toEqual(['Ana Silva led Atlas (1 June 2026 to 8 June).'])
  })

  it('renders an event with its day and a future fact as future', () => {
    expect(render({ subject: 'Rosa Klint', predicate: 'declined', object: 'the offer', validFromMs: at(2) })).toEqual([
      'Rosa Klint declined the offer (2 June 2026).',
    ])
    expect(render({ subject: 'Ana Silva', predicate: 'works_at', object: 'Norhaven', validFromMs: at(40) })).toEqual([
      'Ana Silva works at Norhaven (from 10 July 2026).',
    ])
  })

  it('says until when the value before held, when another followed later', () => {
    const launch = { subject: 'Atlas', predicate: 'launch_date' }
    expect(
      render(
        { ...launch, object: '2026-06-22', validFromMs: at(1), validToMs: at(9) },
        { ...launch, object: '2026-08-17', validFromMs: at(20) },
      ),
    ).toEqual([
      'The launch date of Atlas has been 17 August 2026 since 20 June; before that it was 22 June (until 9 June).',
    ])
  })

  it('names an entity by its key and its title in quotation marks, without a parenthesis', () => {
    const entities = [
      { canonicalId: 'e1', type: 'issue', name: 'Alert before the pool is full', aliases: ['NOR-159'] },
      { canonicalId: 'e2', type: 'project', name: 'Harbour (formerly Customer Portal)' },
    ]
    const relations = [
      { subject: 'Alert before the pool is full', predicate: 'assigned_to', object: 'Dele', validFromMs: at(8) },
      { subject: 'Harbour (formerly Customer Portal)', predicate: 'led_by', object: 'Ana Silva' },
    ]
    expect(gatherFacts([story('rec_1', 30, { entities, relations })], at(30)).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^NOR-159 “Alert before the pool is full” is assigned to Dele/),
      'Harbour is led by Ana Silva.',
    ])
  })
})

describe('clause', () => {
  it('is grammatical for verbs, participles, nouns and roles', () => {
    expect(clause('A', 'works at', 'B')).toBe('A works at B')
    expect(clause('A', 'assigned to', 'B')).toBe('A is assigned to B')
    expect(clause('A', 'owned by', 'B')).toBe('A is owned by B')
    expect(clause('A', 'part of', 'B')).toBe('A is part of B')
    expect(clause('A', 'status', 'In Progress')).toBe('A is in progress')
    expect(clause('A', 'mother', 'B')).toBe('The mother of A is B')
    expect(clause('A', 'duplicate invoices', '217')).toBe('The duplicate invoices of A are 217')
    expect(clause('A', 'on call', 'B')).toBe('A is on call for B')
    expect(clause('A', 'assigned to', 'B', 'since')).toBe('A has been assigned to B')
    expect(clause('A', 'duplicate invoices', '217', 'since')).toBe('The duplicate invoices of A have been 217')
    expect(clause('A', 'works at', 'B', 'since')).toBe('A works at B')
  })
})
