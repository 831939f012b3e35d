/** A question that the example's README suggests, with a pattern of the fact that its answer contains. */
export interface Suggested {
  question: string
  holds: RegExp
  /** External ids of acceptable records for the first statement and the first citation. */
  records: readonly string[]
}

/** Questions under "To ask" in examples/workspace/README.md. */
export const TO_ASK: readonly Suggested[] = [
  {
    question: 'Who owns ledger-api, and who did before?',
    holds: /Yuki Tanabe owns ledger-api from 20 July[\s\S]*Alex(ander)? Lindqvist/,
    records: ['document/ledger-handover', 'C02ENG-1784106000.000892', 'document/who-is-who'],
  },
  {
    question: 'When does Harbour launch?',
    holds: /17 August, not on 13 July|launch stays on 17 August/,
    records: ['C05HRB-1784025000.000683', 'C05HRB-1783503000.000167', 'project/harbour', 'update/harbour-2'],
  },
  {
    question: 'What happened at the depot last week?',
    holds: /14 pallets to Bay 11/,
    records: [
      'C08DEP-1784708100.000671',
      'C08DEP-1784693400.000816',
      'C08DEP-1784697600.000361',
      'C08DEP-1784820600.000731',
    ],
  },
  {
    question: 'What was the outage first blamed on?',
    holds: /What we believed first: Autovacuum on pg-old-1/,
    records: ['document/pm-inc-7'],
  },
  {
    question: 'What became of NOR-160?',
    holds: /NOR-160 is now FIN-21|moved to Finance tools[\s\S]*FIN-21/,
    records: ['C10FIN-1781773800.000412', 'NOR-160'],
  },
]

/** Expected fact by question of `sample_questions`. */
export const SAMPLE_FACTS: Readonly<Record<string, RegExp>> = {
  'What caused the duplicate invoices in June, how was it fixed, who owns the follow-ups, and what is still open?':
    /quote-api #231[\s\S]*unique index restored[\s\S]*NOR-161[\s\S]*Still open are NOR-161[\s\S]*NOR-159/,
  'Who owns ledger-api now, and who owned it before?':
    /Yuki Tanabe since 20 July(?: 2026)?; before that it was Alexander Lindqvist/,
  'When will Harbour launch, and how often has the date moved?':
    /17 August, not on 13 July|17 August(?: 2026)? since 8 July; before that it was 13 July/,
  'How many duplicate invoices were sent, to how many customers, and for how much money?':
    /217 [\s\S]*63 customers[\s\S]*€48,310\.40/,
  'What was believed to be the cause of the ledger outage at first, and why was that wrong?':
    /Autovacuum on pg-old-1\. It was cancelled at 08:31 without effect/,
  'What changed about single sign-on, when, and why?': /NOR-150 .*since 14 July[\s\S]*before that it was cancelled/,
  'How did the cutover to Tidewell go?': /done since 4 July/,
  'Why was dump and restore given up for the ledger migration?': /3 h 52 min|logical replication/i,
  'What does Tidewell cost a month compared with pg-old-1, and what was quoted?': /€1,940 a month[\s\S]*€1,150 a month/,
  'What happened at the depot last week?': /14 pallets to Bay 11/,
  'Why did nobody get an alarm when Bay 12 warmed up?': /mute of 7 May used bay-1\*[\s\S]*76 days/,
  'What happened to NOR-160?': /NOR-160 is now FIN-21|moved to Finance tools[\s\S]*FIN-21/,
  'Who was hired as the second SRE, when did they start, and who declined the offer?':
    /(6 July 2026[\s\S]*Rosa Klint declined|Rosa Klint declined[\s\S]*6 July 2026)/,
  'Who is on call this week?': /Bamidele Adeyemi is on call/,
  'What is the Customer Portal called today, and who leads it?':
    /Called Customer Portal until 27 May 2026[\s\S]*Harbour has been led by Alexandra Okafor since 1 July/,
  'What is open and due in the first week of August?': /NOR-159[\s\S]*NOR-161/,
  'Which pull requests did Alex Lindqvist open in June?': /pull\/423[\s\S]*pull\/419[\s\S]*pull\/409/,
  'What did Alex Okafor ship for Harbour in July?': /#33|#36/,
}

/** Additional acceptable records by question of `sample_questions`. */
export const SAMPLE_RECORDS: Readonly<Record<string, readonly string[]>> = {
  'How did the cutover to Tidewell go?': ['NOR-129'],
  'What happened at the depot last week?': ['C08DEP-1784693400.000816', 'C08DEP-1784708100.000671'],
  'What is open and due in the first week of August?': ['C03INC-1785402900.000954'],
  'Who was hired as the second SRE, when did they start, and who declined the offer?': ['NOR-118', 'user/dele.adeyemi'],
}
