import { list, type Row, type RowQuestion, within, workspace } from './workspace-rows.ts'

const { issues, messages, pulls, reviews, commits, comments, people, projects, updates } = workspace
const isOpen = (issue: Row) => issue.state !== 'Done'

/** Questions that ask for the rows themselves: the answer, then three wordings. */
export const lists: RowQuestion[] = [
  [
    list(
      messages.filter(
        (row) =>
          row.by === 'Tomas Brandao' && row.channel === '#incidents' && within(row.at, '2026-07-20', '2026-07-26'),
      ),
    ),
    'List the messages Tomas posted in #incidents last week',
    'Show me the messages by Tomas in #incidents last week',
    'Which messages did Tomás write in the #incidents channel between 20 July and 26 July?',
  ],
  [
    list(issues.filter(isOpen)),
    'List the open issues',
    'Which issues are open?',
    'Show me all issues that are still open',
  ],
  [
    list(issues.filter((row) => isOpen(row) && row.project === 'Harbour')),
    'Which issues in Harbour are open?',
    'List the open issues of the Harbour project',
    'Show open issues in the project Customer Portal',
  ],
  [
    list(issues.filter((row) => isOpen(row) && row.assignee === 'Alexandra Okafor')),
    'List the open issues assigned to Alexandra Okafor',
    'Which open issues does Alexandra Okafor have?',
    'Show me the issues assigned to Alexandra Okafor that are open',
  ],
  [
    list(issues.filter((row) => row.assignee === 'Bamidele Adeyemi')),
    'List the issues assigned to Dele',
    'Which issues are assigned to Bamidele Adeyemi?',
    'What issues does Dele Adeyemi have?',
  ],
  [
    list(issues.filter((row) => row.assignee === undefined)),
    'List the issues without an assignee',
    'Which issues have no assignee?',
    'Show the unassigned issues',
  ],
  [
    list(issues.filter((row) => isOpen(row) && within(row.due_date, '2026-08-01', '2026-08-05'))),
    'List the open issues due before 6 August 2026',
    'Which open issues are due before 2026-08-06?',
    'Show me the open issues with a due date before August 6, 2026',
  ],
  [
    list(issues.filter((row) => row.state === 'In Progress')),
    'Which issues are in progress?',
    'List the issues in state In Progress',
    'List all in progress issues',
  ],
  [
    list(issues.filter((row) => row.state === 'Todo')),
    'List the issues with state Todo',
    'Which issues are in Todo?',
    'Show me the todo issues',
  ],
  [
    list(issues.filter((row) => row.priority === 'Urgent' && row.assignee === 'Alexander Lindqvist')),
    'List the urgent issues assigned to Alexander Lindqvist',
    'Which urgent issues did Alexander Lindqvist have?',
    'Show me the issues with priority urgent assigned to Alex Lindqvist',
  ],
  [
    list(issues.filter((row) => row.labels.includes('alerting'))),
    'List the issues labelled alerting',
    'Which issues have the label alerting?',
    'Show issues with label alerting',
  ],
  [
    list(issues.filter((row) => within(row.at, '2026-07-20', '2026-07-26'))),
    'Which issues were opened last week?',
    'List the issues created last week',
    'Show me issues that were raised between 20 July and 26 July',
  ],
  [
    list(pulls.filter((row) => row.state === 'open')),
    'List the open pull requests',
    'Which pull requests are open?',
    'What pull requests are currently open?',
  ],
  [
    list(pulls.filter((row) => row.state === 'draft')),
    'Which pull requests are drafts?',
    'List the draft pull requests',
    'Show the pull requests with state draft',
  ],
  [
    list(pulls.filter((row) => row.by === 'Tomas Brandao' && within(row.merged_at, '2026-07-01', '2026-07-31'))),
    'List the pull requests by Tomas that were merged in July',
    'Which pull requests by Tomas Brandao were merged this month?',
    'Show me the PRs from Tomas that were merged since 1 July',
  ],
  [
    list(pulls.filter((row) => row.repository === 'harbour-web' && within(row.at, '2026-07-01', '2026-07-31'))),
    'List the pull requests opened in harbour-web in July',
    'Which pull requests in the harbour-web repository were opened this month?',
    'Show PRs created in harbour-web since 1 July',
  ],
  [
    list(pulls.filter((row) => row.deletions > 100)),
    'Which pull requests have more than 100 deletions?',
    'List the pull requests with more than 100 deletions',
    'Show PRs with over 100 deletions',
  ],
  [
    list(reviews.filter((row) => row.by === 'Fatima El Amin')),
    'List the reviews by Fatima',
    'Which reviews did Fatima El Amin write?',
    'Show me the reviews from Fatima',
  ],
  [
    list(commits.filter((row) => row.by === 'Yuki Tanabe')),
    'List the commits by Yuki',
    'Which commits did Yuki Tanabe make?',
    'Show commits from Yuki',
  ],
  [
    list(comments.filter((row) => row.issue === 'NOR-118')),
    'List the comments on NOR-118',
    'Which comments are on NOR-118?',
    'Show me all comments on issue NOR-118',
  ],
  [
    list(people.filter((row) => row.team === 'Engineering')),
    'Who is in the Engineering team?',
    'List the people in the Engineering team',
    'Which people are on the team Engineering?',
  ],
  [
    list(projects.filter((row) => row.state === 'In progress')),
    'Which projects are in progress?',
    'List the projects in progress',
    'Show me the projects with state In progress',
  ],
  [
    list(updates.filter((row) => row.health === 'at risk')),
    'List the project updates with health at risk',
    'Which project updates have the health at risk?',
    'Show project updates whose health is at risk',
  ],
]
