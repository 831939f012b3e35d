import{_ as o,o as t,c as s,ag as a}from"./chunks/framework.BSWkqPOH.js";const p=JSON.parse('{"title":"Webhooks: what changes, sent to you","description":"","frontmatter":{},"headers":[],"relativePath":"webhooks.md","filePath":"webhooks.md"}'),n={name:"webhooks.md"};function d(r,e,i,c,h,u){return t(),s("div",null,[...e[0]||(e[0]=[a(`<h1 id="webhooks-what-changes-sent-to-you" tabindex="-1">Webhooks: what changes, sent to you <a class="header-anchor" href="#webhooks-what-changes-sent-to-you" aria-label="Permalink to &quot;Webhooks: what changes, sent to you&quot;">​</a></h1><p>An endpoint is an address of yours that is told what changes in a sandbox, as <code>GET …/changes</code> tells it. Only the sandbox&#39;s owner makes one. (What products send <em>to</em> Cairn are <a href="./connectors">deliveries to sources</a>.)</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>cairn webhooks create https://hooks.example.com/cairn --events record.added --events record.removed
</code></pre></div><p>The reply has the <code>signing_secret</code> (<code>whsec_…</code>), once. Events are <code>record.added</code>, <code>record.changed</code>, <code>record.removed</code>, <code>entity.added</code>, <code>entity.changed</code>, <code>entity.removed</code> and <code>entity.merged</code>; all of them where none is named. It begins with what changes from then on.</p><div class="language-json vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">json</span><pre><code>{
  &quot;type&quot;: &quot;sandbox.changed&quot;,
  &quot;timestamp&quot;: &quot;2026-03-14T09:26:53.000Z&quot;,
  &quot;data&quot;: {
    &quot;sandbox_id&quot;: &quot;sbx_…&quot;,
    &quot;webhook_id&quot;: &quot;whk_…&quot;,
    &quot;missed&quot;: false,
    &quot;changes&quot;: [
      {&quot;change&quot;: &quot;added&quot;, &quot;kind&quot;: &quot;record&quot;, &quot;id&quot;: &quot;rec_…&quot;, &quot;type&quot;: &quot;issue&quot;, &quot;title&quot;: &quot;Ferry timetable&quot;, &quot;url&quot;: &quot;https://…&quot;,
       &quot;occurred_at&quot;: &quot;2026-03-14T09:20:00.000Z&quot;, &quot;source_id&quot;: &quot;src_…&quot;, &quot;changed_at&quot;: &quot;2026-03-14T09:26:53.000Z&quot;}
    ]
  }
}
</code></pre></div><h2 id="what-is-promised" tabindex="-1">What is promised <a class="header-anchor" href="#what-is-promised" aria-label="Permalink to &quot;What is promised&quot;">​</a></h2><ul><li><strong>At least once.</strong> A message counts as arrived when it is answered with a 2xx within 10 seconds; the answer&#39;s body is not read. A crash of the service or of the endpoint loses nothing. Keep the <code>webhook-id</code> of what you have done: a message that is sent again has the same one.</li><li><strong>In order.</strong> Messages to one endpoint come one after another, their changes in the order of commits, within two seconds of the commit when nothing waits. One that fails is sent again before anything later.</li><li><strong>Retries</strong> after some seconds at first, then later and later with jitter, at most an hour apart; <code>Retry-After</code> is heard up to 15 minutes.</li><li><strong>Disabled</strong> is an endpoint that has failed for five days (and 20 times), or that answers 410 Gone. <code>status</code>, <code>disabled_reason</code>, <code>failures</code>, <code>failing_since</code>, <code>last_error</code> and <code>next_attempt_at</code> say how it is, and the audit log has <code>webhook.disabled</code>. <code>cairn webhooks change WEBHOOK_ID --status active</code> makes it go on where it stood. Changes are kept for 30 days; where some were let go of before they could be sent, <code>missed</code> is true in the next message: read what is there anew.</li><li><strong>Bounded.</strong> At most 100 changes and about 400 KB a message; a title is cut at 256 characters, an address over 2 048 is left out. A sandbox has at most 10 endpoints. Titles and addresses are those at the moment of sending: what was deleted since is told by its id.</li><li><strong>Guarded.</strong> Only https on port 443 at public addresses is called, looked at again at every connection; redirects are not followed. <code>CAIRN_ALLOW_LOOPBACK</code> lets loopback through, for development.</li><li>Under <a href="./caller-keys">a key of the caller&#39;s</a> a message has ids, without types, titles and addresses: nothing of the content leaves without the key. The endpoint&#39;s own address and secret are not under that key, since messages are signed while nobody holds it.</li></ul><p><code>cairn webhooks test WEBHOOK_ID</code> sends a message of the type <code>webhook.test</code> now; <code>cairn webhooks deliveries WEBHOOK_ID</code> lists the attempts of the last seven days. <code>cairn webhooks rotate-secret WEBHOOK_ID --grace-seconds 3600</code> gives a new secret; for an hour messages carry both signatures.</p><h2 id="verify-what-comes" tabindex="-1">Verify what comes <a class="header-anchor" href="#verify-what-comes" aria-label="Permalink to &quot;Verify what comes&quot;">​</a></h2><p>Messages follow <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">Standard Webhooks</a>: <code>webhook-id</code>, <code>webhook-timestamp</code> (seconds) and <code>webhook-signature</code> (<code>v1,</code> and the base64 of an HMAC-SHA-256 of <code>id.timestamp.body</code>; several with spaces between them after a rotation). Verify the bytes of the body as they came, and refuse a timestamp that is more than five minutes off.</p><p>TypeScript, with <code>npm install standardwebhooks</code>:</p><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre><code>import { createServer } from &#39;node:http&#39;
import { Webhook } from &#39;standardwebhooks&#39;

const webhook = new Webhook(process.env.CAIRN_WEBHOOK_SECRET!) // whsec_…
createServer(async (request, response) =&gt; {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString(&#39;utf8&#39;)
  try {
    const message = webhook.verify(body, request.headers as Record&lt;string, string&gt;) as { data: { changes: object[] } }
    for (const change of message.data.changes) console.log(change)
    response.writeHead(204).end()
  } catch {
    response.writeHead(400).end()
  }
}).listen(3000)
</code></pre></div><p>Python, without a package (<code>pip install standardwebhooks</code> has the same as a class):</p><div class="language-python vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">python</span><pre><code>import base64, hashlib, hmac, time

def verify(secret: str, headers, body: bytes) -&gt; bool:
    &quot;&quot;&quot;Whether a message is Cairn&#39;s and no more than five minutes old.&quot;&quot;&quot;
    message_id, timestamp = headers[&quot;webhook-id&quot;], headers[&quot;webhook-timestamp&quot;]
    if abs(time.time() - int(timestamp)) &gt; 300:
        return False
    key = base64.b64decode(secret.removeprefix(&quot;whsec_&quot;))
    signed = f&quot;{message_id}.{timestamp}.&quot;.encode() + body
    expected = &quot;v1,&quot; + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = headers[&quot;webhook-signature&quot;].split(&quot; &quot;)
    return any(hmac.compare_digest(expected, each) for each in given)
</code></pre></div>`,14)])])}const m=o(n,[["render",d]]);export{p as __pageData,m as default};
