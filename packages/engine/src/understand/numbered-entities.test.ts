import { expect, test } from 'vitest'
import { mentionsOtherNumber, numberedEntities } from './numbered-entities.ts'

test.each([
  ['When was invoice 1043 paid?', 'Invoice 1042 was paid on 3 May.', true],
  ['When was invoice 1043 paid?', 'Invoices 1042 and invoice 1043 were paid on 3 May.', false],
  ['Does Room 302 have a leak?', 'Room 301 has a leak.', true],
  ['What did version 3.2 fix?', 'Version 3.1 fixed the login.', true],
  ['Was KB771 cancelled?', 'KB-772 was cancelled.', true],
  ['What happened on 3 May?', 'The gate was painted on 4 May.', false],
  ['What happened in May 2026?', 'In June 2025 the gate was painted.', false],
  ['What did the 2024 audit find?', 'The 2025 audit found two faults.', true],
  ['What did the 2024 audit find?', 'The 2024 audit was clean.', false],
  ['When is the pool open on Mondays?', 'The pool opens at 9 on Saturdays.', true],
  ['When is the pool open on Mondays?', 'The pool opens at 9 from Sunday to Tuesday.', false],
  ['Is the pool open every Friday?', 'The pool is closed from Monday to Wednesday.', true],
  ['What did we decide on Monday?', 'The release is on Friday.', false],
  ['What is the budget?', 'The budget 5 was approved.', false],
])('%s %s', (question, text, isOther) => {
  expect(mentionsOtherNumber(numberedEntities(question))(text)).toBe(isOther)
})
