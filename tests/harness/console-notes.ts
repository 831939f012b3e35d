/** Records about a pump and a crane, which the suites of the console ask about. */
export const NOTES = [
  {
    external_id: 'n1',
    type: 'note',
    title: 'Pump 7',
    text: 'We met in the hall. Pump 7 stopped because its filter was full of sand. Ada Berg cleaned it.',
    url: 'https://notes.example/n1',
    occurred_at: '2026-03-10',
    author: { name: 'Ada Berg', email: 'ada@example.com' },
  },
  { external_id: 'n2', type: 'note', title: 'Crane', text: 'The crane was painted.', occurred_at: '2026-03-12' },
]
