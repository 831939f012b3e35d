import {
  average,
  extreme,
  fewest,
  most,
  type Row,
  type RowQuestion,
  sum,
  winners,
  within,
  workspace,
} from './workspace-rows.ts'

const { issues, messages, pulls, reviews, commits, comments } = workspace
const isOpen = (issue: Row) => issue.state !== 'Done'
const isMerged = (pull: Row) => pull.state === 'merged'

function totals(found: Row[], by: (row: Row) => string, of: (row: Row) => number): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const row of found) counts[by(row)] = (counts[by(row)] ?? 0) + of(row)
  return counts
}

/** Questions about a maximum, minimum, first, last, sum or average: the answer, then three wordings. */
export const extremes: RowQuestion[] = [
  [
    most(
      pulls.filter((row) => row.state === 'open'),
      (row) => row.repository ?? '',
    ),
    'Which repository has the most open pull requests?',
    'Which repository has the highest number of open pull requests?',
    'What repository has the most open PRs?',
  ],
  [
    most(pulls, (row) => row.repository),
    'Which repository has the most pull requests?',
    'What repository has the largest number of PRs?',
    'In which repository are the most pull requests?',
  ],
  [
    most(messages, (row) => row.by),
    'Who wrote the most messages?',
    'Who posted the most messages?',
    'Which person sent the most messages?',
  ],
  [
    most(messages, (row) => row.channel),
    'Which channel has the most messages?',
    'What channel has the highest number of messages?',
    'Which channel were the most messages posted in?',
  ],
  [
    fewest(messages, (row) => row.channel),
    'Which channel has the fewest messages?',
    'What channel has the least messages?',
    'Which channel has the lowest number of messages?',
  ],
  [
    most(
      messages.filter((row) => row.channel === '#incidents'),
      (row) => row.by,
    ),
    'Who posted the most messages in #incidents?',
    'Who wrote most messages in the #incidents channel?',
    'Which person has the most messages in #incidents?',
  ],
  [
    most(issues.filter(isOpen), (row) => row.assignee),
    'Who has the most open issues?',
    'Which assignee has the most open issues?',
    'Who is assigned the most open issues?',
  ],
  [
    most(
      issues.filter((row) => row.state === 'Done'),
      (row) => row.assignee,
    ),
    'Who closed the most issues?',
    'Who has closed the highest number of issues?',
    'Which person completed the most issues?',
  ],
  [
    most(issues, (row) => row.by),
    'Who created the most issues?',
    'Who opened the most issues?',
    'Which person raised the largest number of issues?',
  ],
  [
    most(pulls.filter(isMerged), (row) => row.mergedBy),
    'Who merged the most pull requests?',
    'Which person merged the most PRs?',
    'Who has merged the highest number of pull requests?',
  ],
  [
    most(reviews, (row) => row.by),
    'Who wrote the most reviews?',
    'Which person wrote the highest number of reviews?',
    'Who has the most reviews?',
  ],
  [
    extreme(pulls, (row) => row.additions),
    'Which pull request has the most additions?',
    'What is the pull request with the most additions?',
    'Which PR has the highest number of additions?',
  ],
  [
    extreme(pulls, (row) => row.deletions),
    'Which pull request has the most deletions?',
    'What is the pull request with the highest deletions?',
    'Which PR has the largest number of deletions?',
  ],
  [
    extreme(issues, (row) => row.estimate),
    'Which issues have the highest estimate?',
    'What are the issues with the highest estimate?',
    'List the issues with the largest estimate',
  ],
  [
    extreme(messages, (row) => row.at),
    'What is the latest message?',
    'What is the most recent message?',
    'Show me the newest message',
  ],
  [
    extreme(
      messages.filter((row) => row.channel === '#general'),
      (row) => row.at,
      false,
    ),
    'What is the first message in #general?',
    'What is the oldest message in #general?',
    'Show me the earliest message in the #general channel',
  ],
  [
    extreme(pulls.filter(isMerged), (row) => row.merged_at),
    'Which pull request was merged last?',
    'What is the most recently merged pull request?',
    'Which PR was merged most recently?',
  ],
  [
    extreme(
      comments.filter((row) => row.by === 'Joost Hendriks'),
      (row) => row.at,
    ),
    'What is the latest comment by Joost?',
    'Show me the last comment from Joost Hendriks',
    'What was the most recent comment Joost wrote?',
  ],
  [
    sum(pulls, (row) => row.additions),
    'What is the total number of additions of all pull requests?',
    'What is the sum of additions of pull requests?',
    'How many additions do the pull requests have in total?',
  ],
  [
    sum(
      issues.filter((row) => row.cycle === 'Cycle 22'),
      (row) => row.estimate,
    ),
    'What is the total estimate of issues in Cycle 22?',
    'What is the sum of the estimates of the issues in Cycle 22?',
    'Total estimate of the issues in cycle 22',
  ],
  [
    average(issues, (row) => row.estimate),
    'What is the average estimate of issues?',
    'What is the mean estimate of the issues?',
    'Average estimate of all issues',
  ],
  [
    average(
      pulls.filter((row) => row.repository === 'infra'),
      (row) => row.additions,
    ),
    'What is the average number of additions of pull requests in infra?',
    'Average additions of the PRs in the infra repository',
    'What is the mean number of additions of pull requests in the repository infra?',
  ],
  [
    winners(
      totals(
        commits,
        (row) => row.repository ?? '',
        (row) => row.additions,
      ),
    ),
    'Which repository has the most additions in commits?',
    'Which repository has the highest total additions of commits?',
    'In which repository do commits have the highest total number of additions?',
  ],
]

/** Questions about a number within a range of days: the answer, then three wordings. */
export const ranges: RowQuestion[] = [
  [
    { value: messages.filter((row) => within(row.at, '2026-06-16', '2026-06-18')).length },
    'How many messages were posted between 16 June and 18 June?',
    'How many messages were sent from 16 June to 18 June?',
    'Count the messages between June 16 and June 18, 2026',
  ],
  [
    { value: pulls.filter((row) => row.at >= '2026-07-15').length },
    'How many pull requests were opened since 15 July?',
    'Number of PRs created since July 15',
    'How many pull requests were opened on or after 15 July?',
  ],
  [
    { value: issues.filter((row) => row.at < '2026-06-01').length },
    'How many issues were opened before June 2026?',
    'How many issues were created before 1 June?',
    'Number of issues raised before 2026-06-01',
  ],
  [
    { value: comments.filter((row) => within(row.at, '2026-07-01', '2026-07-31')).length },
    'How many comments were written in July?',
    'Number of comments this month',
    'How many comments were made in July 2026?',
  ],
]
