import { groups, type Row, type RowQuestion, tally, within, workspace } from './workspace-rows.ts'

const { issues, messages, pulls, reviews, commits, comments, people, updates } = workspace
const isOpen = (issue: Row) => issue.state !== 'Done'

/** Questions about a number per group: the answer, then three wordings. */
export const grouped: RowQuestion[] = [
  [
    groups(issues, (row) => row.state),
    'How many issues are there per state?',
    'Issues by state',
    'Show the number of issues for each state',
  ],
  [
    groups(issues, (row) => row.priority),
    'How many issues are there by priority?',
    'Count issues per priority',
    'How many issues does each priority have?',
  ],
  [
    groups(issues, (row) => row.team),
    'How many issues does each team have?',
    'Number of issues per team',
    'Break down the issues by team',
  ],
  [
    groups(issues, (row) => row.assignee),
    'How many issues does each assignee have?',
    'Number of issues by assignee',
    'How many issues are assigned to each person?',
  ],
  [
    groups(issues.filter(isOpen), (row) => row.assignee),
    'How many open issues does each assignee have?',
    'Open issues per assignee',
    'How many open issues are assigned to each person?',
  ],
  [
    groups(issues, (row) => row.project),
    'How many issues are there per project?',
    'Number of issues by project',
    'How many issues does each project have?',
  ],
  [
    groups(issues, (row) => row.cycle),
    'How many issues are in each cycle?',
    'Count the issues by cycle',
    'Issues per cycle',
  ],
  [
    groups(issues, (row) => row.labels),
    'How many issues are there per label?',
    'Number of issues by label',
    'How many issues does each label have?',
  ],
  [
    groups(
      issues.filter((row) => row.completed_at),
      (row) => row.completed_at?.slice(0, 7),
    ),
    'How many issues were closed per month?',
    'How many issues were completed each month?',
    'Number of issues closed by month',
  ],
  [
    groups(issues, (row) => row.by),
    'How many issues did each person create?',
    'Number of issues per author',
    'How many issues were opened by each person?',
  ],
  [
    groups(pulls, (row) => row.repository),
    'How many pull requests does each repository have?',
    'Pull requests per repository',
    'Number of PRs by repository',
  ],
  [
    groups(pulls, (row) => row.state),
    'How many pull requests are there by state?',
    'Count pull requests per state',
    'Break down pull requests by state',
  ],
  [
    groups(pulls, (row) => row.by),
    'How many pull requests did each person open?',
    'Number of pull requests per author',
    'How many PRs were opened by each person?',
  ],
  [
    groups(
      pulls.filter((row) => row.mergedBy),
      (row) => row.mergedBy,
    ),
    'How many pull requests did each person merge?',
    'How many pull requests were merged by each person?',
    'Number of merged pull requests by who merged them',
  ],
  [
    groups(
      pulls.filter((row) => row.merged_at),
      (row) => row.merged_at?.slice(0, 7),
    ),
    'How many pull requests were merged per month?',
    'How many PRs were merged each month?',
    'Pull requests merged by month',
  ],
  [
    groups(messages, (row) => row.channel),
    'How many messages are there per channel?',
    'Number of messages by channel',
    'How many messages does each channel have?',
  ],
  [
    groups(messages, (row) => row.by),
    'How many messages did each person write?',
    'Number of messages per author',
    'How many messages were posted by each person?',
  ],
  [
    groups(
      messages.filter((row) => row.channel === '#incidents'),
      (row) => row.by,
    ),
    'How many messages did each person post in #incidents?',
    'Number of messages in #incidents per author',
    'Messages in the #incidents channel by author',
  ],
  [
    groups(messages, (row) => row.at.slice(0, 7)),
    'How many messages were posted per month?',
    'Messages by month',
    'How many messages were sent each month?',
  ],
  [
    groups(reviews, (row) => row.verdict.replace('_', ' ')),
    'How many reviews are there per verdict?',
    'Number of reviews by verdict',
    'Break down reviews by verdict',
  ],
  [
    groups(commits, (row) => row.repository),
    'How many commits are there per repository?',
    'Commits by repository',
    'How many commits does each repository have?',
  ],
  [
    groups(comments, (row) => row.by),
    'How many comments did each person write?',
    'Number of comments per author',
    'How many comments were written by each person?',
  ],
  [
    groups(people, (row) => row.team),
    'How many people are in each team?',
    'Number of people per team',
    'People by team',
  ],
  [
    groups(updates, (row) => row.project),
    'How many project updates does each project have?',
    'Number of project updates per project',
    'Project updates by project',
  ],
  [
    {
      groups: tally(
        pulls.filter((row) => within(row.at, '2026-07-01', '2026-07-31')),
        (row) => row.repository,
      ),
    },
    'How many pull requests were opened in July per repository?',
    'Number of pull requests opened this month by repository',
    'For each repository, how many pull requests were opened in July?',
  ],
]
