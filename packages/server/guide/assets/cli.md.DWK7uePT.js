import{_ as t,o as n,c as a,ag as o}from"./chunks/framework.BSWkqPOH.js";const u=JSON.parse('{"title":"The command line","description":"","frontmatter":{},"headers":[],"relativePath":"cli.md","filePath":"cli.md"}'),s={name:"cli.md"};function r(i,e,c,d,h,l){return n(),a("div",null,[...e[0]||(e[0]=[o(`<h1 id="the-command-line" tabindex="-1">The command line <a class="header-anchor" href="#the-command-line" aria-label="Permalink to &quot;The command line&quot;">​</a></h1><p>In a clone that is built (<code>npm run build</code> or one <code>npm start</code>), for <code>bash</code> or <code>zsh</code>. The package <code>cairn</code> on npm is another project.</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>CLONE=$PWD &amp;&amp; cairn() { node &quot;$CLONE/packages/cli/bin/cairn.js&quot; &quot;$@&quot;; }
eval &quot;$(cairn completion bash)&quot;                  # or zsh; fish: cairn completion fish | source
cairn init
cairn add ~/notes
cairn ask &quot;What is still open?&quot;
cairn doctor                                     # find problems and fixes
</code></pre></div><p>A profile is an address, a key and a sandbox. <code>init</code> writes one; <code>--profile</code> names another. Flags override the environment, which overrides the default profile. A profile&#39;s key is only sent to its own service.</p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn COMMAND … [option …]    cairn COMMAND --help shows the details

  init                                           Set up an address, a key and a sandbox, and store them as a profile
  add FILE|FOLDER|-…                             Import local files and folders, or a text from standard input
  ask QUESTION                                   Ask a question and print the answer with its sources
  chat                                           Have a conversation: each question is understood in the context of the earlier ones
  eval make                                      Draft questions from the records of a sandbox, for you to correct
  eval QUESTIONS_CSV                             Ask the questions of a file and grade the answers
  import [SANDBOX_ID] PATH                       Import an export of Cairn or of another product
  sources connect URL [NAME]                     Connect a hosted tool server (MCP) by OAuth
  sources authorize SOURCE_ID                    Ask for the consent that a hosted tool server needs
  mcp                                            Speak the Model Context Protocol on standard input and output
  console [USER_ID]                              Print a link that signs in to the console
  profiles [use|remove NAME]                     List the profiles of this machine, set the default one, or remove one
  doctor                                         Find problems with the settings, this machine and the service, and say how to fix them
  completion bash|zsh|fish                       Print the shell script that completes commands and options

The service on this machine:
  serve                                          Run the service; docs/settings.md lists its settings
  backup FILE [--with-keys]                      Back up the data folder to one file, while the service is stopped
  restore FILE                                   Restore a backup into a new data folder
  repair [--apply] [--erased LIST] [--while-serving] Repair after restoring database and storage from different times

Commands that need the key of an account:
  keys list                                      List your API keys, newest first
  keys create NAME                               Create an API key
  keys revoke KEY_ID                             Revoke an API key
  sandboxes list                                 List the sandboxes that you own or have access to through a grant, newest first
  sandboxes create NAME                          Create a sandbox
  sandboxes show SANDBOX_ID                      Show a sandbox
  sandboxes usage SANDBOX_ID                     Show a sandbox’s usage of its limits
  sandboxes suspend SANDBOX_ID                   Suspend a sandbox
  sandboxes reactivate SANDBOX_ID                Reactivate a suspended or archived sandbox
  sandboxes archive SANDBOX_ID                   Archive a sandbox
  sandboxes delete SANDBOX_ID                    Delete a sandbox and everything in it
  entities list                                  List entities
  entities find Q                                Find entities by a name or an identifier, best first
  entities show CANONICAL_ID                     Show an entity
  entities merge CANONICAL_ID INTO               Merge two entities
  entities split CANONICAL_ID KEYS…              Move names and identifiers of an entity to a new entity
  entities undo-merge CANONICAL_ID MERGE_ID      Undo a merge
  suggestions list                               List pairs of entities that may be the same, newest first
  suggestions accept SUGGESTION_ID               Accept a suggestion: merge its two entities
  suggestions dismiss SUGGESTION_ID              Dismiss a suggestion: keep its two entities separate
  answers list                                   List your stored answers, newest first
  answers show ANSWER_ID                         Read a stored answer
  answers delete ANSWER_ID                       Delete your stored answer and the feedback on it
  answers share ANSWER_ID                        Let members of the account read your answer
  answers unshare ANSWER_ID                      Stop sharing your answer
  answers rate ANSWER_ID VERDICT                 Say whether an answer is right
  feedback list                                  List feedback with its question and what was retrieved, newest first
  records list                                   List records by the time of their content, latest first
  records show RECORD_ID                         Show a record
  records delete RECORD_ID                       Delete a record
  changes list                                   List what was added, changed, removed and merged, in commit order
  providers list                                 List the supported providers with their connection methods and settings
  sources list                                   List the sources of a sandbox, newest first
  sources show SOURCE_ID                         Show a source
  sources create PROVIDER NAME                   Register a source
  sources change SOURCE_ID                       Change a source
  sources pull SOURCE_ID                         Pull new data from the provider now
  sources runs SOURCE_ID                         List the runs of a source, newest first
  sources files SOURCE_ID JOB_ID                 List the files of an import with their state
  sources deliveries SOURCE_ID                   List the deliveries to a source’s webhook with their state, newest first
  sources rotate-secret SOURCE_ID                Give a realtime source a new webhook secret
  sources pause SOURCE_ID                        Pause a source
  sources resume SOURCE_ID                       Reactivate a paused, failing or archived source
  sources disconnect SOURCE_ID                   Disconnect a source permanently
  sources purge SOURCE_ID                        Erase everything that a source delivered
  sources delete SOURCE_ID                       Remove a source’s registration but keep its data
  projects list                                  List the projects of a sandbox, newest first
  projects show PROJECT_ID                       Show a project
  projects create NAME                           Create a project
  projects change PROJECT_ID                     Change a project
  projects link PROJECT_ID SOURCE_ID             Link a source to a project
  projects unlink PROJECT_ID SOURCE_ID           Unlink a source from a project
  projects archive PROJECT_ID                    Archive a project
  projects delete PROJECT_ID                     Delete a project; its sources stay
  jobs list                                      List the jobs of a sandbox, newest first
  jobs show JOB_ID                               Show the state of a job
  connections list                               List whom a sandbox is shared with, newest first
  connections create ROLE                        Share a sandbox, or one project of it, with an account, a member or a group
  connections key CONNECTION_ID                  Create a key for a connection
  connections revoke CONNECTION_ID               Revoke a connection and all its keys
  members list                                   List the members of your account, newest first
  members update MEMBER_ID                       Change a member’s role, suspend or reactivate a member
  members remove MEMBER_ID                       Remove a member
  invitations list                               List invitations, newest first
  invitations create ROLE                        Invite a person to your account
  invitations withdraw INVITATION_ID             Withdraw an invitation
  webhooks list                                  List the webhooks of a sandbox, newest first
  webhooks create URL                            Create a webhook that receives changes
  webhooks change WEBHOOK_ID                     Change, pause or reactivate a webhook
  webhooks rotate-secret WEBHOOK_ID              Rotate the signing secret of a webhook
  webhooks test WEBHOOK_ID                       Send a test message of type \`webhook.test\` to a webhook now
  webhooks deliveries WEBHOOK_ID                 List the deliveries of a webhook, newest first
  webhooks delete WEBHOOK_ID                     Delete a webhook with its secret and deliveries
  inspect question QUERY                         Find the items that a question is about, best first
  api OPERATION …                                Any other operation of the API; \`cairn api --help\` lists them

Commands for the operator:
  accounts list                                  List the accounts, newest first
  accounts create                                Create an account and its first API key
  accounts suspend USER_ID                       Suspend an account
  accounts reactivate USER_ID                    Reactivate a suspended account
  accounts erase USER_ID                         Erase an account and all its data
  sandboxes set-tier SANDBOX_ID TIER             Set the tier of a sandbox
  keys reset [USER_ID]                           Create a new API key for an account whose keys are lost

Options of every command:
  --json                     Print JSON, also for errors.
  --quiet                    Print only the result and errors: no progress, no hints.
  --profile TEXT             Use this profile, regardless of the environment.

Environment variables. They override the default profile:
  CAIRN_URL        address of the service. Default: http://127.0.0.1:8484
  CAIRN_API_KEY    the API key of your account
  CAIRN_SANDBOX    the sandbox to work in, by id or name
  CAIRN_ENCRYPTION_KEY
                   customer-managed key of the sandbox, in base64
  CAIRN_PROFILE    the profile to use
  CAIRN_ADMIN_KEY  the operator&#39;s key. Default for a local service: admin.key of its data folder

\`cairn init\` stores profiles in $XDG_CONFIG_HOME/cairn/profiles.json (default: ~/.config). Only you can read the file.

Exit codes: 0 done, 1 failed, 2 invalid usage and nothing was sent, 3 done, but some input was skipped.
</code></pre></div><p>Lists fetch all pages; <code>--limit</code> shows fewer. After 429 a command waits as long as the service asks. Commands that cannot be undone need <code>--yes</code>:</p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>$ cairn accounts erase acct_1k7sujprm00ulfjpprpl5b1sqs
cairn: Erase an account and all its data: this cannot be undone. Add --yes to confirm.
</code></pre></div><p>The commands below also take the options listed above, and <code>--sandbox</code> where they work in one. <code>npm run cli</code> writes this page.</p><h2 id="cairn-init" tabindex="-1">cairn init <a class="header-anchor" href="#cairn-init" aria-label="Permalink to &quot;cairn init&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn init [option …]

Set up an address, a key and a sandbox, and store them as a profile.
Uses the key from CAIRN_API_KEY, else from a profile for this service. Otherwise creates
one with the operator’s key of a local service, and an account if there is none. On a
terminal it asks for missing values. Overwrites a profile for the same service, unless
--profile names another. Only you can read the file.

  --url TEXT                 Address of the service. Default: CAIRN_URL, then CAIRN_PORT
                             or the service of CAIRN_DATA, then the profile, then the
                             service of this clone&#39;s data folder, then
                             http://127.0.0.1:8484.
  --sandbox TEXT             The sandbox to work in, by id or name. Created if there is
                             none of that name.
  --user-id TEXT             The account to create a key for, if there are several.
  --replace                  Replace a profile that is for another service.

Examples:
  cairn init
  cairn init --sandbox &quot;Field notes&quot;
  cairn init --profile work --url https://cairn.example.com
</code></pre></div><h2 id="cairn-add" tabindex="-1">cairn add <a class="header-anchor" href="#cairn-add" aria-label="Permalink to &quot;cairn add&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn add FILE|FOLDER|-… [option …]

Import local files and folders, or a text from standard input. Needs the key of an account.
Supported: PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, RTF, web pages, CSV, Markdown
and other text, calendars, address books, JSON, YAML, notebooks, code, mails and
mailboxes, and archives of these. Other and unreadable files are listed with the reason,
and the exit code is then 3. Hidden files are skipped. Each row of a table and each part
of a long document becomes a record, which counts against the limits of the sandbox.
Importing the same path again replaces only what changed. With --sync, the records of
files that were deleted from a folder are removed.

  FILE|FOLDER                Files and folders to import.
  -                          Read one text from standard input.
  --occurred-at TEXT         Date or time of the text from standard input.
  --speaker TEXT             Author of the text.
  --watch                    Keep running, and import a folder again whenever its files
                             change.
  --data-source-id TEXT      The source for all records, instead of a new one.
  --source-name TEXT         The name of the source for the records. It is created if it
                             does not exist.
  --sync                     The files are the whole of the source that is named: what it
                             has and they do not bring is removed once all of them are
                             read. What came of a file that cannot be read this time
                             stays; where nothing is read, nothing goes.
  --project-id TEXT          The project of all records that name none.

Examples:
  cairn add ~/notes
  cairn add --sync ~/notes
  cairn add report.md all-mail.mbox slack-export.zip
  cairn add - &lt; minutes.txt
</code></pre></div><h2 id="cairn-ask" tabindex="-1">cairn ask <a class="header-anchor" href="#cairn-ask" aria-label="Permalink to &quot;cairn ask&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn ask QUESTION [option …]

Ask a question and print the answer with its sources. Needs the key of an account.
The answer is printed as it arrives, followed by its sources: the supporting records with
their addresses. With --json they are in \`records\`. The conversation is stored for
--continue, in a file that only you can read. With CAIRN_ENCRYPTION_KEY nothing is stored.

  QUESTION                   The question. Quotes are optional.
  --continue                 Continue the last conversation in this sandbox, if it is less
                             than 12 hours old.
  --history JSON             Earlier turns, oldest first; the last 20 are used.
  --project-id TEXT          Only records of this project. Default: the whole sandbox.
  --reference-date TEXT      The reference for relative dates such as \`today\`: a day, or a
                             moment with its UTC offset. Default: the current day.
  --time-zone TEXT           The time zone in which days begin and end: an IANA name or a
                             UTC offset. Default: the offset of \`reference_date\`, else
                             UTC.
  --preset TEXT              The search preset. \`max\` is reserved (403). The name of a
                             model (\`vendor/name\`, \`name:variant\`), as other services take
                             one here, counts as \`auto\`, with a \`Warning\`. One of fast,
                             auto, discover, sql, max. Default: auto.
  --detail-level TEXT        Length of the answer. One of concise, detailed. Default:
                             concise.
  --max-tokens NUMBER        Maximum length of the answer, in UTF-8 bytes divided by 4.
  --statements               True adds \`statements\` with their spans in the records.
  --explain                  True adds the interpretation of the question and the evidence
                             of each statement.
  --store                    Stores the answer, so that it can be read, shared and rated
                             later.

Examples:
  cairn ask &quot;Why did pump 7 stop?&quot;
  cairn ask --continue &quot;Who cleaned it?&quot;
  cairn ask who owns the follow-ups --reference-date 2026-06-20
</code></pre></div><h2 id="cairn-chat" tabindex="-1">cairn chat <a class="header-anchor" href="#cairn-chat" aria-label="Permalink to &quot;cairn chat&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn chat [option …]

Have a conversation: each question is understood in the context of the earlier ones. Needs the key of an account.
Reads one question per line, typed or from a pipe, until the end of the input (Ctrl-D).
With --json each reply is one line. \`cairn ask --continue\` continues the conversation
later.

  --continue                 Continue the last conversation in this sandbox, if it is less
                             than 12 hours old.
  --project-id TEXT          Only records of this project. Default: the whole sandbox.
  --reference-date TEXT      The reference for relative dates such as \`today\`: a day, or a
                             moment with its UTC offset. Default: the current day.
  --time-zone TEXT           The time zone in which days begin and end: an IANA name or a
                             UTC offset. Default: the offset of \`reference_date\`, else
                             UTC.
  --preset TEXT              The search preset. \`max\` is reserved (403). The name of a
                             model (\`vendor/name\`, \`name:variant\`), as other services take
                             one here, counts as \`auto\`, with a \`Warning\`. One of fast,
                             auto, discover, sql, max. Default: auto.
  --detail-level TEXT        Length of the answer. One of concise, detailed. Default:
                             concise.
  --max-tokens NUMBER        Maximum length of the answer, in UTF-8 bytes divided by 4.
  --statements               True adds \`statements\` with their spans in the records.
  --explain                  True adds the interpretation of the question and the evidence
                             of each statement.
  --store                    Stores the answer, so that it can be read, shared and rated
                             later.

Examples:
  cairn chat
  cairn chat --sandbox &quot;Field notes&quot; --reference-date 2026-06-20
  cairn chat --json &lt; questions.txt
</code></pre></div><h2 id="cairn-eval-make" tabindex="-1">cairn eval make <a class="header-anchor" href="#cairn-eval-make" aria-label="Permalink to &quot;cairn eval make&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn eval make [option …]

Draft questions from the records of a sandbox, for you to correct. Needs the key of an account.
Prints a CSV file for \`cairn eval\`. The drafts ask for fields, authors and sentences of
randomly sampled records. One of five has no answer in its record. Correct the drafts
before you rely on them: a question may have an answer in another record, and people use
other words.

  --count NUMBER             Number of questions. Default: 40.
  --seed NUMBER              Random seed of the sample. Default: 1.

Examples:
  cairn eval make &gt; questions.csv
  cairn eval make --count 100 --seed 7 &gt; questions.csv
</code></pre></div><h2 id="cairn-eval" tabindex="-1">cairn eval <a class="header-anchor" href="#cairn-eval" aria-label="Permalink to &quot;cairn eval&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn eval QUESTIONS_CSV [option …]

Ask the questions of a file and grade the answers. Needs the key of an account.
The file has the columns question, expected (alternatives separated by |), record (ids of
the records to cite) and unanswerable (true). \`cairn eval make\` drafts one, and the export
of feedback is one. An answer is right if it contains the expected words, numbers and
dates in any usual form. Every question counts against the sandbox’s queries per minute.
With --min-right, the exit code is 1 if fewer are right.

  QUESTIONS_CSV              The file of questions; - reads standard input.
  --settings TEXT            How to ask: preset=fast,writer=off, detail_level,
                             reference_date, time_zone.
  --against TEXT             Other settings to compare with, in the same form.
  --judge                    Let the configured language model grade answers that do not
                             match literally.
  --min-right NUMBER         The share, from 0 to 1, of questions that must be right or
                             rightly not answered.
  --html TEXT                Write a page with every question and answer to this file.

Examples:
  cairn eval questions.csv
  cairn eval questions.csv --min-right 0.8 --html report.html
  cairn eval questions.csv --settings preset=auto --against preset=auto,writer=off
</code></pre></div><h2 id="cairn-import" tabindex="-1">cairn import <a class="header-anchor" href="#cairn-import" aria-label="Permalink to &quot;cairn import&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn import [SANDBOX_ID] PATH [option …]

Import an export of Cairn or of another product. Needs the key of an account.
Accepts the output of \`GET …/export\`, exports of ChatGPT, Claude, Letta, mem0, Graphiti,
Cognee and Slack, and files in supported formats: PDF, Office and OpenDocument files,
tables, web pages, books, calendars, address books, mails, notes, code, and archives of
these. JSON has at most 16 MiB, NDJSON at most 1 MiB a line; anything else is a file, or a
form with files. An invalid record fails without affecting the others; its position and
the reason are in the job’s result. A single file that cannot be read gets 422 unless it
was accepted before. An accepted import continues after a crash. Repeating an import
changes nothing.

  SANDBOX_ID                 The sandbox. Default: that of --sandbox or the profile.
  PATH                       A file, or a folder whose documents, mails and JSON files are
                             imported together.
  --format TEXT              The format of the export. Default: detected. One of cairn,
                             chatgpt, claude, letta, mem0, graphiti, cognee, slack, mbox,
                             documents, markdown.
  --data-source-id TEXT      The source for all records, instead of a new one.
  --source-name TEXT         The name of the source for the records. It is created if it
                             does not exist.
  --sync                     The files are the whole of the source that is named: what it
                             has and they do not bring is removed once all of them are
                             read. What came of a file that cannot be read this time
                             stays; where nothing is read, nothing goes.
  --project-id TEXT          The project of all records that name none.
  --path TEXT                The path of a single file. Sending the same path again
                             replaces what changed in the file.

Examples:
  cairn import slack-export.zip
  cairn import all-mail.mbox --source-name &quot;Old mail&quot;
</code></pre></div><h2 id="cairn-sources-connect" tabindex="-1">cairn sources connect <a class="header-anchor" href="#cairn-sources-connect" aria-label="Permalink to &quot;cairn sources connect&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn sources connect URL [NAME] [option …]

Connect a hosted tool server (MCP) by OAuth. Needs the key of an account.
It prints a link to open in a browser, then waits. After the consent the browser shows a
confirmation code: type it here. If the browser cannot reach the service, paste the
address from its address bar instead. The person who consents allows every editor of the
sandbox to act on their behalf at that server.

  URL                        The address of the server, from its documentation.
  NAME                       A label. Default: the host name.
  --no-wait                  Print the link and exit. Complete the consent later with
                             \`sources authorize --code\`.
  --scopes TEXT              With oauth: the scopes to request. Default: those that the
                             server names. May be given several times.
  --client-id TEXT           With oauth: a client that was registered at the authorization
                             server beforehand.
  --client-secret TEXT       The secret of that client. It is encrypted and never shown
                             again.
  --app-namespace TEXT       The prefix of its tools, unique in the sandbox. Default: the
                             id of the source.
  --allowed-tools TEXT       The tools that may be called. Default: all. May be given
                             several times.
  --ingest-tool-calls JSON   Calls whose results become records on every pull. Without
                             them, the tools are only called on request.
  --ingestion-mode TEXT      Default with ingest_tool_calls: polling; otherwise manual.
                             One of polling, manual.
  --rate-cap-per-minute NUMBER Tool calls a minute; 60 by default.
  --webhook-rate-cap-per-minute NUMBER Deliveries a minute; 600 by default.

Examples:
  cairn sources connect https://mcp.example.com/mcp
  cairn sources connect https://mcp.example.com/mcp Tickets
</code></pre></div><h2 id="cairn-sources-authorize" tabindex="-1">cairn sources authorize <a class="header-anchor" href="#cairn-sources-authorize" aria-label="Permalink to &quot;cairn sources authorize&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn sources authorize SOURCE_ID [option …]

Ask for the consent that a hosted tool server needs. Needs the key of an account.
It prints a link to open in a browser, then waits. After the consent the browser shows a
confirmation code: type it here. If the browser cannot reach the service, paste the
address from its address bar instead. The person who consents allows every editor of the
sandbox to act on their behalf at that server.

  SOURCE_ID                  The id of the source, from \`cairn sources\`.
  --no-wait                  Print the link and exit. Complete the consent later with
                             \`sources authorize --code\`.
  --code TEXT                Complete a consent with the confirmation code, or with the
                             address from the browser.
  --scopes TEXT              Scopes to request instead of those that the server names. May
                             be given several times.

Examples:
  cairn sources authorize SOURCE_ID
  cairn sources authorize SOURCE_ID --code WDJB-MJHT
</code></pre></div><h2 id="cairn-mcp" tabindex="-1">cairn mcp <a class="header-anchor" href="#cairn-mcp" aria-label="Permalink to &quot;cairn mcp&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn mcp [option …]

Speak the Model Context Protocol on standard input and output. Needs the key of an account.
For hosts that only support local servers, such as Claude Desktop. Forwards each message
to the endpoint of the sandbox and returns the reply. Failures are protocol errors. Exits
at the end of the input.

  --project TEXT             Only records of this project.
  --tools TEXT               \`read\`: only tools that read. \`live\`: also the tools of
                             connected tool servers.

Examples:
  cairn mcp
  cairn mcp --sandbox Acme --tools read
</code></pre></div><h2 id="cairn-console" tabindex="-1">cairn console <a class="header-anchor" href="#cairn-console" aria-label="Permalink to &quot;cairn console&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn console [USER_ID] [option …]

Print a link that signs in to the console. Needs the key of an account.
The link works once, within ten minutes. It signs in to the account of your key. With a
USER_ID, or without a key, it uses the operator’s key from the data folder of a local
service.

  USER_ID                    The account. Default: that of your key, else the only one.

Examples:
  cairn console
</code></pre></div><h2 id="cairn-profiles" tabindex="-1">cairn profiles <a class="header-anchor" href="#cairn-profiles" aria-label="Permalink to &quot;cairn profiles&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn profiles [use|remove NAME] [option …]

List the profiles of this machine, set the default one, or remove one.
Removing a profile does not revoke its key. Use \`cairn keys revoke\` for that.

  use NAME                   Make it the default profile.
  remove NAME                Remove it.

Examples:
  cairn profiles
  cairn profiles use work
  cairn profiles remove work
</code></pre></div><h2 id="cairn-doctor" tabindex="-1">cairn doctor <a class="header-anchor" href="#cairn-doctor" aria-label="Permalink to &quot;cairn doctor&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn doctor [option …]

Find problems with the settings, this machine and the service, and say how to fix them.
Checks the profile, the service, its version, the key, the sandbox and sources that wait
for consent. If the service is installed here, also its settings, data folder, disk, port
and engines. With --cluster, checks instead all processes that share the database of
DATABASE_URL: whether each is alive and ready, version, memory, graphs, clock, leases,
waiting work, migrations, connections and the bucket. Changes nothing. Exits with 1 if
there is a problem.

  --cluster                  Check all processes that share one database.

Examples:
  cairn doctor
  cairn doctor --profile work --json
  cairn doctor --cluster
</code></pre></div><h2 id="cairn-completion" tabindex="-1">cairn completion <a class="header-anchor" href="#cairn-completion" aria-label="Permalink to &quot;cairn completion&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn completion bash|zsh|fish [option …]

Print the shell script that completes commands and options.
In bash: eval &quot;$(cairn completion bash)&quot;; likewise in zsh. If \`cairn\` is a shell function,
as in a clone, define the function first.

  bash|zsh|fish              The shell.

Examples:
  cairn completion bash
  cairn completion fish | source
</code></pre></div><h2 id="cairn-keys-reset" tabindex="-1">cairn keys reset <a class="header-anchor" href="#cairn-keys-reset" aria-label="Permalink to &quot;cairn keys reset&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Usage: cairn keys reset [USER_ID] [option …]

Create a new API key for an account whose keys are lost. Needs the operator’s key.

  USER_ID                    The account. Default: the only one.
  --name TEXT                A label for the new key. Default: &quot;Reset key&quot;.
  --revoke-others            Revoke all other keys of the account. Default: they stay
                             valid.

Examples:
  cairn keys reset --revoke-others
</code></pre></div>`,38)])])}const f=t(s,[["render",r]]);export{u as __pageData,f as default};
