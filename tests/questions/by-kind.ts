/** A question that names a record by its kind, as in "the ticket about breakfast". */
export interface ByKind {
  question: string
  /** External ids of acceptable records for the first statement; empty if no such record exists. */
  records: readonly string[]
  /** Pattern of the answer; absent if there is no answer. */
  says?: RegExp
}

const expectAnswer = (question: string, says: RegExp, ...records: string[]): ByKind => ({ question, says, records })
/** Makes a question about a kind of record that does not exist. */
const none = (question: string): ByKind => ({ question, records: [] })

/** Questions by data set: some about a kind of record that exists there, some that match nothing. */
export const BY_KIND: Readonly<Record<'workspace' | 'desk' | 'ward' | 'memory' | 'forge', readonly ByKind[]>> = {
  workspace: [
    expectAnswer('What was the outage first blamed on?', /Autovacuum/, 'document/pm-inc-7'),
    expectAnswer('How long did the cold store outage last?', /INC-8|Bay 12/, 'document/pm-inc-8', 'OPS-44', 'OPS-31'),
    expectAnswer('What did the ticket about the load test ask for?', /slow ledger|staging/i, 'NOR-161'),
    expectAnswer('Who opened the merge request that retried postings?', /Yuki/, 'quote-api/pull/231'),
    expectAnswer('What does the doc on the ledger handover say?', /Yuki Tanabe/, 'document/ledger-handover'),
    expectAnswer('Who leads the portal project?', /Okafor/, 'project/harbour'),
    expectAnswer('What does the page on who is who say about Priya?', /engineering/i, 'document/who-is-who'),
    none('What was the flood first blamed on?'),
    none('What was the reactor outage first blamed on?'),
    none('Who signed the invoice for the telescope?'),
    none('What did the meeting about the zeppelin decide?'),
    none('Which customer complained in the survey about parking?'),
    none('What does the contract with the orchestra say?'),
  ],
  desk: [
    expectAnswer('What did the ticket about breakfast ask back?', /148/, 'T-2005'),
    expectAnswer('Who wrote the issue about the wifi?', /Wilma/, 'T-2009'),
    expectAnswer('What does the internal note say about Roomlink?', /stuck|did not get/, 'T-2003-n1'),
    expectAnswer('What did the system say of the nightly export in its message?', /disk full|finished/, 'S-1', 'S-2'),
    expectAnswer('Which group did the request for Porto concern?', /school choir/, 'T-2011'),
    expectAnswer('What does the mail about chargebacks say?', /7 chargebacks/, 'M-312'),
    expectAnswer('What did the case of the extranet login turn out to be?', /robot/, 'T-2008-r1', 'M-305'),
    none('What did the pull request on vouchers change?'),
    none('Who attended the meeting about the minibar?'),
    none('What was the outage at the airport blamed on?'),
    none('What does the contract for the swimming pool say?'),
    none('Who merged the release about parking?'),
    none('What did the ticket about the elevator ask for?'),
  ],
  ward: [
    expectAnswer('What did the meeting decide about the threshold of the score?', /stay at 5/, 'N-07'),
    expectAnswer('What did the minutes say about sealed envelopes?', /opened on ward 4A|REDCap/, 'N-03'),
    expectAnswer('What changed in the protocol about consent?', /relative/, 'P-11'),
    expectAnswer('What does the mail about the contract ask for?', /clause/, 'E-03'),
    expectAnswer('What did the message about the poster say it won?', /2nd prize/, 'C-18'),
    expectAnswer('What did the chat say about the courier box?', /WARM|dry ice/, 'C-16'),
    expectAnswer('What sample size does the study protocol give?', /240/, 'P-10'),
    none('What did the ticket about the kettle ask for?'),
    none('What was the outage first blamed on?'),
    none('Who approved the pull request?'),
    none('What did the meeting decide about parking?'),
    none('What does the invoice for the microscope say?'),
    none('What does the protocol say about insulin?'),
  ],
  memory: [
    expectAnswer('What did the message about the plant call it?', /Gunnar/, 's15'),
    expectAnswer('What did I say in the chat about the dentist?', /20 Feb/, 's05'),
    expectAnswer('What was the post about the sofa and my knee?', /knee/, 's13'),
    expectAnswer('In the conversation about the car, what did it cost?', /89 000/, 's03'),
    expectAnswer('What does my note about the flat in Laksevåg say of the rent?', /11 800/, 's11'),
    expectAnswer('Which message told of the boat exam?', /48 of 50/, 's17'),
    none('What did the email from Halvorsen say about salary?'),
    none('What was the outage first blamed on?'),
    none('What did the meeting with the bank decide?'),
    none('What does the invoice for the piano say?'),
    none('What did the ticket about the elevator ask for?'),
    none('Who wrote the document about taxes?'),
  ],
  forge: [
    expectAnswer('What did the pull request about compression change?', /level 9 -> 3|level 3/, 'PR-72'),
    expectAnswer('What did the PR on symlinks do?', /O_NOFOLLOW|Refuse symlinks/, 'PR-55'),
    expectAnswer('What does the ticket about symlinks report?', /follows symlinks/, 'I-52'),
    expectAnswer('What did the bug report on macOS say?', /pegs a core|100 ?% CPU/, 'I-58'),
    expectAnswer('What does the mail about the licence propose?', /Apache/, 'ML-04'),
    expectAnswer('Which fixes did the release about data loss bring?', /--delete/, 'R-0.9.1'),
    expectAnswer('What did the version with resumable transfers remove?', /YAML/, 'R-1.0.0'),
    expectAnswer('Why was the merge request on async closed?', /design first|12 %/, 'PR-90-c1', 'PR-90'),
    none('What did the pull request about the calendar change?'),
    none('What was the outage first blamed on?'),
    none('What did the meeting about stickers decide?'),
    none('What does the invoice from the printer say?'),
    none('What did the release about Bluetooth add?'),
    none('What did the ticket about printing ask for?'),
  ],
}
