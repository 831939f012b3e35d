import type { BroadQuestion } from './question.ts'

const page = (external_id: string, title: string, text: string) => ({
  external_id,
  type: 'page',
  title,
  text,
  occurred_at: '2026-03-02T08:00:00Z',
})

/** A veterinary practice's handbook and notes: plain pages without declared entities. */
export const HANDBOOK_RECORDS = [
  page(
    'practice',
    'The practice',
    'Willow Lane is a veterinary practice for small animals in Durham. Dr. Hana Kovac founded it in 2009. It has two ' +
      'surgeons and four nurses.',
  ),
  page(
    'triage',
    'Triage',
    'Triage is the order in which animals are seen when several arrive at once. A nurse decides it at the door. ' +
      'Animals that bleed or do not breathe well go first.',
  ),
  page(
    'cold-chain',
    'Cold chain',
    'The cold chain is what keeps vaccines between 2 and 8 °C from the van to the needle. The fridge alarm calls the ' +
      'nurse on duty.',
  ),
  page(
    'rota',
    'Night rota',
    'The night rota is drawn up by Owen Pryce on the 20th of each month. Swaps go through him. Nobody works two ' +
      'nights in a row.',
  ),
  page('leave', 'Leave', 'Everyone has 28 days of leave. Ask Owen Pryce six weeks ahead. Christmas is drawn by lot.'),
  page(
    'pet-plan',
    'Pet plan',
    'The pet plan is a monthly subscription of £14 that covers vaccines, worming and two check-ups a year. It does ' +
      'not cover surgery.',
  ),
  page(
    'mira',
    'New colleague: Mira Sandhu',
    'Mira Sandhu is our new surgeon from 1 April. She comes from Leeds, where she worked with rabbits and birds.',
  ),
  page(
    'x-ray',
    'X-ray room',
    'The X-ray room is behind the second theatre. Nobody enters while the red lamp is on. Dosimeters are read each ' +
      'quarter by Lotte Brandt, our radiation officer.',
  ),
]

/** Questions of a new colleague. */
export const HANDBOOK: readonly BroadQuestion[] = [
  ['What is the pet plan?', /monthly subscription/],
  ['What is triage?', /order in which animals are seen/],
  ['What is the cold chain?', /keeps vaccines/],
  ['What is the night rota?', /Owen Pryce|drawn up/],
  ['Where is the X-ray room?', /behind the second theatre/],
  ['What is Willow Lane?', /veterinary practice/],
  ['Tell me about Willow Lane.', /veterinary practice/],
  ['Who is Mira Sandhu?', /new surgeon/],
  ['Who is Hana Kovac?', /founded/],
  ['Who is Owen Pryce?', /rota|leave|Swaps/i],
  ['Who is Lotte Brandt?', /radiation officer/],
  ['Explain the pet plan', /monthly subscription/],
  ['What do you know about?', /8 records|Willow|Owen/],
  ['What is in here?', /8 records|Willow|Owen/],
  ['good morning', /ask|8 records/i],
]
