import{_ as t,o as n,c as a,ag as o}from"./chunks/framework.BSWkqPOH.js";const u=JSON.parse('{"title":"The command line","description":"","frontmatter":{},"headers":[],"relativePath":"cli.md","filePath":"cli.md"}'),s={name:"cli.md"};function i(r,e,c,h,d,l){return n(),a("div",null,[...e[0]||(e[0]=[o(`<h1 id="the-command-line" tabindex="-1">The command line <a class="header-anchor" href="#the-command-line" aria-label="Permalink to &quot;The command line&quot;">​</a></h1><p>In a clone that is built (<code>npm run build</code> or one <code>npm start</code>), for <code>bash</code> or <code>zsh</code>. The package <code>cairn</code> on npm is another project.</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>CLONE=$PWD &amp;&amp; cairn() { node &quot;$CLONE/packages/cli/bin/cairn.js&quot; &quot;$@&quot;; }
eval &quot;$(cairn completion bash)&quot;                  # or zsh; fish: cairn completion fish | source
cairn init
cairn add ~/notes
cairn ask &quot;What is still open?&quot;
cairn doctor                                     # what is wrong, and what to do
</code></pre></div><p>A profile is an address, a key and a sandbox. <code>init</code> writes one; <code>--profile</code> names another. Flags override the environment, which overrides the default profile. A profile&#39;s key is only sent to its own service.</p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn COMMAND … [option …]      cairn COMMAND --help shows what it takes

  init                                           Get an address, a key and a sandbox together, and keep them as a profile
  add FILE|FOLDER|-…                             Bring in files and folders of this machine, or a text from standard input
  ask QUESTION                                   Ask a question, and see the answer with its sources
  chat                                           Ask one question after another, each in the light of those before
  eval make                                      Draft questions from the records of a sandbox, for a person to correct
  eval QUESTIONS_CSV                             Ask the questions of a file and grade the answers
  import [SANDBOX_ID] PATH                       Bring in an export of Cairn or of another product
  sources connect URL [NAME]                     Connect a hosted tool server (MCP) by OAuth
  sources authorize SOURCE_ID                    Ask for the consent that a hosted tool server needs
  mcp                                            Speak the Model Context Protocol on standard input and output
  console [USER_ID]                              Print a link that signs in to the console
  profiles [use|remove NAME]                     List the profiles of this machine, choose the default one, or forget one
  doctor                                         Say what is wrong with the settings, this machine or the service, and what to do
  completion bash|zsh|fish                       Print what a shell needs to complete commands and options

The service, on this machine:
  serve                                          Serve until a signal; docs/settings.md lists its settings
  backup FILE [--with-keys]                      Write the data folder to one file, while nothing serves from it
  restore FILE                                   Make a new data folder from such a file
  repair [--apply] [--erased LIST] [--while-serving] Bring a database and a storage of different times together again

What there is, with the key of an account:
  keys list                                      List your API keys, newest first
  keys create NAME                               Make an API key
  keys revoke KEY_ID                             Revoke an API key
  sandboxes list                                 List the sandboxes you own or reach through a grant, newest first
  sandboxes create NAME                          Create a sandbox
  sandboxes show SANDBOX_ID                      Show a sandbox
  sandboxes usage SANDBOX_ID                     Show how much of its limits a sandbox uses
  sandboxes suspend SANDBOX_ID                   Suspend a sandbox
  sandboxes reactivate SANDBOX_ID                Make a suspended or archived sandbox active again
  sandboxes archive SANDBOX_ID                   Archive a sandbox
  sandboxes delete SANDBOX_ID                    Delete a sandbox and everything in it
  entities list                                  List entities
  entities find Q                                Find entities by a name or an identifier, best first
  entities show CANONICAL_ID                     Show an entity
  entities merge CANONICAL_ID INTO               Make two entities one
  entities split CANONICAL_ID KEYS…              Take names and identifiers of an entity to a new one
  entities undo-merge CANONICAL_ID MERGE_ID      Take back a merge
  suggestions list                               List pairs of entities that may be one, the newest first
  suggestions accept SUGGESTION_ID               Make the two entities of a suggestion one
  suggestions dismiss SUGGESTION_ID              Say that the two entities of a suggestion are two
  answers list                                   List your stored answers, newest first
  answers show ANSWER_ID                         Read a stored answer
  answers delete ANSWER_ID                       Delete your stored answer and the feedback on it
  answers share ANSWER_ID                        Let members of the account read your answer
  answers unshare ANSWER_ID                      Stop sharing your answer
  answers rate ANSWER_ID VERDICT                 Say whether an answer is right
  feedback list                                  List feedback with its question and what was retrieved, newest first
  records list                                   List records, the latest first by when they happened
  records show RECORD_ID                         Show a record
  records delete RECORD_ID                       Delete a record
  changes list                                   Tell what was added, changed, removed and merged, in the order of commits
  providers list                                 List what can be connected, how, and what can be set
  sources list                                   List the sources of a sandbox, newest first
  sources show SOURCE_ID                         Show a source
  sources create PROVIDER NAME                   Register a source
  sources change SOURCE_ID                       Change a source
  sources pull SOURCE_ID                         Read what is new at the provider now
  sources runs SOURCE_ID                         List what a source delivered, newest first
  sources files SOURCE_ID JOB_ID                 List the files of an import and what became of each
  sources deliveries SOURCE_ID                   List what was delivered to a source’s webhook and what became of it, newest first
  sources rotate-secret SOURCE_ID                Give a realtime source a new webhook secret
  sources pause SOURCE_ID                        Pause a source
  sources resume SOURCE_ID                       Make a paused, failing or archived source active again
  sources disconnect SOURCE_ID                   Disconnect a source for good
  sources purge SOURCE_ID                        Erase everything that a source fed
  sources delete SOURCE_ID                       Remove a source’s registration; what it fed stays
  projects list                                  List the projects of a sandbox, newest first
  projects show PROJECT_ID                       Show a project
  projects create NAME                           Create a project
  projects change PROJECT_ID                     Change a project
  projects link PROJECT_ID SOURCE_ID             Link a source to a project
  projects unlink PROJECT_ID SOURCE_ID           Take a source out of a project
  projects archive PROJECT_ID                    Archive a project
  projects delete PROJECT_ID                     Delete a project; its sources stay
  jobs list                                      List the jobs of a sandbox, newest first
  jobs show JOB_ID                               Show how far a job is
  connections list                               List whom a sandbox is shared with, newest first
  connections create ROLE                        Share a sandbox, or one project of it, with an account, a member or a group
  connections key CONNECTION_ID                  Make a key of a connection
  connections revoke CONNECTION_ID               Revoke a connection and every key of it
  members list                                   List the members of your account, newest first
  members update MEMBER_ID                       Change a member’s role, suspend or reactivate a member
  members remove MEMBER_ID                       Remove a member
  invitations list                               List invitations, newest first
  invitations create ROLE                        Invite a person to your account
  invitations withdraw INVITATION_ID             Withdraw an invitation
  webhooks list                                  List the addresses that changes are sent to, newest first
  webhooks create URL                            Have what changes sent to an address
  webhooks change WEBHOOK_ID                     Change an endpoint, pause it, or make it active again
  webhooks rotate-secret WEBHOOK_ID              Give an endpoint a new signing secret
  webhooks test WEBHOOK_ID                       Send an endpoint a message of the type \`webhook.test\` now
  webhooks deliveries WEBHOOK_ID                 List what was sent to an endpoint, newest first
  webhooks delete WEBHOOK_ID                     Send nothing there any more, and forget its secret and its deliveries
  inspect question QUERY                         Find the items that a question is about, best first
  api OPERATION …                                Any other operation of the API; \`cairn api --help\` lists them

For the operator:
  accounts list                                  List the accounts, newest first
  accounts create                                Make an account and its first API key
  accounts suspend USER_ID                       Suspend an account
  accounts reactivate USER_ID                    Reactivate a suspended account
  accounts erase USER_ID                         Erase an account and everything it holds
  sandboxes set-tier SANDBOX_ID TIER             Set the tier of a sandbox
  keys reset [USER_ID]                           Make another API key of an account whose keys are lost

Anywhere:
  --json                     Print JSON, also of a failure.
  --quiet                    Print only the result and errors: no progress, no hints.
  --profile TEXT             Use this profile of the configuration file, whatever the
                             environment says.

Settings, from the environment, which outrank the default profile:
  CAIRN_URL        where the service is; http://127.0.0.1:8484 when nothing says so
  CAIRN_API_KEY    the API key of your account
  CAIRN_SANDBOX    the sandbox to work in, by id or name
  CAIRN_ENCRYPTION_KEY
                   a key of yours that its content is under, in base64
  CAIRN_PROFILE    the profile to use
  CAIRN_ADMIN_KEY  the operator&#39;s key; when unset, admin.key of the data folder (CAIRN_DATA, ./data, or that of
                   this clone), for a service on this machine

Profiles are kept in $XDG_CONFIG_HOME/cairn/profiles.json (~/.config), which \`cairn init\` writes for you alone.

Exit codes: 0 done, 1 failed, 2 not asked for rightly, and nothing was sent, 3 done, but something was left out.
</code></pre></div><p>Lists fetch all pages; <code>--limit</code> shows fewer. After 429 a command waits as long as the service asks. Commands that cannot be undone need <code>--yes</code>:</p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>$ cairn accounts erase acct_1k7sujprm00ulfjpprpl5b1sqs
cairn: Erase an account and everything it holds: this cannot be undone. Repeat it with --yes to do it.
</code></pre></div><p>The commands below also take the options listed above, and <code>--sandbox</code> where they work in one. <code>npm run cli</code> writes this page.</p><h2 id="cairn-init" tabindex="-1">cairn init <a class="header-anchor" href="#cairn-init" aria-label="Permalink to &quot;cairn init&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn init [option …]

Get an address, a key and a sandbox together, and keep them as a profile.
The key is that of CAIRN_API_KEY, else one that a profile has for this service, else a new
one where the operator’s key of a service on this machine is at hand, with an account
where there is none. On a terminal it asks for what is missing. A profile for the same
service is written over, unless --profile names another. The file can be read by you
alone.

  --url TEXT                 Where the service is. When omitted: CAIRN_URL, then
                             CAIRN_PORT or the service of CAIRN_DATA, then the profile,
                             then the service of this clone&#39;s data folder, then
                             http://127.0.0.1:8484.
  --sandbox TEXT             The sandbox to work in, by id or name; made when there is
                             none of that name.
  --user-id TEXT             The account to make a key of, where there are several.
  --replace                  Put this in the place of a profile for another service.

For example:
  cairn init
  cairn init --sandbox &quot;Field notes&quot;
  cairn init --profile work --url https://cairn.example.com
</code></pre></div><h2 id="cairn-add" tabindex="-1">cairn add <a class="header-anchor" href="#cairn-add" aria-label="Permalink to &quot;cairn add&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn add FILE|FOLDER|-… [option …]

Bring in files and folders of this machine, or a text from standard input. Needs the key of an account.
Read are PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, RTF, web pages, CSV, Markdown
and other text, calendars, address books, JSON, YAML, notebooks, code, mails and
mailboxes, and archives of these. What is of another kind, or cannot be read, is named
with its reason, and the exit code is 3 then. What is hidden is passed over. Each row of a
table and each part of a long document is a record, which counts against the limits of the
sandbox. The same place again changes nothing, or replaces what changed; with --sync what
is gone from a folder is removed.

  FILE|FOLDER                What to bring in; several at once if you like.
  -                          One text, from standard input.
  --occurred-at TEXT         When the text from standard input was said or written.
  --speaker TEXT             Who said or wrote it.
  --watch                    Go on, and add a folder again whenever something in it has
                             changed.
  --data-source-id TEXT      The source that all of it goes to, in place of one made for
                             it.
  --source-name TEXT         The name of the source that it goes to, which is made when
                             there is none.
  --sync                     The files are the whole of the source that is named: what it
                             has and they do not bring is removed once all of them are
                             read. What came of a file that cannot be read this time
                             stays; where nothing is read, nothing goes.
  --project-id TEXT          The project of everything that names none.

For example:
  cairn add ~/notes
  cairn add --sync ~/notes
  cairn add report.md all-mail.mbox slack-export.zip
  cairn add - &lt; minutes.txt
</code></pre></div><h2 id="cairn-ask" tabindex="-1">cairn ask <a class="header-anchor" href="#cairn-ask" aria-label="Permalink to &quot;cairn ask&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn ask QUESTION [option …]

Ask a question, and see the answer with its sources. Needs the key of an account.
The answer is printed as it comes. The sources are the records that its statements rest
on, with where each can be opened; with --json they are \`records\`. What was asked and told
is kept for --continue in a file that you alone can read; nothing is where
CAIRN_ENCRYPTION_KEY is set.

  QUESTION                   What you want to know; quotes may be left out.
  --continue                 Go on with the last conversation in this sandbox, of the last
                             12 hours.
  --history JSON             Earlier turns, oldest first; the last 20 are used.
  --project-id TEXT          Only what is in this project; the whole sandbox when omitted.
  --reference-date TEXT      The reference for relative dates such as \`today\`: a day, or a
                             moment with its UTC offset. Default: the current day.
  --time-zone TEXT           The time zone in which days begin and end: an IANA name or a
                             UTC offset. Default: the offset of \`reference_date\`, else
                             UTC.
  --preset TEXT              The search preset. \`max\` is reserved (403). The name of a
                             model (\`vendor/name\`, \`name:variant\`), as other services take
                             one here, counts as \`auto\`, with a \`Warning\`. One of fast,
                             auto, discover, sql, max. auto when omitted.
  --detail-level TEXT        Length of the answer. One of concise, detailed. concise when
                             omitted.
  --max-tokens NUMBER        The length of what is told at most, in UTF-8 bytes divided by
                             4.
  --statements               True adds \`statements\` with their spans in the records.
  --explain                  True adds the interpretation of the question and the evidence
                             of each statement.
  --store                    Stores the answer, so that it can be read, shared and rated
                             later.

For example:
  cairn ask &quot;Why did pump 7 stop?&quot;
  cairn ask --continue &quot;Who cleaned it?&quot;
  cairn ask who owns the follow-ups --reference-date 2026-06-20
</code></pre></div><h2 id="cairn-chat" tabindex="-1">cairn chat <a class="header-anchor" href="#cairn-chat" aria-label="Permalink to &quot;cairn chat&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn chat [option …]

Ask one question after another, each in the light of those before. Needs the key of an account.
Takes a question a line, typed or from a pipe, until the end of what is read (Ctrl-D).
With --json each reply is a line. \`cairn ask --continue\` goes on with it later.

  --continue                 Go on with the last conversation in this sandbox, of the last
                             12 hours.
  --project-id TEXT          Only what is in this project; the whole sandbox when omitted.
  --reference-date TEXT      The reference for relative dates such as \`today\`: a day, or a
                             moment with its UTC offset. Default: the current day.
  --time-zone TEXT           The time zone in which days begin and end: an IANA name or a
                             UTC offset. Default: the offset of \`reference_date\`, else
                             UTC.
  --preset TEXT              The search preset. \`max\` is reserved (403). The name of a
                             model (\`vendor/name\`, \`name:variant\`), as other services take
                             one here, counts as \`auto\`, with a \`Warning\`. One of fast,
                             auto, discover, sql, max. auto when omitted.
  --detail-level TEXT        Length of the answer. One of concise, detailed. concise when
                             omitted.
  --max-tokens NUMBER        The length of what is told at most, in UTF-8 bytes divided by
                             4.
  --statements               True adds \`statements\` with their spans in the records.
  --explain                  True adds the interpretation of the question and the evidence
                             of each statement.
  --store                    Stores the answer, so that it can be read, shared and rated
                             later.

For example:
  cairn chat
  cairn chat --sandbox &quot;Field notes&quot; --reference-date 2026-06-20
  cairn chat --json &lt; questions.txt
</code></pre></div><h2 id="cairn-eval-make" tabindex="-1">cairn eval make <a class="header-anchor" href="#cairn-eval-make" aria-label="Permalink to &quot;cairn eval make&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn eval make [option …]

Draft questions from the records of a sandbox, for a person to correct. Needs the key of an account.
Prints a CSV file for \`cairn eval\`. The drafts ask for fields, authors and sentences of
records that are drawn by seed; one of five asks for what its record does not say. Correct
them before you rely on them: a question may be answered elsewhere too, and people ask in
other words.

  --count NUMBER             How many questions; 40 when omitted.
  --seed NUMBER              Draws other records; 1 when omitted.

For example:
  cairn eval make &gt; questions.csv
  cairn eval make --count 100 --seed 7 &gt; questions.csv
</code></pre></div><h2 id="cairn-eval" tabindex="-1">cairn eval <a class="header-anchor" href="#cairn-eval" aria-label="Permalink to &quot;cairn eval&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn eval QUESTIONS_CSV [option …]

Ask the questions of a file and grade the answers. Needs the key of an account.
The file has the columns question, expected (alternatives separated by |), record (ids of
the records to cite) and unanswerable (true). \`cairn eval make\` drafts one, and the export
of feedback is one. An answer is right if it has the words, numbers and dates that are
expected, in any usual form. Every question counts against the queries a minute of the
sandbox. Exit code 1 with --min-right if fewer are right.

  QUESTIONS_CSV              The file of questions; - reads standard input.
  --settings TEXT            How to ask: preset=fast,writer=off, detail_level,
                             reference_date, time_zone.
  --against TEXT             Other settings to compare with, in the same form.
  --judge                    Have the configured language model grade answers that do not
                             match.
  --min-right NUMBER         The share, from 0 to 1, that must be right or rightly not
                             answered.
  --html TEXT                Write a page with every question and answer to this file.

For example:
  cairn eval questions.csv
  cairn eval questions.csv --min-right 0.8 --html report.html
  cairn eval questions.csv --settings preset=auto --against preset=auto,writer=off
</code></pre></div><h2 id="cairn-import" tabindex="-1">cairn import <a class="header-anchor" href="#cairn-import" aria-label="Permalink to &quot;cairn import&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn import [SANDBOX_ID] PATH [option …]

Bring in an export of Cairn or of another product. Needs the key of an account.
Takes what \`GET …/export\` wrote, exports of ChatGPT, Claude, Letta, mem0, Graphiti, Cognee
and Slack, and files of any kind that can be read: PDF, Office and OpenDocument files,
tables, pages, books, calendars, address books, mails, notes, code, and archives of these.
JSON has at most 16 MiB, NDJSON at most 1 MiB a line; anything else is a file, or a form
with files. What cannot be taken fails alone, with its place and reason in the job’s
result; a file that is sent by itself and cannot be read is 422 unless it was accepted
before. An import that was accepted is read on after a crash. The same again changes
nothing.

  SANDBOX_ID                 The sandbox; that of --sandbox or the profile when omitted.
  PATH                       A file, or a folder, whose documents, mails and JSON files
                             are sent as one.
  --format TEXT              What was exported; found out when omitted. One of cairn,
                             chatgpt, claude, letta, mem0, graphiti, cognee, slack, mbox,
                             documents, markdown.
  --data-source-id TEXT      The source that all of it goes to, in place of one made for
                             it.
  --source-name TEXT         The name of the source that it goes to, which is made when
                             there is none.
  --sync                     The files are the whole of the source that is named: what it
                             has and they do not bring is removed once all of them are
                             read. What came of a file that cannot be read this time
                             stays; where nothing is read, nothing goes.
  --project-id TEXT          The project of everything that names none.
  --path TEXT                The path of a file that is sent by itself: the same path
                             again replaces what changed in it.

For example:
  cairn import slack-export.zip
  cairn import all-mail.mbox --source-name &quot;Old mail&quot;
</code></pre></div><h2 id="cairn-sources-connect" tabindex="-1">cairn sources connect <a class="header-anchor" href="#cairn-sources-connect" aria-label="Permalink to &quot;cairn sources connect&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn sources connect URL [NAME] [option …]

Connect a hosted tool server (MCP) by OAuth. Needs the key of an account.
It prints a link to open in a browser, then waits. After the consent the browser shows a
confirmation code: type it here. If the browser cannot reach the service, paste the
address that it was sent to instead. Whoever consents lets every editor of the sandbox act
as them at that server.

  URL                        The address of the server, as its documentation has it.
  NAME                       A label; its host when omitted.
  --no-wait                  Print the link and end; complete the consent with \`sources
                             authorize --code\`.
  --scopes TEXT              With oauth: the scopes to ask for; by default those that the
                             server names. May be given several times.
  --client-id TEXT           With oauth: a client that was registered at the authorization
                             server beforehand.
  --client-secret TEXT       The secret of that client. It is sealed, and never shown
                             again.
  --app-namespace TEXT       The prefix of its tools, one of a kind in the sandbox; the id
                             of the source by default.
  --allowed-tools TEXT       The tools that may be called; all by default. May be given
                             several times.
  --ingest-tool-calls JSON   Calls whose results become records on every pull; without
                             them it is read when asked to alone.
  --ingestion-mode TEXT      With ingest_tool_calls polling, unless it is to be read when
                             asked to alone; else manual. One of polling, manual.
  --rate-cap-per-minute NUMBER Tool calls a minute; 60 by default.
  --webhook-rate-cap-per-minute NUMBER Deliveries a minute; 600 by default.

For example:
  cairn sources connect https://mcp.example.com/mcp
  cairn sources connect https://mcp.example.com/mcp Tickets
</code></pre></div><h2 id="cairn-sources-authorize" tabindex="-1">cairn sources authorize <a class="header-anchor" href="#cairn-sources-authorize" aria-label="Permalink to &quot;cairn sources authorize&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn sources authorize SOURCE_ID [option …]

Ask for the consent that a hosted tool server needs. Needs the key of an account.
It prints a link to open in a browser, then waits. After the consent the browser shows a
confirmation code: type it here. If the browser cannot reach the service, paste the
address that it was sent to instead. Whoever consents lets every editor of the sandbox act
as them at that server.

  SOURCE_ID                  The source, as \`cairn sources\` lists it.
  --no-wait                  Print the link and end; complete the consent with \`sources
                             authorize --code\`.
  --code TEXT                Complete a consent: the confirmation code, or the address
                             that the browser was sent to.
  --scopes TEXT              Scopes to ask for in place of those that the server names.
                             May be given several times.

For example:
  cairn sources authorize SOURCE_ID
  cairn sources authorize SOURCE_ID --code WDJB-MJHT
</code></pre></div><h2 id="cairn-mcp" tabindex="-1">cairn mcp <a class="header-anchor" href="#cairn-mcp" aria-label="Permalink to &quot;cairn mcp&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn mcp [option …]

Speak the Model Context Protocol on standard input and output. Needs the key of an account.
For hosts that know no other way to a server, such as Claude Desktop: each message goes to
the endpoint of the sandbox, and its reply comes back. What fails is an error of the
protocol. It ends with its input.

  --project TEXT             Only what is in this project.
  --tools TEXT               \`read\`: only tools that read. \`live\`: also those of servers
                             of tools.

For example:
  cairn mcp
  cairn mcp --sandbox Acme --tools read
</code></pre></div><h2 id="cairn-console" tabindex="-1">cairn console <a class="header-anchor" href="#cairn-console" aria-label="Permalink to &quot;cairn console&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn console [USER_ID] [option …]

Print a link that signs in to the console. Needs the key of an account.
The link is good once and for ten minutes. It signs in to the account of your key; with a
USER_ID, or without a key, to an account by the operator’s key, which lies in the data
folder of a service on this machine.

  USER_ID                    The account; that of your key, else the only one there is,
                             when omitted.

For example:
  cairn console
</code></pre></div><h2 id="cairn-profiles" tabindex="-1">cairn profiles <a class="header-anchor" href="#cairn-profiles" aria-label="Permalink to &quot;cairn profiles&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn profiles [use|remove NAME] [option …]

List the profiles of this machine, choose the default one, or forget one.
A key of a profile that is forgotten goes on working: \`cairn keys revoke\` stops it.

  use NAME                   Make it the one that is used when none is named.
  remove NAME                Forget it.

For example:
  cairn profiles
  cairn profiles use work
  cairn profiles remove work
</code></pre></div><h2 id="cairn-doctor" tabindex="-1">cairn doctor <a class="header-anchor" href="#cairn-doctor" aria-label="Permalink to &quot;cairn doctor&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn doctor [option …]

Say what is wrong with the settings, this machine or the service, and what to do.
Looks at the settings, the data folder, its disk, the port and the engines where the
service is installed here, and at the profile, the service, its version, the key, the
sandbox and sources that wait for consent. With --cluster it looks instead at the
processes that share the database of DATABASE_URL: whether each is heard of and ready, its
version, memory, graphs and clock, who works on what, what waits, migrations, connections
and the bucket. It changes nothing. Exits with 1 when something is wrong.

  --cluster                  Look at all processes on one database.

For example:
  cairn doctor
  cairn doctor --profile work --json
  cairn doctor --cluster
</code></pre></div><h2 id="cairn-completion" tabindex="-1">cairn completion <a class="header-anchor" href="#cairn-completion" aria-label="Permalink to &quot;cairn completion&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn completion bash|zsh|fish [option …]

Print what a shell needs to complete commands and options.
In bash and zsh: eval &quot;$(cairn completion bash)&quot;, or zsh. Where \`cairn\` is a function of
the shell, as in a clone, define it first.

  bash|zsh|fish              The shell.

For example:
  cairn completion bash
  cairn completion fish | source
</code></pre></div><h2 id="cairn-keys-reset" tabindex="-1">cairn keys reset <a class="header-anchor" href="#cairn-keys-reset" aria-label="Permalink to &quot;cairn keys reset&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Use: cairn keys reset [USER_ID] [option …]

Make another API key of an account whose keys are lost. Needs the operator’s key.

  USER_ID                    The account; the only one there is when omitted.
  --name TEXT                A label of the new key; &quot;Reset key&quot; when omitted.
  --revoke-others            Stop all other keys of the account; they go on working when
                             omitted.

For example:
  cairn keys reset --revoke-others
</code></pre></div>`,38)])])}const f=t(s,[["render",i]]);export{u as __pageData,f as default};
