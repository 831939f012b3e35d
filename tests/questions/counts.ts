import { count, type Row, type RowQuestion, within, workspace } from './workspace-rows.ts'

const { issues, messages, pulls, reviews, commits, comments, people, projects, cycles } = workspace
const isOpen = (issue: Row) => issue.state !== 'Done'

/** Questions about a number of rows: the answer, then three wordings. */
export const counts: RowQuestion[] = [
  [
    count(
      issues.filter((row) => row.assignee === 'Priya Raman' && within(row.completed_at, '2026-07-01', '2026-07-31')),
    ),
    'How many issues did Priya close in July?',
    'How many issues were closed by Priya Raman in July 2026?',
    'Number of issues Priya closed this month',
  ],
  [
    count(issues.filter((row) => within(row.completed_at, '2026-06-01', '2026-06-30'))),
    'How many issues were closed in June?',
    'How many issues did we close in June 2026?',
    'What is the number of issues that were completed last month?',
  ],
  [count(issues), 'How many issues are there?', 'How many issues do we have in total?', 'Count all issues'],
  [
    count(issues.filter(isOpen)),
    'How many issues are open?',
    'How many open issues are there?',
    'What is the number of issues that are still open?',
  ],
  [
    count(issues.filter((row) => isOpen(row) && row.assignee === 'Yuki Tanabe')),
    'How many open issues does Yuki have?',
    'How many open issues are assigned to Yuki Tanabe?',
    'Count the open issues assigned to Yuki',
  ],
  [
    count(issues.filter((row) => row.priority === 'Urgent')),
    'How many urgent issues are there?',
    'How many issues have urgent priority?',
    'Count the issues with priority urgent',
  ],
  [
    count(issues.filter((row) => row.priority === 'High' && isOpen(row))),
    'How many high priority issues are open?',
    'How many open issues have high priority?',
    'Number of open issues with priority High',
  ],
  [
    count(issues.filter((row) => row.team === 'Depot operations')),
    'How many issues does the Depot operations team have?',
    'How many issues are in the team Depot operations?',
    'Count issues of the Depot operations team',
  ],
  [
    count(issues.filter((row) => row.project === 'Driftwood')),
    'How many issues are in the Driftwood project?',
    'How many issues does Driftwood have?',
    'Number of issues in project Driftwood',
  ],
  [
    count(issues.filter((row) => row.project === 'Harbour')),
    'How many issues are in Harbour?',
    'How many issues belong to the Customer Portal project?',
    'How many issues are part of the project Harbour?',
  ],
  [
    count(issues.filter((row) => row.cycle === 'Cycle 24')),
    'How many issues are in Cycle 24?',
    'How many issues does Cycle 24 contain?',
    'Count the issues in cycle 24',
  ],
  [
    count(issues.filter((row) => row.labels.includes('incident'))),
    'How many issues have the label incident?',
    'How many issues are labelled incident?',
    'How many issues are tagged with incident?',
  ],
  [
    count(issues.filter((row) => row.assignee === undefined)),
    'How many issues have no assignee?',
    'How many issues are unassigned?',
    'How many issues are not assigned to anyone?',
  ],
  [
    count(issues.filter((row) => within(row.due_date, '2026-08-01', '2026-08-31'))),
    'How many issues are due in August 2026?',
    'How many issues have a due date in August 2026?',
    'Count the issues due between 1 August 2026 and 31 August 2026',
  ],
  [
    count(issues.filter((row) => within(row.at, '2026-06-18'))),
    'How many issues were opened on 18 June?',
    'How many issues were created on June 18, 2026?',
    'Number of issues raised on 2026-06-18',
  ],
  [
    count(issues.filter((row) => row.by === 'Fatima El Amin')),
    'How many issues did Fatima create?',
    'How many issues were opened by Fatima?',
    'How many issues has Fatima El Amin raised?',
  ],
  [
    count(pulls.filter((row) => row.state === 'merged')),
    'How many pull requests were merged?',
    'How many merged pull requests are there?',
    'How many PRs have been merged?',
  ],
  [
    count(pulls.filter((row) => within(row.merged_at, '2026-07-01', '2026-07-31'))),
    'How many pull requests were merged in July?',
    'How many PRs did we merge this month?',
    'Number of pull requests merged between 1 July and 31 July',
  ],
  [
    count(pulls.filter((row) => row.mergedBy === 'Priya Raman')),
    'How many pull requests did Priya merge?',
    'How many PRs were merged by Priya?',
    'Count the pull requests that Priya Raman merged',
  ],
  [
    count(pulls.filter((row) => row.by === 'Alexandra Okafor')),
    'How many pull requests did Alexandra Okafor open?',
    'How many pull requests were opened by Alexandra Okafor?',
    'How many PRs did Lex Okafor create?',
  ],
  [
    count(pulls.filter((row) => row.repository === 'ledger-api')),
    'How many pull requests are in ledger-api?',
    'How many pull requests does the ledger-api repository have?',
    'Count the PRs in the repository ledger-api',
  ],
  [
    count(pulls.filter((row) => row.state === 'open')),
    'How many pull requests are open?',
    'How many open PRs are there?',
    'What is the number of open pull requests?',
  ],
  [
    count(pulls.filter((row) => row.additions > 500)),
    'How many pull requests have more than 500 additions?',
    'How many PRs have over 500 additions?',
    'Count pull requests with additions greater than 500',
  ],
  [
    count(messages.filter((row) => row.channel === '#incidents')),
    'How many messages are in #incidents?',
    'How many messages were posted in #incidents?',
    'Number of messages in the #incidents channel',
  ],
  [
    count(messages.filter((row) => row.by === 'Tomas Brandao')),
    'How many messages did Tomas post?',
    'How many messages were written by Tomas Brandao?',
    'How many messages has Tomás sent?',
  ],
  [
    count(messages.filter((row) => row.by === 'Joost Hendriks' && within(row.at, '2026-06-01', '2026-06-30'))),
    'How many messages did Joost write in June?',
    'How many messages from Joost Hendriks were there in June 2026?',
    'Count the messages Joost posted last month',
  ],
  [
    count(messages.filter((row) => within(row.at, '2026-07-20', '2026-07-26'))),
    'How many messages were posted last week?',
    'How many messages were there between 20 July and 26 July?',
    'Count messages sent last week',
  ],
  [
    count(reviews.filter((row) => row.verdict === 'approved')),
    'How many reviews approved?',
    'How many reviews have the verdict approved?',
    'How many approved reviews are there?',
  ],
  [
    count(reviews.filter((row) => row.by === 'Alexandra Okafor' && row.verdict === 'changes_requested')),
    'How many reviews with verdict changes requested did Alexandra Okafor write?',
    'How many reviews by Alexandra Okafor have the verdict changes requested?',
    'Count the changes requested reviews from Lex Okafor',
  ],
  [
    count(commits.filter((row) => row.repository === 'infra')),
    'How many commits are in infra?',
    'How many commits does the infra repository have?',
    'Number of commits in the repository infra',
  ],
  [
    count(comments.filter((row) => row.issue === 'NOR-118')),
    'How many comments are on NOR-118?',
    'How many comments does NOR-118 have?',
    'Number of comments on issue NOR-118',
  ],
  [
    count(people.filter((row) => row.team === 'Engineering')),
    'How many people are in the Engineering team?',
    'How many users are on the team Engineering?',
    'Count the people in Engineering',
  ],
  [
    count(projects),
    'How many projects are there?',
    'How many projects do we have?',
    'What is the total number of projects?',
  ],
  [
    count(cycles.filter((row) => row.state === 'Completed')),
    'How many cycles are completed?',
    'How many completed cycles are there?',
    'Count the cycles with state Completed',
  ],
]
