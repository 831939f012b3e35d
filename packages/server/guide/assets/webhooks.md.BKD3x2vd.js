import{_ as o,o as t,c as a,ag as s}from"./chunks/framework.BSWkqPOH.js";const p=JSON.parse('{"title":"Webhooks","description":"","frontmatter":{},"headers":[],"relativePath":"webhooks.md","filePath":"webhooks.md"}'),n={name:"webhooks.md"};function d(r,e,i,c,u,h){return t(),a("div",null,[...e[0]||(e[0]=[s(`<h1 id="webhooks" tabindex="-1">Webhooks <a class="header-anchor" href="#webhooks" aria-label="Permalink to &quot;Webhooks&quot;">​</a></h1><p>Send the changes of a sandbox to an address of yours. Only the owner can create such an endpoint.</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>cairn webhooks create https://hooks.example.com/cairn --events record.added --events record.removed
</code></pre></div><p>The reply has the <code>signing_secret</code> (<code>whsec_…</code>) once. Events: <code>record.</code> or <code>entity.</code> with <code>added</code>, <code>changed</code>, <code>removed</code>, and <code>entity.merged</code>; by default all.</p><div class="language-json vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">json</span><pre><code>{
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
</code></pre></div><h2 id="delivery" tabindex="-1">Delivery <a class="header-anchor" href="#delivery" aria-label="Permalink to &quot;Delivery&quot;">​</a></h2><ul><li><strong>At least once, in order.</strong> A message is delivered when your server answers 2xx within 10 seconds. Deduplicate by <code>webhook-id</code>.</li><li><strong>Retries</strong> with backoff and jitter, at most an hour apart; <code>Retry-After</code> is respected up to 15 minutes.</li><li><strong>Disabled</strong> after five days of failures (and 20 attempts), or 410 Gone. The endpoint and the audit log (<code>webhook.disabled</code>) show it. <code>cairn webhooks change WEBHOOK_ID --status active</code> continues where it stopped. If changes older than 30 days were lost, <code>missed</code> is true in the next message: read the sandbox again.</li><li><code>cairn webhooks test WEBHOOK_ID</code> sends a <code>webhook.test</code> message, <code>cairn webhooks deliveries WEBHOOK_ID</code> lists seven days of attempts.</li><li><code>cairn webhooks rotate-secret WEBHOOK_ID --grace-seconds 3600</code> creates a new secret; for an hour messages carry both signatures.</li></ul><h2 id="verify-the-signature" tabindex="-1">Verify the signature <a class="header-anchor" href="#verify-the-signature" aria-label="Permalink to &quot;Verify the signature&quot;">​</a></h2><p>Messages follow <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">Standard Webhooks</a>: <code>webhook-id</code>, <code>webhook-timestamp</code> (seconds) and <code>webhook-signature</code> (<code>v1,</code> and the base64 HMAC-SHA-256 of <code>id.timestamp.body</code>; several separated by spaces after a rotation). Verify the raw body and reject timestamps more than five minutes off.</p><p>TypeScript, with <code>npm install standardwebhooks</code>:</p><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre><code>import { createServer } from &#39;node:http&#39;
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
</code></pre></div><p>Python, without a package:</p><div class="language-python vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">python</span><pre><code>import base64, hashlib, hmac, time

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
</code></pre></div><h2 id="limits" tabindex="-1">Limits <a class="header-anchor" href="#limits" aria-label="Permalink to &quot;Limits&quot;">​</a></h2><ul><li>100 changes and about 400 KB per message; titles are cut at 256 characters. 10 endpoints per sandbox.</li><li>Deleted items have only their id.</li><li>Only https on port 443 at public addresses, no redirects. <code>CAIRN_ALLOW_LOOPBACK</code> allows loopback for development.</li><li>With a <a href="./caller-keys">customer-managed key</a> messages have only ids.</li></ul>`,15)])])}const q=o(n,[["render",d]]);export{p as __pageData,q as default};
