import{_ as t,o,c as a,ag as n}from"./chunks/framework.BSWkqPOH.js";const s="/guide/assets/console.B3lhM3tF.png",q=JSON.parse('{"title":"Quickstart","description":"","frontmatter":{},"headers":[],"relativePath":"quickstart.md","filePath":"quickstart.md"}'),r={name:"quickstart.md"};function i(d,e,c,u,p,l){return o(),a("div",null,[...e[0]||(e[0]=[n(`<h1 id="quickstart" tabindex="-1">Quickstart <a class="header-anchor" href="#quickstart" aria-label="Permalink to &quot;Quickstart&quot;">​</a></h1><h2 id="start" tabindex="-1">Start <a class="header-anchor" href="#start" aria-label="Permalink to &quot;Start&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>npm start
npm test
</code></pre></div><p><code>npm start</code> in a fresh clone installs, builds and starts the service at <code>http://127.0.0.1:8484</code> with embedded storage in <code>./data</code>. It creates an account and an API key, loads an example workspace, asks one question over HTTP and prints the answer. It needs Node 20.19 or newer.</p><p><code>npm test</code> runs the tests on embedded PGlite; <code>npm run test:postgres</code> runs them on PostgreSQL.</p><h2 id="one-answer" tabindex="-1">One answer <a class="header-anchor" href="#one-answer" aria-label="Permalink to &quot;One answer&quot;">​</a></h2><p><code>npm start</code> prints, shortened:</p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>Question: What caused the duplicate invoices in June, how was it fixed, who owns the follow-ups, and what is still open?

Cause: Two changes met. quote-api #231 (15 June, Yuki Tanabe) retried a posting after 2 s without an
idempotency key. ledger-api #405 (26 May, Tomas Brandao) had dropped the unique index on
postings.external_ref for a migration rehearsal, and had run on production by mistake; NOR-139,
which should have restored it, was waiting at low priority.

Fix: Revert on the day; unique index restored on 17 June (ledger-api #419); idempotency keys in
ledger-api (NOR-158), then a retry that uses them.

Follow-ups: NOR-139 restore the index, Alexander Lindqvist; NOR-158 idempotency keys, Alexander
Lindqvist; NOR-159 alert on the pool, Tomas Brandao; FIN-21 (was NOR-160) credit notes, Joost
Hendriks; NOR-161 load test, Yuki Tanabe; NOR-162 CI rule for rehearsal migrations, Tomas Brandao;
NOR-163 runbook, Priya Raman.

— Post-mortem INC-7: duplicate invoices on 16 June, 18 June 2026
…
Still open are NOR-161 “Load test with a slow ledger in staging” (Todo, Yuki Tanabe) and NOR-159
“Alert before the connection pool is full” (In Review, Bamidele Adeyemi).

Citations:
  1.00  Priya Raman  (ent_…)
  1.00  INC-7  (ent_…)
  …
</code></pre></div><p>The console at <code>/console</code> shows each statement with its record:</p><p><img src="`+s+`" alt="The console: an answer, and the record of a statement with the passage marked"></p><h2 id="your-own-files" tabindex="-1">Your own files <a class="header-anchor" href="#your-own-files" aria-label="Permalink to &quot;Your own files&quot;">​</a></h2><p>Ask questions about your own files. In a second terminal, in the clone (<code>bash</code> or <code>zsh</code>), replace <code>~/notes</code> with one of your folders:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>CLONE=$PWD &amp;&amp; cairn() { node &quot;$CLONE/packages/cli/bin/cairn.js&quot; &quot;$@&quot;; }
cairn init
cairn add ~/notes
cairn ask &quot;What is still open?&quot;
</code></pre></div><p><code>init</code> creates a key and a sandbox and stores them in a file that only you can read. <code>add</code> reads <a href="./documents">documents of most kinds</a>, mail, archives and <a href="./imports">exports of other products</a>, and lists what it skips. <code>ask</code> shows the answer with its records.</p><h2 id="from-code" tabindex="-1">From code <a class="header-anchor" href="#from-code" aria-label="Permalink to &quot;From code&quot;">​</a></h2><p>Use the service of <a href="./quickstart">the README</a> over plain HTTP, with <code>curl</code> and Node. <a href="./clients">Clients</a> need less code. The function <code>cairn</code> is the one of the README:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>field() { node -p &quot;const reply = JSON.parse(require(&#39;fs&#39;).readFileSync(0)); reply[&#39;$1&#39;] ?? (console.error(reply), &#39;&#39;)&quot;; }
export CAIRN=http://127.0.0.1:8484
export KEY=$(cairn keys reset --json | field key)
</code></pre></div><p>Create a sandbox and a source:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>export SANDBOX=$(curl -s $CAIRN/api/v1/storage/sandboxes -H &quot;Authorization: Bearer $KEY&quot; \\
  -H &#39;Content-Type: application/json&#39; -d &#39;{&quot;name&quot;: &quot;Field notes&quot;, &quot;owner_id&quot;: &quot;me&quot;}&#39; | field sandbox_id)
export SOURCE=$(curl -s $CAIRN/api/v1/storage/sandboxes/$SANDBOX/sources -H &quot;Authorization: Bearer $KEY&quot; \\
  -H &#39;Content-Type: application/json&#39; -d &#39;{&quot;provider&quot;: &quot;notes&quot;, &quot;name&quot;: &quot;Notes&quot;}&#39; | field data_source_id)
echo &quot;sandbox $SANDBOX, source $SOURCE&quot;
</code></pre></div><p>Send two <a href="./records">records</a>, one JSON object per line, and wait up to ten seconds until they are applied:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>cat &gt; /tmp/records.ndjson &lt;&lt;&#39;END&#39;
{&quot;external_id&quot;: &quot;n1&quot;, &quot;type&quot;: &quot;note&quot;, &quot;title&quot;: &quot;Pump 7&quot;, &quot;text&quot;: &quot;Pump 7 stopped because its filter was full of sand. Ada Berg cleaned it.&quot;, &quot;occurred_at&quot;: &quot;2026-03-10&quot;, &quot;author&quot;: {&quot;name&quot;: &quot;Ada Berg&quot;, &quot;email&quot;: &quot;ada@example.com&quot;}}
{&quot;external_id&quot;: &quot;n2&quot;, &quot;type&quot;: &quot;note&quot;, &quot;title&quot;: &quot;Filters&quot;, &quot;text&quot;: &quot;We change the filters every two weeks now, since pump 7 stopped.&quot;, &quot;occurred_at&quot;: &quot;2026-03-12T09:30:00Z&quot;, &quot;author&quot;: {&quot;name&quot;: &quot;Ivo Lind&quot;, &quot;email&quot;: &quot;ivo@example.com&quot;}}
END
curl -s $CAIRN/api/v1/storage/sandboxes/$SANDBOX/sources/$SOURCE/records -H &quot;Authorization: Bearer $KEY&quot; \\
  -H &#39;Content-Type: application/x-ndjson&#39; -H &#39;Prefer: wait=10&#39; --data-binary @/tmp/records.ndjson
</code></pre></div><p>Ask a question:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>cat &gt; /tmp/ask.mjs &lt;&lt;&#39;END&#39;
const { CAIRN, KEY, SANDBOX } = process.env
const reply = await fetch(\`\${CAIRN}/api/v1/query/sandboxes/\${SANDBOX}/search\`, {
  method: &#39;POST&#39;,
  headers: { authorization: \`Bearer \${KEY}\`, &#39;content-type&#39;: &#39;application/json&#39; },
  body: JSON.stringify({ query: process.argv[2] }),
})
if (!reply.ok) throw new Error(\`\${reply.status}: \${await reply.text()}\`)
const { answer } = await reply.json()
console.log(answer)
END
node /tmp/ask.mjs &#39;Why did pump 7 stop?&#39;
</code></pre></div><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>“Pump 7 stopped because its filter was full of sand. Ada Berg cleaned it.” — Ada Berg, 10 March 2026
</code></pre></div><p>Next: <a href="./questions">questions</a> and <a href="./connectors">connectors</a>. The API reference is at <code>/docs</code>, the OpenAPI document at <code>/openapi.json</code>.</p>`,25)])])}const m=t(r,[["render",i]]);export{q as __pageData,m as default};
